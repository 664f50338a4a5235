// SPDX-License-Identifier: GPL-3.0-or-later
// A ray tube on its way to one element, and which interactions it may still have.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/hash.h"
#include "core/propagation/ray_launcher.h"
#include "core/propagation/virtual_source.h"

namespace tesseray {

inline constexpr int most_bounces = 8;

// The elements at which a ray has interacted so far, in order.
struct InteractionChain {
  std::array<std::uint32_t, most_bounces> elements{};
  std::uint8_t length = 0;
  // How the ray goes from the transmitter to the first element, or to its end, where it does not go straight in the
  // air.
  bool over_rooftops = false, through_building = false;

  void push(std::uint32_t element) { elements[length++] = element; }
  // Tells the ways from the chain to its next elements apart, for draws by chance.
  std::uint64_t seed_to(std::uint32_t next) const {
    std::uint64_t seed = next;
    for (std::size_t i = 0; i < length; ++i) seed = scrambled(seed ^ elements[i]);
    return seed;
  }
  // REQUIRES: length > 0.
  std::uint32_t last() const { return elements[length - std::size_t{1}]; }
};

struct Tube {
  VirtualSource source;
  // The field over the leg's amplitude, without propagation phase, for the ray to the element's reference point
  // (centroid or midpoint); unit: the field of the antenna's maximum at 1 m.
  ComplexVec3 strength;
  Vec3 direction;                         // unit, of travel at the reference point
  double path_gain = 0;                   // at the reference point, for an isotropic receiver
  double length_m = 0;                    // of the ray to the reference point
  double radius_1_m = 0, radius_2_m = 0;  // of the wavefront at the midpoint; edge elements only
  double attenuation = 1;    // factor of the amplitude on all legs so far (vegetation, walls); not in `strength`
  float departure_gain = 1;  // of the transmitter's pattern, relative to its maximum
  std::uint32_t element = 0;
  std::uint8_t reflections = 0, diffractions = 0;
  InteractionChain chain;

  int interactions() const { return reflections + diffractions; }
};

// Table 1 of paper 002, asked before each interaction of a ray with the given counts so far.
class InteractionLimits {
 public:
  explicit InteractionLimits(const RayLaunchingOptions& options) : o_(options) {}

  bool may_reflect(int reflections, int diffractions, int scatterings = 0) const {
    return reflections + diffractions + scatterings < o_.max_bounces && reflections < o_.max_reflections &&
           together(reflections + 1, diffractions, o_.max_reflections_with_diffractions);
  }
  bool may_diffract(int reflections, int diffractions, int scatterings = 0) const {
    return reflections + diffractions + scatterings < o_.max_bounces && diffractions < o_.max_diffractions &&
           together(reflections, diffractions + 1, o_.max_reflections_with_diffractions) &&
           together(diffractions + 1, scatterings, o_.max_diffractions_with_scatterings);
  }
  bool may_scatter(int reflections, int diffractions) const {
    return reflections + diffractions < o_.max_bounces && o_.max_scatterings > 0 &&
           together(diffractions, 1, o_.max_diffractions_with_scatterings);
  }
  bool may_reflect_after_scattering(int reflections, int diffractions) const {
    return o_.max_after_scattering > 0 && may_scatter(reflections, diffractions) &&
           may_reflect(reflections, diffractions, 1);
  }
  bool may_diffract_after_scattering(int reflections, int diffractions) const {
    return o_.max_after_scattering > 0 && may_scatter(reflections, diffractions) &&
           may_diffract(reflections, diffractions, 1);
  }

 private:
  // A limit on two mechanisms together counts only for rays that have both.
  static bool together(int a, int b, int limit) { return a == 0 || b == 0 || a + b <= limit; }
  RayLaunchingOptions o_;
};

}  // namespace tesseray
