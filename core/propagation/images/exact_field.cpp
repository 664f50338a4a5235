// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/exact_field.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/physics/common_face.h"
#include "core/physics/fresnel.h"
#include "core/propagation/rays/surface_materials.h"
#include "core/propagation/tubes/absorbing_faces.h"
#include "core/propagation/tubes/face_between_edges.h"

namespace tesseray {
namespace {

// The way from an edge to the next one, or to the path's end, m.
double way_to_next_edge_m(const ExactPath& path, std::size_t at) {
  double sum = 0;
  for (std::size_t i = at + 1; i < path.length + 1; ++i) {
    sum += norm(path.points[i + 1] - path.points[i]);
    if (i < path.length && path.interactions[i].is_edge) break;
  }
  return sum;
}

// The radius of a wavefront along an edge, of one with two radii of which the first is in the plane of `axis`.
double radius_along(Vec3 edge, Vec3 axis, Vec3 direction, double first_radius_m, double second_radius_m) {
  const Vec3 a = axis - dot(axis, direction) * direction, b = edge - dot(edge, direction) * direction;
  const double norms = squared_norm(a) * squared_norm(b), product = dot(a, b);
  const double cosine_squared = norms > 0 ? std::fmin(product * product / norms, 1.0) : 1.0;
  return 1.0 / (cosine_squared / first_radius_m + (1.0 - cosine_squared) / second_radius_m);
}

}  // namespace

// A wave on its way.
struct ExactField::Wave {
  ComplexVec3 field;     // without spreading and phase
  Vec3 direction;        // unit, of travel
  double since_m = 0;    // way since the transmitter or the last edge
  double amplitude = 0;  // at the last edge; 0: none yet
  double radius_m = 0;   // of the wavefront along the last edge, there
  Vec3 edge_direction;   // of the last edge, mirrored as the rays are
};

ExactField::ExactField(const Scene& scene, const Reflectors& reflectors, const RealEdges& edges, const Link& link,
                       const VegetationLoss& vegetation)
    : scene_(scene), reflectors_(reflectors), edges_(edges), link_(link), vegetation_(vegetation) {}

// An edge of a path, and the faces that it has in common with the path's other edges.
struct ExactField::EdgeOnPath {
  Wedge wedge;
  CommonFace before, after;
};

Wedge ExactField::wedge_of(const EdgeSegment& edge) const {
  return wedge_of_faces(edge, link_.surface(surface_material_0(scene_.default_materials, edge)).permittivity,
                        link_.surface(surface_material_n(scene_.default_materials, edge)).permittivity);
}

ExactField::EdgeOnPath ExactField::edge_at(const ExactPath& path, std::size_t at, const Wave& wave,
                                           double next_m) const {
  const EdgeSegment& edge = edges_[path.interactions[at].number];
  const Wedge wedge = wedge_of(edge);
  EdgeOnPath found{wedge, {}, {}};
  // The ways leave this edge and the other one by these neighbours of their points.
  const auto meet = [&](std::size_t other, std::size_t next, std::size_t others_next, double distance_m) {
    const Vec3 here = path.points[at + 1], there = path.points[other + 1];
    const EdgeSegment& other_edge = edges_[path.interactions[other].number];
    const Wedge other_wedge = wedge_of(other_edge);
    const CommonFace face = common_face({edge, wedge, normalized(path.points[next] - here)},
                                        {other_edge, other_wedge, normalized(path.points[others_next] - there)},
                                        distance_m, link_.wave_number());
    if (!face.is_one) found.wedge = absorbing_along(found.wedge, edge, path.points[next] - here);
    return face;
  };
  const auto sequence = path.sequence();
  const auto is_edge = [](const auto& each) { return each.is_edge; };
  const auto earlier = sequence.first(at), later = sequence.subspan(at + 1);
  const auto last = std::find_if(earlier.rbegin(), earlier.rend(), is_edge);
  if (last != earlier.rend()) {
    const auto other = static_cast<std::size_t>(std::distance(last, earlier.rend())) - 1;
    found.before = meet(other, at, other + 2, wave.since_m);
  }
  const auto next = std::find_if(later.begin(), later.end(), is_edge);
  if (next != later.end()) {
    const auto other = at + 1 + static_cast<std::size_t>(std::distance(later.begin(), next));
    found.after = meet(other, at + 2, other, next_m);
  }
  return found;
}

void ExactField::reflect(const Reflector& reflector, Wave& wave) const {
  // Whole: nothing is scattered here.
  const Complex permittivity = link_.surface(reflector.material).permittivity;
  wave.field = reflected_field(wave.field, wave.direction, reflector.normal, permittivity);
  wave.edge_direction = mirrored(wave.edge_direction, reflector.normal);
}

void ExactField::diffract(const ExactPath& path, std::size_t at, Wave& wave) const {
  const EdgeSegment& edge = edges_[path.interactions[at].number];
  const double next_m = way_to_next_edge_m(path, at);
  double first_radius_m = wave.since_m, radius_m = wave.since_m;
  if (wave.amplitude > 0) {
    first_radius_m = wave.radius_m + wave.since_m;
    radius_m = radius_along(edge.direction, wave.edge_direction, wave.direction, first_radius_m, wave.since_m);
    wave.amplitude *= edge_spreading(wave.radius_m, wave.since_m);
  } else {
    wave.amplitude = 1.0 / wave.since_m;
  }
  const double sin_beta = norm(cross(wave.direction, edge.direction));
  // L for a wavefront with two radii (docs/physics.md §5.2, the general form).
  const double distance_m = next_m * (radius_m + next_m) * first_radius_m * wave.since_m * sin_beta * sin_beta /
                            (radius_m * (first_radius_m + next_m) * (wave.since_m + next_m));
  const Vec3 onwards = normalized(path.points[at + 2] - path.points[at + 1]);
  constexpr TransitionAccuracy accurate = TransitionAccuracy::accurate;
  const double wave_number = link_.wave_number();
  const auto [wedge, before, after] = edge_at(path, at, wave, next_m);
  if (before.is_one || after.is_one) {
    const Vec3 way = before.is_one ? normalized(wave.direction - dot(wave.direction, before.normal) * before.normal)
                                   : wave.direction;
    const AlongFace from = before.is_one ? arriving_along(before, sin_beta, wave_number) : AlongFace{};
    const AlongFace to = after.is_one ? leaving_along(after, sin_beta, wave_number) : AlongFace{};
    WedgeIncidence incidence = wedge_incidence(wedge, way);
    if (incidence.in_air) turn_incidence(incidence, sin_beta, dot(wave.direction, wedge.direction));
    wave.field = diffracted_along_faces<accurate>(incidence, from, to, wave.field, wave.direction, onwards, distance_m,
                                                  wave_number);
  } else {
    wave.field = diffracted_field<accurate>(wedge, wave.field, wave.direction, onwards, distance_m, wave_number);
  }
  wave.radius_m = radius_m;
  wave.since_m = 0;
  wave.edge_direction = edge.direction;
}

ReceivedPath ExactField::receive(const ExactPath& path) const {
  Wave wave;
  ReceivedPath received;
  double vegetation = 1;
  for (std::size_t i = 0; i <= path.length; ++i) {
    const Vec3 from = path.points[i], to = path.points[i + 1];
    const double leg_m = norm(to - from);
    wave.direction = (1.0 / leg_m) * (to - from);
    wave.since_m += leg_m;
    received.length_m += leg_m;
    vegetation *= vegetation_.amplitude(from, to);
    if (i == 0) {
      const Link::Departure departure = link_.depart(wave.direction);
      wave.field = departure.field;
      received.departure_gain = departure.relative_gain;
    }
    if (i == path.length) break;
    const auto [is_edge, number] = path.interactions[i];
    if (is_edge) {
      diffract(path, i, wave);
    } else {
      reflect(reflectors_[number], wave);
    }
  }
  const double spreading =
      wave.amplitude > 0 ? wave.amplitude * edge_spreading(wave.radius_m, wave.since_m) : 1.0 / wave.since_m;
  received.amplitude = (vegetation * spreading) * link_.receive(wave.field, wave.direction);
  received.receive_gain = link_.receive_gain(wave.direction);
  return received;
}

}  // namespace tesseray
