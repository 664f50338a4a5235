// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/exact_field.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/physics/fresnel.h"
#include "core/propagation/rays/surface_materials.h"
#include "core/propagation/tubes/absorbing_faces.h"

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

Wedge ExactField::wedge_at(const ExactPath& path, std::size_t at) const {
  const EdgeSegment& edge = edges_[path.interactions[at].number];
  Wedge wedge{edge.direction,
              edge.tangent_0,
              edge.normal_0,
              edge.wedge_angle,
              link_.surface(surface_material_0(scene_.default_materials, edge)).permittivity,
              link_.surface(surface_material_n(scene_.default_materials, edge)).permittivity};
  const Vec3 here = path.points[at + 1];
  const auto sequence = path.sequence();
  const auto has_edge = [](std::span<const ExactPath::Interaction> part) {
    return std::any_of(part.begin(), part.end(), [](const auto& each) { return each.is_edge; });
  };
  if (has_edge(sequence.first(at))) wedge = absorbing_along(wedge, edge, path.points[at] - here);
  if (has_edge(sequence.subspan(at + 1))) wedge = absorbing_along(wedge, edge, path.points[at + 2] - here);
  return wedge;
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
  wave.field = diffracted_field<TransitionAccuracy::accurate>(wedge_at(path, at), wave.field, wave.direction, onwards,
                                                              distance_m, link_.wave_number());
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
