// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/edge_runs.h"

#include <cmath>
#include <cstddef>

namespace tesseray {
namespace {

constexpr double same_place_m = 1e-6, same_direction = 1e-9;

Vec3 begin_of(const EdgeSegment& edge) { return edge.midpoint - 0.5 * edge.length_m * edge.direction; }
Vec3 end_of(const EdgeSegment& edge) { return edge.midpoint + 0.5 * edge.length_m * edge.direction; }

// True when the two are parts of one edge, with a common end.
bool goes_on(const EdgeSegment& edge, const EdgeSegment& next) {
  const auto alike = [](Vec3 a, Vec3 b) { return norm(a - b) <= same_direction; };
  const double gap_m = std::fmin(norm(begin_of(next) - end_of(edge)), norm(begin_of(edge) - end_of(next)));
  return gap_m <= same_place_m && alike(edge.direction, next.direction) && alike(edge.tangent_0, next.tangent_0) &&
         alike(edge.tangent_n, next.tangent_n);
}

}  // namespace

std::vector<EdgeRun> edge_runs(const Tiling& tiling) {
  const std::vector<EdgeSegment>& edges = tiling.edges;
  std::vector<EdgeRun> runs(edges.size());
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first;
    while (last + 1 < edges.size() && goes_on(edges[last], edges[last + 1])) ++last;
    // Segments may follow each other against their direction.
    const double length_m =
        norm(edges[last].midpoint - edges[first].midpoint) + 0.5 * (edges[first].length_m + edges[last].length_m);
    const bool forward = dot(edges[last].midpoint - edges[first].midpoint, edges[first].direction) >= 0;
    const Vec3 begin = begin_of(edges[forward ? first : last]);
    const EdgeRun run{begin + 0.5 * length_m * edges[first].direction, 0.5 * length_m};
    for (std::size_t e = first; e <= last; ++e) runs[e] = run;
    first = last + 1;
  }
  return runs;
}

}  // namespace tesseray
