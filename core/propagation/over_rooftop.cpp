// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/over_rooftop.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"

namespace tesseray {
namespace {

constexpr double least_horizontal_distance_m = 1.0;
constexpr double grazing_rad = 5.0 * pi / 180.0;
constexpr double steep_rad = 15.0 * pi / 180.0;

// One edge of a path between its neighbours, in the vertical plane: x along it, y up.
struct Bend {
  Vec2 before, edge, after;

  Vec2 incoming() const { return edge - before; }
  Vec2 outgoing() const { return after - edge; }
  // Downward, rad.
  double angle() const { return std::atan2(cross(outgoing(), incoming()), dot(outgoing(), incoming())); }
};

// The roof edge as a wedge in the frame x along the plane, z up (y across it). The face seen at the flatter angle is
// the roof: an edge over which the ray falls is the rear one of its building, one to which it climbs the front one.
Wedge roof_edge(const Bend& bend, Complex permittivity) {
  const Vec2 in = bend.incoming(), out = bend.outgoing();
  const bool rear = std::fabs(out.y) * in.x > std::fabs(in.y) * out.x;
  Wedge wedge;
  wedge.exterior_angle = 1.5 * pi;
  // The 0-face is the roof; n̂₀ = ê × t̂₀ points up.
  wedge.eps_0 = wedge.eps_n = permittivity;
  // At grazing it absorbs: between the two edges of a roof the wave and its reflection would cancel (docs/physics.md
  // §5.5). Air reflects nothing.
  const double rise = rear ? std::atan2(-in.y, in.x) : std::atan2(out.y, out.x);
  if (rise < grazing_rad) wedge.eps_0 = {1, 0};
  wedge.tangent_0 = rear ? Vec3{-1, 0, 0} : Vec3{1, 0, 0};
  wedge.normal_0 = {0, 0, 1};
  wedge.direction = cross(wedge.tangent_0, wedge.normal_0);
  return wedge;
}

struct PolarizationFactors {
  double horizontal = 1, vertical = 1;
};

// What a wedge lets through over what the screen of the same edge lets through, in amplitude.
PolarizationFactors wedge_over_screen(const Bend& bend, const Wedge& wedge, double wavelength_m) {
  const double before = norm(bend.incoming()), after = norm(bend.outgoing());
  const Vec2 in = (1.0 / before) * bend.incoming(), out = (1.0 / after) * bend.outgoing();
  const Vec3 k_i{in.x, 0, in.y}, k_d{out.x, 0, out.y};
  const WedgeIncidence incidence = wedge_incidence(wedge, k_i);
  if (!incidence.in_air) return {};
  const double wave_number = 2.0 * pi / wavelength_m, distance = distance_parameter_m(before, after, 1.0);
  const DistanceParameters distances{distance, distance, distance};
  const auto amplitude = [&](Vec3 polarization) {
    const ComplexVec3 field{{polarization.x, 0}, {polarization.y, 0}, {polarization.z, 0}};
    return std::sqrt(squared_norm(diffracted_field(incidence, field, k_i, k_d, distances, wave_number)));
  };
  const double straight = norm(bend.after - bend.before);
  const double spreading = std::sqrt((before + after) / (before * after)) * straight / (before + after);
  const Vec2 ends = bend.after - bend.before;
  const double clearance = bend.edge.y - (bend.before.y + ends.y * bend.incoming().x / ends.x);
  const double nu = fresnel_parameter(clearance, bend.incoming().x, bend.outgoing().x, wavelength_m);
  const double screen = norm(knife_edge_factor(nu));
  return {amplitude({0, 1, 0}) * spreading / screen, amplitude({-k_i.z, 0, k_i.x}) * spreading / screen};
}

// The mean (geometric) of both directions: UTD is not quite reciprocal where both ends are nearer the same face.
PolarizationFactors reciprocal_wedge_over_screen(const Bend& bend, Complex permittivity, double wavelength_m) {
  const Wedge wedge = roof_edge(bend, permittivity);
  const PolarizationFactors forth = wedge_over_screen(bend, wedge, wavelength_m);
  // The same edge seen from behind: mirrored, so that x still runs along the ray.
  const auto mirrored_point = [](Vec2 point) { return Vec2{-point.x, point.y}; };
  const Bend reversed{mirrored_point(bend.after), mirrored_point(bend.edge), mirrored_point(bend.before)};
  Wedge turned = wedge;
  turned.tangent_0.x = -wedge.tangent_0.x;
  turned.direction = cross(turned.tangent_0, turned.normal_0);
  const PolarizationFactors back = wedge_over_screen(reversed, turned, wavelength_m);
  return {std::sqrt(forth.horizontal * back.horizontal), std::sqrt(forth.vertical * back.vertical)};
}

// What the edge with the largest ν over the whole path costs alone; all others hardly give anything back.
double least_loss_db(std::span<const Vec2> profile, double wavelength_m) {
  constexpr double ripple_db = 1.5;
  double nu = negligible_fresnel_parameter;
  const Vec2 from = profile.front(), to = profile.back();
  for (const Vec2 edge : profile.subspan(1, profile.size() - 2)) {
    const double clearance = edge.y - (from.y + (to.y - from.y) * edge.x / to.x);
    nu = std::max(nu, fresnel_parameter(clearance, edge.x, to.x - edge.x, wavelength_m));
  }
  return approximate_knife_edge_loss_db(nu) - ripple_db;
}

std::uint16_t material_at(const RooftopProfile& profile, double distance_m) {
  const auto place = std::lower_bound(profile.points.begin(), profile.points.end(), distance_m,
                                      [](Vec2 point, double distance) { return point.x < distance; });
  return profile.materials[static_cast<std::size_t>(place - profile.points.begin())];
}

}  // namespace

bool OverRooftopPaths::find(Vec3 from, Vec3 to, const Link& link, OverRooftop method, double most_loss_db,
                            Workspace& work, RooftopPath& path) const {
  const Vec2 way = to.xy() - from.xy();
  const double distance = norm(way);
  if (distance < least_horizontal_distance_m) return false;
  const double wavelength_m = 2.0 * pi / link.wave_number();
  // No edge farther below the straight line has ν above the least one, wherever it stands.
  const double margin = -negligible_fresnel_parameter * std::sqrt(wavelength_m * distance / 8.0);
  profiles_.trace(from, to, margin, work.profile);
  choose_screens(work.profile.points, wavelength_m, work.chosen);
  const std::vector<Vec2>& chosen = work.chosen;
  if (chosen.size() < 3 || least_loss_db(chosen, wavelength_m) > most_loss_db) return false;

  const Vec2 direction = (1.0 / distance) * way;
  const auto in_space = [&](Vec2 point) {
    return Vec3{from.x + direction.x * point.x, from.y + direction.y * point.x, point.y};
  };
  path.edges.clear();
  path.length_m = 0;
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    path.length_m += norm(chosen[i] - chosen[i - 1]);
    if (i + 1 < chosen.size()) path.edges.push_back(in_space(chosen[i]));
  }
  path.departure = normalized(path.edges.front() - from);
  path.arrival = normalized(to - path.edges.back());

  const Complex screens = method == OverRooftop::deygout
                              ? Complex{std::pow(10.0, -deygout_loss_db(work.profile.points, wavelength_m) / 20.0), 0}
                              : multiple_screen_factor(chosen, wavelength_m);
  path.horizontal = path.vertical = screens;
  for (std::size_t i = 1; i + 1 < chosen.size(); ++i) {
    const Bend bend{chosen[i - 1], chosen[i], chosen[i + 1]};
    if (bend.angle() < steep_rad) continue;
    const Complex permittivity = link.surface(material_at(work.profile, chosen[i].x)).permittivity;
    const PolarizationFactors factors = reciprocal_wedge_over_screen(bend, permittivity, wavelength_m);
    path.horizontal = factors.horizontal * path.horizontal;
    path.vertical = factors.vertical * path.vertical;
  }
  return true;
}

}  // namespace tesseray
