// SPDX-License-Identifier: GPL-3.0-or-later
// The exact reference: classical ray tracing from point to point by the image method, on a scene's real walls, roofs,
// terrain and edges. No tiles, no visibility rows: nothing of the launcher's geometry, and the same physics.
//
// Rays: direct; up to max_reflections reflections; one diffraction with reflections before and after it; two
// diffractions, with up to one reflection before, between or after them. All of them, up to max_length_m: none is left
// out for being weak. What is not modelled: diffuse scattering, rays over more than two edges, through buildings, more
// than one reflection with two diffractions.
//
// What it costs. The transmitter's images are found once (image_tree.h), those of each receiver for the reflections
// behind a diffraction; then a microsecond or less for each candidate. With two diffractions these are the pairs of
// edges that the transmitter and the receiver light, reflected or not, and for the reflections between two edges all
// surfaces are looked at for each edge that the receiver sees (between_edges.h). Far more per receiver than ray
// launching, and nothing per tile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/transmitter.h"
#include "core/visibility/visibility.h"

namespace tesseray {

inline constexpr int most_image_diffractions = 2;

struct ImageTracingOptions {
  int max_reflections = 3;   // 0 … most_image_reflections
  int max_diffractions = 1;  // 0 … most_image_diffractions
  // Of a ray that has both: reflections and diffractions together. Rays with two diffractions have one reflection at
  // most.
  int max_reflections_with_diffractions = 3;
  double max_length_m = 2000;    // of a ray
  double ridge_angle_deg = 195;  // sides of terrain triangles with a greater exterior angle diffract
  std::size_t rays_per_receiver = 1000;
  // Summation, receiver, vegetation; what else is in it is not used.
  RayLaunchingOptions link;
};

struct ImageTracingResult {
  std::vector<ArrivalSums> receivers;  // one per receiver
  std::vector<Ray> rays;               // by receiver, strongest first; elements: reflectors, then edges
  std::uint64_t images = 0;            // of the transmitter and of all receivers
  std::uint64_t candidates = 0;        // sequences of surfaces and edges that were tried
  std::uint64_t found = 0;             // rays, before the strongest are taken
};

// One per scene and set of receivers. Keeps references to scene and occlusion. trace() is thread-safe and
// deterministic for any number of threads.
class ImageTracer {
 public:
  // Throws Error(invalid_input) for limits outside of their ranges.
  ImageTracer(const Scene& scene, const Occlusion& occlusion, std::vector<Receiver> receivers,
              const ImageTracingOptions& options);
  ~ImageTracer();
  ImageTracer(ImageTracer&&) noexcept;

  // Throws Error(invalid_input) for a frequency that is not positive, Error(cancelled) on cancel.
  ImageTracingResult trace(const Transmitter& transmitter, Progress& progress) const;

  const std::vector<Receiver>& receivers() const;
  const ImageTracingOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesseray
