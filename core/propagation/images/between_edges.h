// SPDX-License-Identifier: GPL-3.0-or-later
// Which surfaces may reflect a ray between two edges: from one that the transmitter lights to one that the receiver
// sees.
//
// How it works. Of each surface and each second edge the beam (edge_beam.h) says which first edges may come that way;
// boxes of near ones are passed over at once. Left out is what is behind a surface, inside of an edge's solid, beyond
// the greatest length, or outside of the beam: nothing of that has a ray. What stands between is not asked here.
//
// What it costs. A surface and second edge takes a tenth of a microsecond, a beam some tenths.
#pragma once

#include <cstdint>
#include <vector>

#include "core/propagation/images/edge_beam.h"
#include "core/propagation/images/real_edges.h"
#include "core/propagation/images/reflectors.h"

namespace tesseray {

// Keeps references to surfaces and edges. Thread-safe once made.
class BetweenEdges {
 public:
  struct Way {
    std::uint32_t first = 0, reflector = 0;
  };

  // `first`: the edges that the source at `from` may light.
  BetweenEdges(const Reflectors& reflectors, const RealEdges& edges, std::vector<std::uint32_t> first, Vec3 from,
               double max_length_m);

  // From first edges to `second` and on to the point `to`, always in the same order. An edge may be both: it diffracts
  // towards the surface and again what comes back.
  std::vector<Way> ways(std::uint32_t second, Vec3 to) const;

 private:
  // The ball about a surface.
  struct Mirror {
    std::uint32_t reflector = 0;
    Vec3 centre;
    double radius_m = 0, from_source_m = 0;  // the latter at least
  };
  struct Group {
    SpaceBox box;
    std::uint32_t begin = 0, end = 0;  // in first_
  };
  void add_groups();
  void add_mirrors(Vec3 from);
  bool may_reflect(const EdgeSegment& edge, const Reflector& reflector) const;

  const Reflectors& reflectors_;
  const RealEdges& edges_;
  std::vector<std::uint32_t> first_;
  double max_length_m_;
  std::vector<Group> groups_;
  std::vector<Mirror> mirrors_;
};

}  // namespace tesseray
