// SPDX-License-Identifier: GPL-3.0-or-later
// What an edge of a roof takes from a ray over it, beyond what a screen does, for host and device (docs/physics.md §6).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/diffraction.h"
#include "core/physics/knife_edge.h"

namespace tesseray::rooftop_detail {

// Along a roof: between its edges, and from one to an end that stands over it. Up to the first it absorbs, from the
// second on it reflects.
inline constexpr double grazing_rad = 2.5 * pi / 180.0, reflecting_rad = 7.5 * pi / 180.0;
// ν of a roof's other edge with which that leaves all of the roof lit; at −0.78 it leaves the chain.
inline constexpr double lit_nu = -1.1;
// An end nearer to its own roof than this lies on it: of roof tiles the wave that falls on them is wanted, not what it
// and its reflection leave there.
inline constexpr double on_own_roof_m = 0.002;
// An end up to the first distance from a wall hangs at it, as profiles keep ends, and has the wave that falls on it.
// From the second on it has what that and its reflection leave, which close to a flat wall is next to nothing: neither
// are walls that flat nor are maps that exact.
inline constexpr double on_wall_m = 0.0101, before_wall_m = 0.3;
// Up to the first bend an edge is a screen, from the second on a wedge.
inline constexpr double gentle_rad = 10.0 * pi / 180.0, steep_rad = 20.0 * pi / 180.0;
// The same of crests of the terrain, at once: they stand in a chain with the ground between them, which is held against
// parabolic equations so.
inline constexpr double steep_crest_rad = 15.0 * pi / 180.0;

// An edge along which a plane runs at less than this sine is one across it at this: a wall hardly turned away from it.
inline constexpr double least_sine = 0.01;

// One edge of a path between its neighbours, in the vertical plane: x along it, y up; m.
struct Bend {
  Vec2 before, edge, after;
  double sine = 1;                // of the angle in the plan between the plane and the edge
  bool is_over_own_roof = false;  // an end of the ray stands over the roof: the neighbour on its side
  double lit_share = 1;           // of the roof, from the neighbour on its side on; its other edge may hide it
  bool is_crest = false;          // of the terrain

  // As seen along the edge: x at right angles to it.
  TESSERAY_HD Bend along_edge() const {
    const auto seen = [this](Vec2 point) { return Vec2{sine * point.x, point.y}; };
    Bend bend = *this;
    bend.before = seen(before);
    bend.edge = seen(edge);
    bend.after = seen(after);
    return bend;
  }
  // Of the angle in the plan.
  TESSERAY_HD double cosine() const { return std::sqrt(1 - sine * sine); }
  // How far the neighbours lie from each other along the edge, m.
  TESSERAY_HD double shift() const { return cosine() * (after.x - before.x); }
  // How far (m) along it, onwards, the Keller point lies from where the plane meets it.
  TESSERAY_HD double keller_shift() const {
    const Bend along = along_edge();
    const double rho_before = norm(along.incoming()), rho_after = norm(along.outgoing());
    return cosine() * (outgoing().x * rho_before - incoming().x * rho_after) / (rho_before + rho_after);
  }

  TESSERAY_HD Vec2 incoming() const { return edge - before; }
  TESSERAY_HD Vec2 outgoing() const { return after - edge; }
  // Whether the ray falls over the edge: it is the rear one of its building then, seen from before.
  TESSERAY_HD bool is_rear() const {
    const Vec2 in = incoming(), out = outgoing();
    return std::fabs(out.y) * in.x > std::fabs(in.y) * out.x;
  }
  // By which the ray turns downward, rad.
  TESSERAY_HD double angle() const { return std::atan2(cross(outgoing(), incoming()), dot(outgoing(), incoming())); }
  // Of one seen along its edge: how far it is a wedge and no screen, 0 … 1.
  TESSERAY_HD double wedge_share() const {
    if (is_over_own_roof) return angle() < 0 ? 0 : 1;
    if (is_crest) return angle() < steep_crest_rad ? 0 : 1;
    return share_between(angle(), gentle_rad, steep_rad);
  }
  // From the edge on.
  TESSERAY_HD Vec2 over_roof() const { return is_rear() ? -1.0 * incoming() : outgoing(); }
  // The angle at which the ray runs over the roof: below 0 where that falls with the ray, rad.
  TESSERAY_HD double rise() const { return std::atan2(over_roof().y, std::fabs(over_roof().x)); }
  // How far the roof reflects and does not absorb, 0 … 1.
  TESSERAY_HD double reflecting_share() const {
    if (is_over_own_roof) return over_roof().y < on_own_roof_m ? 0 : 1;
    return lit_share * share_between(rise(), grazing_rad, reflecting_rad);
  }
  // The same of the wall. Of one seen along its edge.
  TESSERAY_HD double wall_reflecting_share() const {
    const double from_wall_m = std::fabs(is_rear() ? outgoing().x : incoming().x);
    return is_crest ? 1 : share_between(from_wall_m, on_wall_m, before_wall_m);
  }
};

// Complex relative permittivities of what meets at an edge: of a crest of the terrain both are the ground's.
struct EdgeFaces {
  Complex roof, wall;
};

// The roof edge as a wedge in the frame x along the plane, z up (y across it). The face seen at the flatter angle is
// the roof: an edge over which the ray falls is the rear one of its building, one to which it climbs the front one. The
// roof is level, or falls with a leg that falls from the edge: of a thin wall or a crest there is no more between. At
// grazing it absorbs: between the two edges of a roof the wave and its reflection would cancel (docs/physics.md §5.5).
// A crest that absorbs is a screen: its flank is not flat as a wall is, and parabolic equations have what a screen lets
// round. `bend`: as seen along the edge.
TESSERAY_HD inline Wedge roof_edge(const Bend& bend, const EdgeFaces& faces, bool roof_reflects, bool wall_reflects) {
  const bool rear = bend.is_rear();
  const double fall = bend.rise() < 0 ? -bend.rise() : 0;
  Wedge wedge;
  wedge.exterior_angle = 1.5 * pi + fall;
  // The 0-face is the roof; n̂₀ = ê × t̂₀ points up. The other face is upright. Air reflects nothing.
  wedge.eps_0 = roof_reflects ? faces.roof : Complex{1, 0};
  wedge.eps_n = wall_reflects ? faces.wall : Complex{1, 0};
  wedge.round_as_screen = (bend.is_crest && !roof_reflects) || is_screen(faces.roof, faces.wall);
  const double along = rear ? -std::cos(fall) : std::cos(fall);
  wedge.tangent_0 = {along, 0, -std::sin(fall)};
  wedge.normal_0 = {(rear ? -1 : 1) * std::sin(fall), 0, std::cos(fall)};
  wedge.direction = cross(wedge.tangent_0, wedge.normal_0);
  return wedge;
}

// Ratios of amplitudes.
struct PolarizationFactors {
  double horizontal = 1, vertical = 1;
};

// One gives way to the other, in dB.
TESSERAY_HD inline double between(double a, double b, double share) {
  return std::pow(a, 1.0 - share) * std::pow(b, share);
}

TESSERAY_HD inline PolarizationFactors between(const PolarizationFactors& a, const PolarizationFactors& b,
                                               double share) {
  return {between(a.horizontal, b.horizontal, share), between(a.vertical, b.vertical, share)};
}

// The same with their phases.
struct PolarizationFields {
  Complex horizontal, vertical;
};

// What a wedge lets through (docs/physics.md §5.2) between the edge's neighbours over free space, of a polarisation in
// the same: by way of the Keller point, without the phase of the way. `bend`: as seen along the edge; `shift_m`:
// Bend::shift. REQUIRES: both lie in the air.
TESSERAY_HD inline PolarizationFields wedge_fields(const Bend& bend, double shift_m, const Wedge& wedge,
                                                   double wavelength_m) {
  const double rho_before = norm(bend.incoming()), rho_after = norm(bend.outgoing());
  const double shift_before = shift_m * rho_before / (rho_before + rho_after);
  const Vec3 incoming{bend.incoming().x, shift_before, bend.incoming().y},
      outgoing{bend.outgoing().x, shift_m - shift_before, bend.outgoing().y};
  const double before = norm(incoming), after = norm(outgoing);
  const Vec3 k_i = (1.0 / before) * incoming, k_d = (1.0 / after) * outgoing;
  const WedgeIncidence incidence = wedge_incidence(wedge, k_i);
  const double wave_number = 2.0 * pi / wavelength_m,
               distance = distance_parameter_m(before, after, rho_before / before);
  const DistanceParameters distances{distance, distance, distance};
  const Vec3 up{0, 0, 1}, across_i = normalized(cross(k_i, up)), across_d = normalized(cross(k_d, up));
  const auto diffracted = [&](Vec3 sent, Vec3 taken) {
    const ComplexVec3 field{{sent.x, 0}, {sent.y, 0}, {sent.z, 0}};
    return dot(diffracted_field(incidence, field, k_i, k_d, distances, wave_number), taken);
  };
  const double straight = norm(incoming + outgoing);
  const double spreading = std::sqrt((before + after) / (before * after)) * straight / (before + after);
  return {spreading * diffracted(across_i, across_d),
          spreading * diffracted(cross(across_i, k_i), cross(across_d, k_d))};
}

TESSERAY_HD inline PolarizationFactors wedge_factors(const Bend& bend, double shift_m, const Wedge& wedge,
                                                     double wavelength_m) {
  const PolarizationFields fields = wedge_fields(bend, shift_m, wedge, wavelength_m);
  return {norm(fields.horizontal), norm(fields.vertical)};
}

// The one where a face absorbs, the other where it reflects by this share. `factors`: by whether it reflects.
template <class Factors>
TESSERAY_HD PolarizationFactors by_reflecting_share(double share, const Factors& factors) {
  if (share == 0 || share == 1) return factors(share == 1);
  return between(factors(false), factors(true), share);
}

// The same of the roof edge itself, whose roof and wall reflect by their shares.
TESSERAY_HD inline PolarizationFactors roof_edge_factors(const Bend& bend, const EdgeFaces& faces,
                                                         double wavelength_m) {
  const Bend along = bend.along_edge();
  const double shift_m = bend.shift();
  return by_reflecting_share(bend.reflecting_share(), [&](bool roof_reflects) {
    return by_reflecting_share(along.wall_reflecting_share(), [&](bool wall_reflects) {
      return wedge_factors(along, shift_m, roof_edge(along, faces, roof_reflects, wall_reflects), wavelength_m);
    });
  });
}

// What the edge lets through over what its screen in the chain does, which knows heights and distances over the ground
// plan alone: a screen across the straight line between its neighbours where it hardly bends the ray, a wedge where it
// bends it far.
TESSERAY_HD inline PolarizationFactors edge_over_screen(const Bend& bend, const EdgeFaces& faces, double wavelength_m) {
  const Vec2 ends = bend.after - bend.before, in = bend.incoming(), out = bend.outgoing();
  const double clearance = in.y - ends.y * in.x / ends.x;
  const double screen = norm(knife_edge_factor(fresnel_parameter(clearance, in.x, out.x, wavelength_m)));
  const double share = bend.along_edge().wedge_share();
  double across = 1;
  if (share < 1 && !bend.is_crest) {
    // To where the line is nearest to the edge: the part of it along the edge takes neither there.
    const Vec2 along = (1.0 / norm(ends)) * ends;
    const double with_edge = 1 - bend.sine * bend.sine, to_line = std::sqrt(1 - with_edge * along.x * along.x);
    const auto along_line = [&](Vec2 leg) {
      return (dot(along, leg) - with_edge * along.x * leg.x) / (to_line * to_line);
    };
    const double before = along_line(in), after = along_line(out);
    if (before > 0 && after > 0) {
      const double clear = bend.sine * cross(along, in) / to_line;
      across = norm(knife_edge_factor(fresnel_parameter(clear, before, after, wavelength_m))) / screen;
    }
  }
  if (share == 0) return {across, across};
  const PolarizationFactors wedge = roof_edge_factors(bend, faces, wavelength_m);
  return between({across, across}, {wedge.horizontal / screen, wedge.vertical / screen}, share);
}

}  // namespace tesseray::rooftop_detail
