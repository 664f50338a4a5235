// SPDX-License-Identifier: GPL-3.0-or-later
// Diffusely scattered power by way of one edge segment, for one source and one observer: a turn of the CPU's loops in
// vectors (diffuse_diffraction.h), a thread on a GPU.
//
// An edge segment is short: its faces' reflection and the polarisation are taken at the directions from its midpoint,
// so that they are constants of a source or of an observer. What changes with each pair is the Keller point, by which
// the pair's distance, spreading and shadow-boundary terms go, and where the observer looks.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/physics/angle_functions.h"
#include "core/physics/diffraction.h"
#include "core/physics/diffraction_power.h"
#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/tubes/absorbing_faces.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Where a point is about an edge's line.
struct PlaceAboutEdge {
  double z = 0, rho = 0;        // along the edge from its midpoint, and from its line, m
  double cosine = 1, sine = 0;  // of the angle from the 0-face
};

// Observers nearer than this to an edge's line are on it: nothing is diffracted to them, m.
inline constexpr double least_observer_distance_m = 1e-3;

[[gnu::always_inline]] TESSERAY_HD inline PlaceAboutEdge place_about(const EdgeSegment& edge, double point_x,
                                                                     double point_y, double point_z) {
  constexpr double least_m = least_observer_distance_m;
  const double x = point_x - edge.midpoint.x, y = point_y - edge.midpoint.y, h = point_z - edge.midpoint.z;
  const double along_tangent = x * edge.tangent_0.x + y * edge.tangent_0.y + h * edge.tangent_0.z;
  const double along_normal = x * edge.normal_0.x + y * edge.normal_0.y + h * edge.normal_0.z;
  const double distance = std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
  const double divisor = distance > least_m ? distance : least_m;
  return {x * edge.direction.x + y * edge.direction.y + h * edge.direction.z, distance, along_tangent / divisor,
          along_normal / divisor};
}

// What the angles of an edge's faces and their materials are to its observers.
struct ObservedFaces {
  double exterior_angle = 0, inverse_two_n = 0;
  double cos_half_exterior = 0, sin_half_exterior = 0;
  Complex eps_0, eps_n;
  double half_length_m = 0;
  double tangent_rise = 0, normal_rise = 0;  // of EdgeSegment's tangent_0 and normal_0

  TESSERAY_HD ObservedFaces(const Wedge& wedge, const EdgeSegment& edge)
      : exterior_angle(wedge.exterior_angle),
        inverse_two_n(0.5 * pi / wedge.exterior_angle),
        cos_half_exterior(std::cos(0.5 * wedge.exterior_angle)),
        sin_half_exterior(std::sin(0.5 * wedge.exterior_angle)),
        eps_0(wedge.eps_0),
        eps_n(wedge.eps_n),
        half_length_m(0.5 * edge.length_m),
        tangent_rise(edge.tangent_0.z),
        normal_rise(edge.normal_0.z) {}
};

// Reflection at a face, for a grazing angle with this sine. Without branches; a perfect
// conductor comes out of its permittivity, but for its grazing angles.
[[gnu::always_inline]] TESSERAY_HD inline FaceReflection<float> reflection_at_face(double eps_re, double eps_im,
                                                                                   double sine) {
  const double c = sine < 0 ? 0 : (sine > 1 ? 1 : sine);
  // The decaying root of ε − 1 + c².
  const double a = (eps_re - 1) + c * c, b = eps_im;
  const double magnitude = a < 0 ? -a : a;
  const double larger = std::sqrt(0.5 * (std::sqrt(a * a + b * b) + magnitude));
  const double smaller = (b < 0 ? -b : b) / (larger > 0 ? 2 * larger : 1.0);
  const double s_re = a >= 0 ? larger : smaller, s_im = -(a >= 0 ? smaller : larger);
  const double te_sum_re = c + s_re, te_sum = te_sum_re * te_sum_re + s_im * s_im;
  const double te_scale = 1 / (te_sum > 0 ? te_sum : 1.0);
  const double e_re = eps_re * c, e_im = eps_im * c;
  const double sum_re = e_re + s_re, sum_im = e_im + s_im, part_re = e_re - s_re, part_im = e_im - s_im;
  const double tm_sum = sum_re * sum_re + sum_im * sum_im;
  const double tm_scale = 1 / (tm_sum > 0 ? tm_sum : 1.0);
  return {static_cast<float>(((c - s_re) * te_sum_re - s_im * s_im) * te_scale),
          static_cast<float>((-s_im * te_sum_re - (c - s_re) * s_im) * te_scale),
          static_cast<float>((part_re * sum_re + part_im * sum_im) * tm_scale),
          static_cast<float>((part_im * sum_re - part_re * sum_im) * tm_scale)};
}

// An observer as sources on the side of one face have it: angles count from that face.
struct ObserverFrame {
  WedgeAngle<float> angle;
  FacesSeen<float> faces;
};

struct EdgeObserver {
  float z = 0, rho = 0;           // see PlaceAboutEdge
  float rise = 0;                 // sine of the elevation of the way to it from the nearest point of the edge's line
  float in_air = 0;               // 0 inside the solid, 1 otherwise
  float first_u = 0, last_u = 0;  // as of PointIntervals
  ObserverFrame from_0, from_n;
};

[[gnu::always_inline]] TESSERAY_HD inline EdgeObserver observer_at(const PlaceAboutEdge& place,
                                                                   const ObservedFaces& faces) {
  constexpr double least_m = least_observer_distance_m;
  const double c = place.cosine, s = place.sine;
  const double distance = place.rho > least_m ? place.rho : least_m;
  // Points on the 0-face to within rounding are on it, not a full turn away.
  const bool on_face = (s < 0) & (s > -1e-9) & (c > 0);
  const double turn = angle_of(c, on_face ? 0.0 : s, 1.0);
  const bool air = turn <= faces.exterior_angle + 1e-9;
  const double angle = turn < faces.exterior_angle ? turn : faces.exterior_angle;
  const CosSin scaled = cos_sin_quarter(angle * faces.inverse_two_n);
  // Of half the angle, 0 … π: without cancellation on either side.
  const double upper = std::sqrt(0.5 * (1 + (c < 0 ? -c : c)));
  const double lower = 0.5 * (s < 0 ? -s : s) / upper;
  const double sign = ((s < 0) & !on_face) ? -1.0 : 1.0;
  const double cos_half = c > 0 ? sign * upper : sign * lower;
  const double sin_half = c > 0 ? lower : upper;
  // The angle from the n-face is nπ less the angle from the 0-face: by halves and by 1/2n no further functions.
  const double cos_half_n = faces.cos_half_exterior * cos_half + faces.sin_half_exterior * sin_half;
  const double sin_half_n = faces.sin_half_exterior * cos_half - faces.cos_half_exterior * sin_half;
  const double sin_beta = distance / std::sqrt(distance * distance + place.z * place.z);
  const double sine_0 = 2 * sin_half * cos_half, sine_n = 2 * sin_half_n * cos_half_n;
  const double cosine_0 = cos_half * cos_half - sin_half * sin_half,
               cosine_n = cos_half_n * cos_half_n - sin_half_n * sin_half_n;
  // A face absorbs for what lies on it, as for rays (absorbing_along).
  const auto reflects_at = [](double sine, double cosine) {
    const double magnitude = sine < 0 ? -sine : sine;
    return (magnitude > along_face) | (cosine < 0) ? 1.0f : 0.0f;
  };
  const float reflects_0 = reflects_at(sine_0, cosine_0), reflects_n = reflects_at(sine_n, cosine_n);
  const auto times = [](float share, const FaceReflection<float>& face) {
    return FaceReflection<float>{share * face.te_re, share * face.te_im, share * face.tm_re, share * face.tm_im};
  };
  EdgeObserver observer;
  const FaceReflection<float> face_0 = reflection_at_face(faces.eps_0.re, faces.eps_0.im,
                                                          sin_beta * (sine_0 < 0 ? -sine_0 : sine_0)),
                              face_n = reflection_at_face(faces.eps_n.re, faces.eps_n.im,
                                                          sin_beta * (sine_n < 0 ? -sine_n : sine_n));
  observer.from_0 = {{static_cast<float>(cos_half), static_cast<float>(sin_half), static_cast<float>(scaled.cos),
                      static_cast<float>(scaled.sin)},
                     {times(reflects_0, face_0), times(reflects_n, face_n)}};
  observer.from_n = {{static_cast<float>(cos_half_n), static_cast<float>(sin_half_n), static_cast<float>(scaled.sin),
                      static_cast<float>(scaled.cos)},
                     {times(reflects_n, face_n), times(reflects_0, face_0)}};
  const bool apart = place.rho >= least_m;
  observer.z = static_cast<float>(place.z);
  observer.rho = static_cast<float>(distance);
  observer.rise = static_cast<float>(c * faces.tangent_rise + s * faces.normal_rise);
  observer.in_air = air ? 1.0f : 0.0f;
  const SegmentEnds ends = segment_ends(place.z, faces.half_length_m, distance);
  observer.first_u = apart ? ends.first : infinity_f;
  observer.last_u = apart ? ends.last : -infinity_f;
  return observer;
}

// A scattering tile as the edge sees it. All but the wedge's angles as floats.
struct DiffuseEdgeSource {
  PowerWedge<float> wedge;
  WedgeAngle<float> angle;
  FacesSeen<float> faces;
  float z = 0, rho = 0;                            // axial coordinate and distance from the edge's line, m
  float soft_share = 0, hard_share = 0;            // of the power, by polarisation against the edge
  float cosine_at_midpoint = 0, cosine_slope = 0;  // normal · (Q − tile), and its change per metre along the edge
  float scale = 0;                                 // area S²/π · reflectance · 1/(8π k n²)
  float two_wave_numbers = 0;                      // 2k
  float edge_rise = 0;                             // sine of the edge's elevation
  bool from_other_face = false;
  bool in_air = false;

  DiffuseEdgeSource() = default;
  // `intensity_per_cosine` is what the tile sends towards the edge per steradian over cosθ_s, `polarization` the unit
  // field that it sends to the midpoint, but for the part `cross_polarization` of the power at right angles to it.
  TESSERAY_HD DiffuseEdgeSource(const Wedge& edge_wedge, const EdgeSegment& edge, const Tile& tile,
                                double intensity_per_cosine, Vec3 polarization, double cross_polarization,
                                double wave_number) {
    const Vec3 from_edge = tile.centroid - edge.midpoint, way = edge.midpoint - tile.centroid;
    const double along_tangent = dot(from_edge, edge.tangent_0), along_normal = dot(from_edge, edge.normal_0);
    const double from_line = std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
    // By the same bits on every device, since which face is the source's depends on it.
    double about = physics_detail::angle_from_face(along_tangent, along_normal, from_line);
    in_air = from_line > 0 && about <= edge_wedge.exterior_angle + 1e-9;
    if (!in_air) return;
    const double n = edge_wedge.exterior_angle / pi;
    from_other_face = about > 0.5 * edge_wedge.exterior_angle;
    if (from_other_face) about = edge_wedge.exterior_angle - about;
    wedge = power_wedge<float>(edge_wedge.exterior_angle);
    angle = wedge_angle<float>(about, n);
    const double distance = norm(way), sin_beta = from_line / distance;
    const auto seen = [&](Complex permittivity, double about_edge) {
      return face_reflection<float>(fresnel(permittivity, sin_beta * std::fabs(std::sin(about_edge))));
    };
    faces = {seen(from_other_face ? edge_wedge.eps_n : edge_wedge.eps_0, about),
             seen(from_other_face ? edge_wedge.eps_0 : edge_wedge.eps_n, edge_wedge.exterior_angle - about)};
    z = static_cast<float>(dot(from_edge, edge.direction));
    rho = static_cast<float>(from_line);
    const double along = dot(polarization, edge.direction) / sin_beta;
    const double alike = std::fmin(along * along, 1.0);
    const double soft = (1 - cross_polarization) * alike + cross_polarization * (1 - alike);
    soft_share = static_cast<float>(soft);
    hard_share = static_cast<float>(1 - soft);
    cosine_at_midpoint = static_cast<float>(dot(tile.normal, way));
    cosine_slope = static_cast<float>(dot(tile.normal, edge.direction));
    scale = static_cast<float>(intensity_per_cosine / (8 * pi * wave_number * n * n));
    two_wave_numbers = static_cast<float>(2 * wave_number);
    edge_rise = static_cast<float>(edge.direction.z);
  }

  // Instead of Lambert's law: as much to all of the edge as to its midpoint, `distance_m` away, but for the few per
  // cent by which its points are nearer or farther.
  TESSERAY_HD void send_alike(double distance_m) {
    cosine_at_midpoint = static_cast<float>(distance_m);
    cosine_slope = 0;
  }
};

// What a scattering tile sends out, and how long its rays have been: DiffusePower in floats, times what is left of it
// at the edge.
struct DiffuseEdgePower {
  float power = 0, basic = 0, length = 0, squared_length = 0, first_length_m = 0;
  std::uint32_t rays = 0;
  float own_power = 0;  // without those that the source stands for, where sources are drawn by chance
};

// What one source brings to one observer.
struct EdgePair {
  float density = 0;   // |field|² per unit of its power
  float length_m = 0;  // of the way from the one to the other
  // Of the Keller point, along the edge from its midpoint, m.
  float keller_z = 0;
  // The last leg is so many times the edge's direction and the unit vector from its line to the observer, at a length
  // of 1 in the plan.
  float along = 0, across = 0;
};

// `rise`: see EdgeObserver. `lit`: 0 for observers that the source does not light or that are inside the solid, 1
// otherwise.
[[gnu::always_inline]] TESSERAY_HD inline EdgePair pair_at_edge(const DiffuseEdgeSource& source, float z, float rho,
                                                                float rise, float lit, const ObserverFrame& observer) {
  // The two legs unfolded into one plane are one straight line.
  const float way_z = z - source.z, across = source.rho + rho;
  const float total = std::sqrt(way_z * way_z + across * across);
  const float share = source.rho / across;
  const float keller_z = source.z + way_z * share;
  const float cos_scattering = (source.cosine_at_midpoint + source.cosine_slope * keller_z) / (total * share);
  const float both = source.rho * rho;
  float soft = 0, hard = 0;
  diffraction_power<float>(source.wedge, source.angle, source.faces, observer.angle, observer.faces,
                           source.two_wave_numbers * (both / total), soft, hard);
  const float sent = cos_scattering > 0 ? lit : 0.0f;
  const float density =
      sent * source.scale * cos_scattering * (source.soft_share * soft + source.hard_share * hard) / (both * total);
  // Edge and line to the observer are at right angles, so that their parts in the plan are so by what they rise.
  const float edge_rise = source.edge_rise;
  const float squared_in_plan = way_z * way_z * (1 - edge_rise * edge_rise) -
                                2.0f * (way_z * across) * (edge_rise * rise) + across * across * (1 - rise * rise);
  // Straight up or down there is none, but for rounding.
  const float least = 1e-10f * (total * total);
  const float per_metre = 1.0f / std::sqrt(squared_in_plan > least ? squared_in_plan : least);
  return {density, total, keller_z, way_z * per_metre, across * per_metre};
}

// What all sources bring to one observer: sums of |field|², over the departure gain, times the excess length and its
// square.
struct DiffuseEdgeSum {
  float power = 0, basic = 0, excess = 0, squared_excess = 0;
  float first_excess_m = infinity_f, strongest = 0;
  std::uint32_t rays = 0;
  float along = 0, across = 0;  // Σ of EdgePair's, by power
  float strongest_z = 0;        // Keller point of the strongest

  // `straight_m`: from the transmitter to the observer.
  [[gnu::always_inline]] TESSERAY_HD void add(const EdgePair& pair, const DiffuseEdgePower& sent, float straight_m) {
    const float density = pair.density, more_m = pair.length_m - straight_m;
    const float ray_power = density * sent.power;
    power += ray_power;
    basic += density * sent.basic;
    excess += density * (sent.length + more_m * sent.power);
    squared_excess += density * (sent.squared_length + more_m * (2.0f * sent.length + more_m * sent.power));
    const float sum_m = sent.first_length_m + more_m;
    const float first_m = density > 0 ? sum_m : infinity_f;
    first_excess_m = first_m < first_excess_m ? first_m : first_excess_m;
    const float own_power = density * sent.own_power;
    strongest_z = own_power > strongest ? pair.keller_z : strongest_z;
    strongest = own_power > strongest ? own_power : strongest;
    rays += density > 0 ? sent.rays : 0u;
    along += ray_power * pair.along;
    across += ray_power * pair.across;
  }
  // So many times what some of the same sources bring.
  TESSERAY_HD void add(float times, const DiffuseEdgeSum& some) {
    power += times * some.power;
    basic += times * some.basic;
    excess += times * some.excess;
    squared_excess += times * some.squared_excess;
    rays += some.rays;
    along += times * some.along;
    across += times * some.across;
    strongest += some.strongest_z == strongest_z ? times * some.strongest : 0.0f;
  }
};

}  // namespace tesseray
