// SPDX-License-Identifier: GPL-3.0-or-later
// A tube at the edge segment that diffracts it.
#pragma once

#include "core/propagation/tubes/absorbing_faces.h"
#include "core/propagation/tubes/edge_incidence.h"
#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// The wedge of an edge segment for what comes to it from `source` after a chain: after another edge a face that it runs
// along absorbs.
TESSERAY_HD inline Wedge lit_wedge(const Wedge& wedge, const EnvironmentView& environment, std::uint32_t edge_element,
                                   const InteractionChain& chain, Vec3 source) {
  if (chain.length == 0 || !environment.points.is_edge(chain.last())) return wedge;
  const EdgeSegment& edge = environment.edge(edge_element);
  return absorbing_along(wedge, edge, source - edge.midpoint);
}

// A tube at an edge segment that may diffract it.
struct TubeAtEdge {
  const Tube& tube;
  const EdgeSegment& edge;
  Wedge lit;
  EdgeIncidence incidence;
  VirtualSource source;  // of what leaves
  InteractionChain chain;

  TESSERAY_HD TubeAtEdge(const Tube& the_tube, const Wedge& wedge, const EnvironmentView& environment)
      : tube(the_tube),
        edge(environment.edge(the_tube.element)),
        lit(lit_wedge(wedge, environment, the_tube.element, the_tube.chain, the_tube.source.point)),
        incidence(lit, edge, the_tube.source.point),
        source(the_tube.source),
        chain(the_tube.chain) {
    const EdgeRun& run = environment.edge_runs[the_tube.element - environment.points.tile_count];
    source.edge_midpoint = run.midpoint;
    source.edge_direction = edge.direction;
    source.edge_half_length_m = run.half_length_m;
    chain.push(the_tube.element);
  }
};

// One ray over an edge, of a wave from a point.
struct RayOverEdge {
  Vec3 k_i, k_d;
  WedgeIncidence incidence;
  DistanceParameters distances;

  TESSERAY_HD RayOverEdge(const EdgeIncidence& at_edge, Vec3 source, const Leg& leg)
      : k_i((1.0 / leg.rho_m) * (leg.from - source)), k_d(leg.direction), incidence(at_edge.at(leg.rho_m, k_i)) {
    const double distance_m = distance_parameter_m(leg.rho_m, leg.distance_m, incidence.sin_beta);
    distances = {distance_m, distance_m, distance_m};
  }
};

}  // namespace tesseray
