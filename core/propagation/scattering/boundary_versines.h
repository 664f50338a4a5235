// SPDX-License-Identifier: GPL-3.0-or-later
// How far the directions about an edge segment are from the shadow boundaries of what lights it.
//
// An edge diffracts a quarter of the power along a shadow boundary, and some degrees from it a hundredth of that: with
// the versed sine 1 − cos ε of the angle ε to the nearest boundary, 1/(4 + 16π kL (1 − cos ε))
// (estimated_diffraction_share() in diffraction.h). Draws by chance among the tiles past an edge need that of all
// sources together. So directions about the edge go into buckets, and of each bucket the harmonic mean of the sources'
// versed sines is kept, by the power that they bring to the edge.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/vector_dispatch.h"
#include "core/geometry/vector.h"
#include "core/physics/angle_functions.h"

namespace tesseray {

// What lights an edge: its direction about the edge, counted from the 0-face, and its power at the edge.
struct SourceAboutEdge {
  float cosine = 1, sine = 0;
  float power = 0;
};

// A unit direction about an edge, along the 0-face's tangent and normal.
struct DirectionAboutEdge {
  float tangent = 1, normal = 0;
};

class BoundaryVersines {
 public:
  static constexpr std::size_t buckets = 128;

  // The bucket of a direction of any length. The same on every instruction set.
  [[gnu::always_inline]] TESSERAY_HD static std::int32_t bucket(float tangent, float normal) {
    constexpr float least = 1e-30f;  // a point on the edge itself is in some bucket
    const float across = tangent < 0 ? -tangent : tangent, up = normal < 0 ? -normal : normal;
    const float height = normal / (across + up + least);             // −1 … 1
    const float turn = tangent < 0 ? 3.0f - height : 1.0f + height;  // 0 … 4, from straight down
    const auto number = static_cast<std::int32_t>(turn * (0.25f * buckets));
    return number < last_bucket ? number : last_bucket;
  }

  // The middle of a bucket.
  TESSERAY_HD static DirectionAboutEdge direction(std::size_t bucket) {
    const double turn = (static_cast<double>(bucket) + 0.5) * (4.0 / buckets);
    const double height = turn < 2 ? turn - 1 : 3 - turn;
    const double across = (1 - std::fabs(height)) * (turn < 2 ? 1 : -1);
    const double inverse = 1 / std::sqrt(across * across + height * height);
    return {static_cast<float>(across * inverse), static_cast<float>(height * inverse)};
  }

  // Of twice the exterior angle of a wedge, which turns a source into its image behind the n-face. Without library
  // functions, so that draws are the same on every machine.
  TESSERAY_HD static DirectionAboutEdge twice_exterior(double exterior_angle) {
    const CosSin once = cos_sin_turn(exterior_angle);
    const CosSin twice = sum(once, once);
    return {static_cast<float>(twice.cos), static_cast<float>(twice.sin)};
  }

  // A source's power over its versed sine in the middle of a bucket.
  [[gnu::always_inline]] TESSERAY_HD static float power_over_versine(SourceAboutEdge source, DirectionAboutEdge middle,
                                                                     DirectionAboutEdge twice_exterior) {
    const float cosines = middle.tangent * source.cosine, sines = middle.normal * source.sine;
    const float to_shadow = cosines + sines, to_reflection_0 = cosines - sines;
    const float sine_of_sum = middle.normal * source.cosine + middle.tangent * source.sine;
    const float to_reflection_n = to_reflection_0 * twice_exterior.tangent + sine_of_sum * twice_exterior.normal;
    const float reflected = to_reflection_0 < to_reflection_n ? to_reflection_0 : to_reflection_n;
    const float versine = 1.0f + (to_shadow < reflected ? to_shadow : reflected);
    return source.power / ((versine > 0 ? versine : 0.0f) + half_a_bucket);
  }

  // The means of all sources, by bucket. The same for any instruction set.
  BoundaryVersines() = default;
  BoundaryVersines(std::span<const SourceAboutEdge> sources, double exterior_angle,
                   InstructionSet set = best_instruction_set());

  const float* data() const { return means_.data(); }

 private:
  static constexpr std::int32_t last_bucket = static_cast<std::int32_t>(buckets) - 1;
  // The versed sine of half a bucket's width: a boundary is anywhere in its bucket.
  static constexpr float half_a_bucket = 3e-4f;

  std::array<float, buckets> means_{};
};

}  // namespace tesseray
