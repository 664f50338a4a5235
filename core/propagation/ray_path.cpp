// SPDX-License-Identifier: GPL-3.0-or-later
// The corner points of a ray, found again from the elements at which it interacted.
#include <algorithm>

#include "core/propagation/launch.h"

namespace tesseray {

std::vector<Vec3> trace_chain(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source,
                              Vec3 target) {
  const std::size_t tiles = tiling.tiles.size();
  // Forward: the virtual source after each interaction.
  std::vector<VirtualSource> sources{source};
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (element < tiles) {
      const Tile& tile = tiling.tiles[element];
      sources.push_back(mirrored(sources.back(), tile.centroid, tile.normal));
      continue;
    }
    const EdgeSegment& edge = tiling.edges[element - tiles];
    const Leg leg = leg_to(sources.back(), edge.midpoint);
    VirtualSource next = wave_at_edge(sources.back(), leg, edge.midpoint, edge.direction).source;
    next.edge_midpoint = edge.midpoint;
    next.edge_direction = edge.direction;
    next.edge_half_length_m = 0.5 * edge.length_m;
    sources.push_back(next);
  }
  // Backward: each last leg's start (at an edge) or its crossing of the mirror's plane.
  std::vector<Vec3> points{target};
  for (std::size_t i = chain.length; i-- > 0;) {
    const Leg leg = leg_to(sources[i + 1], points.back());
    const std::uint32_t element = chain.elements[i];
    if (element >= tiles) {
      points.push_back(leg.from);
      continue;
    }
    const Tile& tile = tiling.tiles[element];
    const double along = dot(leg.direction, tile.normal);
    const double to_plane = dot(tile.centroid - leg.from, tile.normal);
    points.push_back(along != 0 ? leg.from + (to_plane / along) * leg.direction : tile.centroid);
  }
  points.push_back(leg_to(source, points.back()).from);
  std::reverse(points.begin(), points.end());
  return points;
}

std::vector<Vec3> trace_scattered(const Tiling& tiling, const InteractionChain& chain, std::uint8_t scattered_at,
                                  const VirtualSource& source, Vec3 target) {
  const Vec3 scatterer = tiling.tiles[chain.elements[scattered_at]].centroid;
  InteractionChain before, after;
  for (std::size_t i = 0; i < chain.length; ++i) {
    if (i != scattered_at) (i < scattered_at ? before : after).push(chain.elements[i]);
  }
  std::vector<Vec3> points = trace_chain(tiling, before, source, scatterer);
  const std::vector<Vec3> rest = trace_chain(tiling, after, VirtualSource{scatterer}, target);
  points.insert(points.end(), rest.begin() + 1, rest.end());
  return points;
}

}  // namespace tesseray
