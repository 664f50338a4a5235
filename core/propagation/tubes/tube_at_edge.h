// SPDX-License-Identifier: GPL-3.0-or-later
// A tube at the edge segment that diffracts it.
#pragma once

#include "core/propagation/tubes/absorbing_faces.h"
#include "core/propagation/tubes/edge_incidence.h"
#include "core/propagation/tubes/face_between_edges.h"
#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// The face that two edge segments have in common, seen from the first one along the ray to the other one: that may run
// elsewhere than between their middles. `towards`: unit.
TESSERAY_HD inline CommonFace common_face(const LaunchView& launch, const EdgeSegment& here, const EdgeSegment& there,
                                          Vec3 towards, double distance_m) {
  if (!(distance_m > 0)) return {};
  const Wedge wedge = launch.wedge_of(here), other = launch.wedge_of(there);
  return common_face({here, wedge, towards}, {there, other, -towards}, distance_m, launch.link.wave_number);
}

// How far a line from a place, in a unit direction, is from it where it comes nearest to another edge's line.
TESSERAY_HD inline double distance_to_line_m(Vec3 from, Vec3 towards, const EdgeSegment& edge) {
  const Vec3 way = edge.midpoint - from;
  const double cosine = dot(towards, edge.direction), sine_squared = 1 - cosine * cosine;
  constexpr double parallel = 1e-12;
  if (!(sine_squared > parallel)) return norm(way);
  return (dot(way, towards) - cosine * dot(way, edge.direction)) / sine_squared;
}

// An edge segment for what comes to it from `source` after a chain: after another edge by way of a face of both, or
// along one that absorbs.
struct LitEdge {
  Wedge wedge;
  Vec3 source;
  CommonFace face;

  TESSERAY_HD LitEdge(const LaunchView& launch, const Wedge& the_wedge, std::uint32_t edge_element,
                      const InteractionChain& chain, Vec3 the_source)
      : wedge(the_wedge), source(the_source) {
    const EnvironmentView& environment = launch.environment;
    if (chain.length == 0 || !environment.points.is_edge(chain.last())) return;
    const EdgeSegment& edge = environment.edge(edge_element);
    const EdgeSegment& before = environment.edge(chain.last());
    const Vec3 towards = normalized(source - edge.midpoint);
    face = common_face(launch, edge, before, towards, distance_to_line_m(edge.midpoint, towards, before));
    if (!face.is_one) {
      wedge = absorbing_along(wedge, edge, source - edge.midpoint);
    } else {
      source = source - dot(source - edge.midpoint, face.normal) * face.normal;
    }
  }
};

// A tube at an edge segment that may diffract it.
struct TubeAtEdge {
  const Tube& tube;
  const EdgeSegment& edge;
  LitEdge lit;
  EdgeIncidence incidence;
  VirtualSource source;  // of what leaves
  InteractionChain chain;

  TESSERAY_HD TubeAtEdge(const Tube& the_tube, const Wedge& wedge, const LaunchView& launch)
      : tube(the_tube),
        edge(launch.environment.edge(the_tube.element)),
        lit(launch, wedge, the_tube.element, the_tube.chain, the_tube.source.point),
        incidence(lit.wedge, edge, lit.source),
        source(the_tube.source),
        chain(the_tube.chain) {
    const EnvironmentView& environment = launch.environment;
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
  AlongFace from, to;  // other edges

  TESSERAY_HD RayOverEdge(const EdgeIncidence& at_edge, const LitEdge& lit, Vec3 source, const Leg& leg,
                          double wave_number)
      : k_i((1.0 / leg.rho_m) * (leg.from - source)), k_d(leg.direction), incidence(at_edge.at(leg.rho_m, k_i)) {
    const double distance_m = distance_parameter_m(leg.rho_m, leg.distance_m, incidence.sin_beta);
    distances = {distance_m, distance_m, distance_m};
    if (lit.face.is_one) from = arriving_along(lit.face, incidence.sin_beta, wave_number);
  }

  TESSERAY_HD ComplexVec3 diffracted(const ComplexVec3& field, double wave_number) const {
    if (!from.is_along && !to.is_along) return diffracted_field(incidence, field, k_i, k_d, distances, wave_number);
    return diffracted_along_faces(incidence, from, to, field, k_i, k_d, distances.incident_m, wave_number);
  }
  // What has come to the edge, of which it makes that.
  TESSERAY_HD ComplexVec3 incident(const ComplexVec3& field, double wave_number) const {
    if (!from.is_along && !to.is_along) return incident_field(incidence, field, k_i, k_d, distances, wave_number);
    return incident_along_faces(incidence, from, to, field, k_i, k_d, distances.incident_m, wave_number);
  }
};

}  // namespace tesseray
