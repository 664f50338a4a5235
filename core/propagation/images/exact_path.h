// SPDX-License-Identifier: GPL-3.0-or-later
// Exact rays between two points: reflections by images, diffractions at the points of least length on the edges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/propagation/images/image_tree.h"
#include "core/visibility/visibility.h"

namespace tesseray {

struct ExactPath {
  struct Interaction {
    bool is_edge = false;
    std::uint32_t number = 0;  // of the reflector or the edge
  };
  static constexpr std::size_t most_interactions = 2 * most_image_reflections + 2;

  std::array<Vec3, most_interactions + 2> points{};  // transmitter, interactions, receiver
  std::array<Interaction, most_interactions> interactions{};
  std::size_t length = 0;  // of the interactions

  std::span<const Vec3> corners() const { return {points.data(), length + 2}; }
  std::span<const Interaction> sequence() const { return {interactions.data(), length}; }
  double length_m() const;
};

// The points of two edges between which the way from–first–second–to is shortest, as metres from their midpoints;
// they may lie beyond the edges' ends. The length is convex in them, so that the point is the only one. Empty where the
// way is shortest through the point in which edges meet, and now and then where a point lies beyond the first one's
// ends.
std::optional<std::pair<double, double>> shortest_over(const EdgeSegment& first, const EdgeSegment& second, Vec3 from,
                                                       Vec3 to);

// Keeps references to what it is made of. Thread-safe. A path is found when every point lies on its surface or edge
// and nothing stands between; points are lifted off what they lie on by 1 cm for that, as in all of Tesseray.
class ExactPaths {
 public:
  ExactPaths(const Reflectors& reflectors, const RealEdges& edges, const Occlusion& occlusion);

  bool reflected(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const;
  // `before` from the transmitter, `after` from the receiver, each towards the edge.
  bool diffracted(const ReflectionChain& before, std::uint32_t edge, const ReflectionChain& after, Vec3 from, Vec3 to,
                  ExactPath& path) const;
  bool diffracted_twice(std::uint32_t first, std::uint32_t second, Vec3 from, Vec3 to, ExactPath& path) const;

 private:
  bool unfold(const ReflectionChain& chain, Vec3 from, Vec3 to, std::span<Vec3> points) const;
  Vec3 image(const ReflectionChain& chain, Vec3 point) const;
  bool is_free(const ExactPath& path) const;

  const Reflectors& reflectors_;
  const RealEdges& edges_;
  const Occlusion& occlusion_;
};

}  // namespace tesseray
