// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/image_oracle.h"

#include <cmath>

#include "core/base/units.h"
#include "core/physics/antenna.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"

namespace tesseray::testing {
namespace {

// Interaction points are lifted off their surface by this for the test of sight.
constexpr double off_surface_m = 1e-3;
// How far from an edge the space about it is probed.
constexpr double probe_m = 0.05;

ComplexVec3 sent(Vec3 k) {
  return Complex{1, 0} * polarization_vector(LinearPolarization::vertical, AntennaFrame{}, k);
}

double received(const ComplexVec3& field, Vec3 k) {
  return squared_norm(dot(field, polarization_vector(LinearPolarization::vertical, AntennaFrame{}, -k)));
}

// Of a place on one of the faces the wave that falls on it is wanted: that face absorbs.
Wedge as_to(Wedge wedge, Vec3 k_d) {
  constexpr Complex air{1, 0};
  const double c = std::cos(wedge.exterior_angle), s = std::sin(wedge.exterior_angle);
  const auto runs_along = [&](Vec3 tangent, Vec3 normal) {
    return dot(k_d, tangent) > 0 && std::fabs(dot(k_d, normal)) < 1e-6;
  };
  if (runs_along(wedge.tangent_0, wedge.normal_0)) wedge.eps_0 = air;
  if (runs_along(c * wedge.tangent_0 + s * wedge.normal_0, s * wedge.tangent_0 - c * wedge.normal_0)) wedge.eps_n = air;
  return wedge;
}

}  // namespace

ImageOracle::ImageOracle(const Scene& scene, const Occlusion& occlusion, double frequency_hz)
    : scene_(scene), occlusion_(occlusion), index_(scene) {
  const double lambda = wavelength_m(frequency_hz);
  wave_number_ = 2 * pi / lambda;
  unit_gain_ = (lambda / (4 * pi)) * (lambda / (4 * pi));
  const Material& material = scene.materials.front();
  permittivity_ = relative_permittivity(
      electric_properties({material.a, material.b, material.c, material.d}, frequency_hz), frequency_hz);
  Face ground;
  ground.normal = upwards;
  faces_.push_back(ground);
  for (const Prism& prism : scene.prisms) add_prism(prism);
}

void ImageOracle::add_prism(const Prism& prism) {
  Face roof;
  roof.origin = {0, 0, prism.top_z};
  roof.normal = upwards;
  roof.roof_of = &prism;
  faces_.push_back(roof);
  for (const Ring& ring : prism.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vec2 p = ring[i], q = ring[(i + 1) % ring.size()], r = ring[(i + 2) % ring.size()];
      const Vec2 side = q - p, next = r - q;
      const double length = norm(side);
      const Vec3 along{side.x / length, side.y / length, 0}, outwards{side.y / length, -side.x / length, 0};
      Face wall;
      wall.origin = {p.x, p.y, 0};
      wall.normal = outwards;
      wall.side = side;
      wall.bottom_z = prism.bottom_z;
      wall.top_z = prism.top_z;
      faces_.push_back(wall);

      // Eaves: seen from outside the roof goes away from the wall's top. normal_0 = direction × tangent_0.
      Edge eaves;
      eaves.origin = {p.x, p.y, prism.top_z};
      eaves.length_m = length;
      eaves.wedge = {along, -upwards, outwards, 1.5 * pi, permittivity_, permittivity_};
      eaves.wedge.direction = cross(eaves.wedge.tangent_0, eaves.wedge.normal_0);
      if (dot(eaves.wedge.direction, along) < 0) eaves.origin = {q.x, q.y, prism.top_z};
      eaves.tangent_n = -outwards;
      eaves.normal_n = upwards;
      edges_.push_back(eaves);

      const double turn = std::atan2(cross(side, next), dot(side, next));
      if (turn < radians(1.0)) continue;
      const double next_length = norm(next);
      Edge corner;
      corner.origin = {q.x, q.y, prism.bottom_z};
      corner.length_m = prism.top_z - prism.bottom_z;
      corner.wedge = {upwards, -along, outwards, pi + turn, permittivity_, permittivity_};
      corner.wedge.direction = cross(corner.wedge.tangent_0, corner.wedge.normal_0);
      if (corner.wedge.direction.z < 0) corner.origin.z = prism.top_z;
      corner.tangent_n = {next.x / next_length, next.y / next_length, 0};
      corner.normal_n = {next.y / next_length, -next.x / next_length, 0};
      edges_.push_back(corner);
    }
  }
}

bool ImageOracle::Face::contains(Vec3 p) const {
  if (roof_of != nullptr) return tesseray::contains(roof_of->rings, p.xy());
  if (normal.z > 0.5) return true;
  const double along = dot(p.xy() - origin.xy(), side) / dot(side, side);
  return along >= 0 && along <= 1 && p.z >= bottom_z && p.z <= top_z;
}

std::vector<ExactPath> ImageOracle::reflections(Vec3 from, Vec3 to, Vec3 seen_at) const {
  std::vector<ExactPath> paths;
  for (const Face& face : faces_) {
    const double height_from = dot(from - face.origin, face.normal), height_to = dot(to - face.origin, face.normal);
    if (height_from < off_surface_m || height_to < off_surface_m) continue;
    const Vec3 image = from - 2 * height_from * face.normal;
    const Vec3 way = to - image;
    const Vec3 point = image + (height_from / (height_from + height_to)) * way;
    if (!face.contains(point)) continue;
    const Vec3 lifted = point + off_surface_m * face.normal;
    if (!occlusion_.is_free(from, lifted) || !occlusion_.is_free(lifted, seen_at)) continue;
    const double length = norm(way);
    const Vec3 k_i = normalized(point - from), k_r = (1 / length) * way;
    const double gain = received(reflected_field(sent(k_i), k_i, face.normal, permittivity_), k_r);
    paths.push_back({point, length, unit_gain_ * gain / (length * length)});
  }
  return paths;
}

bool ImageOracle::is_exposed(const Edge& edge, Vec3 point) const {
  const auto is_air = [&](Vec3 way) { return index_.prism_at(point + probe_m * way) < 0; };
  return is_air(edge.wedge.tangent_0 + edge.wedge.normal_0) && is_air(edge.tangent_n + edge.normal_n) &&
         is_air(normalized(edge.wedge.normal_0 + edge.normal_n));
}

std::vector<ExactPath> ImageOracle::diffractions(Vec3 from, Vec3 to, Vec3 seen_at) const {
  std::vector<ExactPath> paths;
  for (const Edge& edge : edges_) {
    const double z = keller_point(from, to, edge.origin, edge.wedge.direction);
    if (!(z >= 0 && z <= edge.length_m)) continue;
    const Vec3 point = edge.origin + z * edge.wedge.direction;
    if (!is_exposed(edge, point)) continue;
    const Vec3 lifted = point + lift_m * normalized(edge.wedge.normal_0 + edge.normal_n);
    if (!occlusion_.is_free(from, lifted) || !occlusion_.is_free(lifted, seen_at)) continue;
    const double source = norm(point - from), observer = norm(to - point);
    const Vec3 k_i = (1 / source) * (point - from), k_d = (1 / observer) * (to - point);
    const double sin_beta = norm(cross(k_i, edge.wedge.direction));
    const ComplexVec3 field = diffracted_field<TransitionAccuracy::accurate>(
        as_to(edge.wedge, k_d), sent(k_i), k_i, k_d, distance_parameter_m(source, observer, sin_beta), wave_number_);
    const double spreading = edge_spreading(source, observer) / source;
    const double gain = unit_gain_ * spreading * spreading * received(field, k_d);
    if (gain > 0) paths.push_back({point, source + observer, gain});
  }
  return paths;
}

}  // namespace tesseray::testing
