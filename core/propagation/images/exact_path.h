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

// A sequence over two edges, from the transmitter to the receiver.
struct TwoEdgeSequence {
  ReflectionChain before;  // from the transmitter
  std::uint32_t first = 0;
  ReflectionChain between;  // from the first edge to the second
  std::uint32_t second = 0;
  ReflectionChain after;  // from the receiver
};

// Keeps references to what it is made of. Thread-safe. A path is found when every point lies on its surface or edge
// and nothing stands between; points are lifted off what they lie on by 1 cm for that, as in all of Tesseray.
class ExactPaths {
 public:
  ExactPaths(const Reflectors& reflectors, const RealEdges& edges, const Occlusion& occlusion);

  bool reflected(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const;
  // `before` from the transmitter, `after` from the receiver, each towards the edge.
  bool diffracted(const ReflectionChain& before, std::uint32_t edge, const ReflectionChain& after, Vec3 from, Vec3 to,
                  ExactPath& path) const;
  bool diffracted_twice(const TwoEdgeSequence& sequence, Vec3 from, Vec3 to, ExactPath& path) const;

 private:
  bool unfold(const ReflectionChain& chain, Vec3 from, Vec3 to, std::span<Vec3> points) const;
  Vec3 image(const ReflectionChain& chain, Vec3 point) const;
  EdgeSegment image(const ReflectionChain& chain, EdgeSegment edge) const;
  // These add to what the path has so far; false when the way from `from` to `to` misses a surface. The chain of the
  // second is that from `to`.
  bool add_reflections(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const;
  bool add_reflections_from_end(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const;
  // How far points between two edges are moved for the tests where the way runs along a face of one of them: off that
  // face, as the edges' own points are. They lie on the line where the surface that reflects meets the face.
  Vec3 off_faces(const TwoEdgeSequence& sequence, Vec3 on_first, Vec3 on_second) const;
  bool is_free(const ExactPath& path, Vec3 aside_between_edges = {}) const;

  const Reflectors& reflectors_;
  const RealEdges& edges_;
  const Occlusion& occlusion_;
};

}  // namespace tesseray
