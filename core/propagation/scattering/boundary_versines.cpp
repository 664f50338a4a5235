// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering/boundary_versines.h"

namespace tesseray {
namespace {

struct Middles {
  std::array<float, BoundaryVersines::buckets> tangent, normal;

  Middles() {
    for (std::size_t b = 0; b < BoundaryVersines::buckets; ++b) {
      const DirectionAboutEdge middle = BoundaryVersines::direction(b);
      tangent[b] = middle.tangent;
      normal[b] = middle.normal;
    }
  }
};

struct AddSource {
  [[gnu::always_inline]] static void run(const SourceAboutEdge* source_pointer,
                                         const DirectionAboutEdge* twice_exterior_pointer,
                                         const float* __restrict tangent, const float* __restrict normal,
                                         float* __restrict sums) {
    const SourceAboutEdge source = *source_pointer;
    const DirectionAboutEdge twice_exterior = *twice_exterior_pointer;
    for (std::size_t b = 0; b < BoundaryVersines::buckets; ++b) {
      sums[b] += BoundaryVersines::power_over_versine(source, {tangent[b], normal[b]}, twice_exterior);
    }
  }
};

}  // namespace

BoundaryVersines::BoundaryVersines(std::span<const SourceAboutEdge> sources, double exterior_angle,
                                   InstructionSet set) {
  static const Middles middles;
  const DirectionAboutEdge turn = twice_exterior(exterior_angle);
  float power = 0;
  for (const SourceAboutEdge& source : sources) {
    run_vectorized<AddSource>(set, &source, &turn, middles.tangent.data(), middles.normal.data(), means_.data());
    power += source.power;
  }
  for (float& mean : means_) mean = power / mean;
}

}  // namespace tesseray
