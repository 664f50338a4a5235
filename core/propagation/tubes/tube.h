// SPDX-License-Identifier: GPL-3.0-or-later
// A ray tube on its way to one element, and which interactions it may still have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/hash.h"
#include "core/base/host_device.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/propagation/rays/virtual_source.h"

namespace tesseray {

inline constexpr int most_bounces = 8;

// What follows the scattering of a ray; two interactions in any order.
enum class AfterScattering : std::uint8_t {
  nothing,
  reflection,
  diffraction,
  two_reflections,
  reflection_and_diffraction,
  two_diffractions,
};
// How many of them there are with at most so many interactions after the scattering.
constexpr std::size_t after_scattering_kinds(int max_after_scattering) {
  return max_after_scattering > 1 ? 6 : max_after_scattering > 0 ? 3 : 1;
}
// The kind with one more reflection, if there is one.
constexpr std::optional<AfterScattering> with_reflection(AfterScattering after) {
  switch (after) {
    case AfterScattering::nothing:
      return AfterScattering::reflection;
    case AfterScattering::reflection:
      return AfterScattering::two_reflections;
    case AfterScattering::diffraction:
      return AfterScattering::reflection_and_diffraction;
    default:
      return std::nullopt;
  }
}
// Whether of these kinds, as bits, one has one more reflection than `after`.
constexpr bool may_reflect_as_well(unsigned kinds, AfterScattering after) {
  const std::optional<AfterScattering> reflected = with_reflection(after);
  return reflected && (kinds >> static_cast<unsigned>(*reflected) & 1u) != 0;
}

// The elements at which a ray has interacted so far, in order.
struct InteractionChain {
  std::array<std::uint32_t, most_bounces> elements{};
  std::uint8_t length = 0;
  // Of scattered power that is to have two more interactions (scattered_tubes.cpp): the first element is the tile that
  // scatters it, and what came before is summed there. `nothing` otherwise.
  AfterScattering after = AfterScattering::nothing;
  bool cross_polarized = false;  // of such power: in the other polarisation
  // How the ray goes from the transmitter to the first element, or to its end, where it does not go straight in the
  // air.
  bool over_rooftops = false, through_building = false;

  TESSERAY_HD void push(std::uint32_t element) { elements[length++] = element; }
  TESSERAY_HD void pop() { --length; }
  // Tells the ways from the chain to its next elements apart, for draws by chance.
  TESSERAY_HD std::uint64_t seed_to(std::uint32_t next) const {
    std::uint64_t seed = next;
    for (std::size_t i = 0; i < length; ++i) seed = scrambled(seed ^ elements[i]);
    return seed;
  }
  // The same when it has gone on by `element`.
  TESSERAY_HD std::uint64_t seed_by(std::uint32_t element, std::uint32_t next) const {
    return scrambled(seed_to(next) ^ element);
  }
  // REQUIRES: length > 0.
  TESSERAY_HD std::uint32_t last() const { return elements[length - std::size_t{1}]; }
  TESSERAY_HD bool is_scattered() const { return after != AfterScattering::nothing; }
  // Scattered power with fewer interactions after it is summed elsewhere (scattered_power.h).
  TESSERAY_HD bool may_arrive() const { return !is_scattered() || length == 3; }
};

struct Tube {
  VirtualSource source;
  // The field over the leg's amplitude, without propagation phase, for the ray to the element's reference point
  // (centroid or midpoint); unit: the field of the antenna's maximum at 1 m.
  ComplexVec3 strength;
  Vec3 direction;                         // unit, of travel at the reference point
  double path_gain = 0;                   // at the reference point, for an isotropic receiver, times `stands_for`
  double length_m = 0;                    // of the ray to the reference point
  double radius_1_m = 0, radius_2_m = 0;  // of the wavefront at the midpoint; edge elements only
  double attenuation = 1;    // factor of the amplitude on all legs so far (vegetation, walls); not in `strength`
  float departure_gain = 1;  // of the transmitter's pattern, relative to its maximum
  float stands_for = 1;      // so many rays like it, where weak ones are drawn by chance: itself and those left out
  std::uint32_t element = 0;
  std::uint8_t reflections = 0, diffractions = 0;  // of scattered power: after the scattering
  InteractionChain chain;

  TESSERAY_HD int interactions() const { return reflections + diffractions; }
};

// Table 1 of paper 002, asked before each interaction of a ray with the given counts so far.
class InteractionLimits {
 public:
  InteractionLimits() = default;
  explicit InteractionLimits(const RayLaunchingOptions& options)
      : max_bounces_(options.max_bounces),
        max_reflections_(options.max_reflections),
        max_diffractions_(options.max_diffractions),
        max_scatterings_(options.max_scatterings),
        max_reflections_with_diffractions_(options.max_reflections_with_diffractions),
        max_diffractions_with_scatterings_(options.max_diffractions_with_scatterings),
        max_after_scattering_(options.max_after_scattering) {}

  TESSERAY_HD bool may_reflect(int reflections, int diffractions, int scatterings = 0) const {
    return reflections + diffractions + scatterings < max_bounces_ && reflections < max_reflections_ &&
           together(reflections + 1, diffractions, max_reflections_with_diffractions_);
  }
  TESSERAY_HD bool may_diffract(int reflections, int diffractions, int scatterings = 0) const {
    return reflections + diffractions + scatterings < max_bounces_ && diffractions < max_diffractions_ &&
           together(reflections, diffractions + 1, max_reflections_with_diffractions_) &&
           together(diffractions + 1, scatterings, max_diffractions_with_scatterings_);
  }
  TESSERAY_HD bool may_scatter(int reflections, int diffractions) const {
    return reflections + diffractions < max_bounces_ && max_scatterings_ > 0 &&
           together(diffractions, 1, max_diffractions_with_scatterings_);
  }
  // With all of that after the scattering.
  TESSERAY_HD bool may_scatter(AfterScattering after, int reflections, int diffractions) const {
    if (!may_scatter(reflections, diffractions)) return false;
    const auto reflect = [&](int more) {
      return max_after_scattering_ > more && may_reflect(reflections + more, diffractions, 1);
    };
    const auto diffract = [&](int more) {
      return max_after_scattering_ > more && may_diffract(reflections, diffractions + more, 1);
    };
    switch (after) {
      case AfterScattering::nothing:
        return true;
      case AfterScattering::reflection:
        return reflect(0);
      case AfterScattering::diffraction:
        return diffract(0);
      case AfterScattering::two_reflections:
        return reflect(0) && reflect(1);
      case AfterScattering::reflection_and_diffraction:
        return max_after_scattering_ > 1 && reflect(0) && may_diffract(reflections + 1, diffractions, 1);
      case AfterScattering::two_diffractions:
        return diffract(0) && diffract(1);
    }
    return false;
  }

 private:
  // A limit on two mechanisms together counts only for rays that have both.
  TESSERAY_HD static bool together(int a, int b, int limit) { return a == 0 || b == 0 || a + b <= limit; }
  int max_bounces_ = 0, max_reflections_ = 0, max_diffractions_ = 0, max_scatterings_ = 0;
  int max_reflections_with_diffractions_ = 0, max_diffractions_with_scatterings_ = 0, max_after_scattering_ = 0;
};

}  // namespace tesseray
