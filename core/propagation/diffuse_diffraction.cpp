// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/diffuse_diffraction.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace tesseray {
namespace {

constexpr std::size_t widest_vector = 16;  // floats

// Points on the 0-face to within rounding are on it, not a full turn away.
double angle_about_edge(double along_normal, double along_tangent) {
  const double angle = std::atan2(along_normal, along_tangent);
  return angle < -1e-9 ? angle + 2 * pi : std::fmax(angle, 0.0);
}

struct PlanePoint {
  double z, rho, angle;  // along the edge, from its line, about it from the 0-face
  double cosine, sine;   // of the angle
};

// Of half an angle from 0 to 2π, by the angle's own: without cancellation, and without a further call of sin and cos.
void halve(const PlanePoint& at, double& cos_half, double& sin_half) {
  if (at.angle == 0) {
    cos_half = 1;
    sin_half = 0;
  } else if (at.cosine > 0) {
    cos_half = std::copysign(std::sqrt(0.5 * (1 + at.cosine)), at.sine);
    sin_half = 0.5 * at.sine / cos_half;
  } else {
    sin_half = std::sqrt(0.5 * (1 - at.cosine));
    cos_half = 0.5 * at.sine / sin_half;
  }
}

PlanePoint about_edge(const EdgeSegment& edge, Vec3 point) {
  const Vec3 way = point - edge.midpoint;
  const double along_tangent = dot(way, edge.tangent_0), along_normal = dot(way, edge.normal_0);
  const double rho = std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
  return {dot(way, edge.direction), rho, angle_about_edge(along_normal, along_tangent), along_tangent / rho,
          along_normal / rho};
}

// Where an observer's columns begin: those of EdgeObservers and of the source's frame.
struct ObserverColumns {
  const float *z, *rho, *in_air, *cos_half, *sin_half, *cos_scaled, *sin_scaled, *te_re, *te_im, *tm_re, *tm_im;
};

struct DiffractPairs {
  [[gnu::always_inline]] static void run(const DiffuseEdgeSource* source_pointer, const ObserverColumns* observers,
                                         const std::uint32_t* __restrict hits, std::size_t count,
                                         float* __restrict density, float* __restrict length) {
    // Plain values and columns: the vectorizer does not see through references.
    const PowerWedge<float> wedge = source_pointer->wedge;
    const WedgeAngle<float> source_angle = source_pointer->angle;
    const FaceReflection<float> source_face = source_pointer->source_face;
    const float source_z = source_pointer->z, source_rho = source_pointer->rho, scale = source_pointer->scale;
    const float soft_share = source_pointer->soft_share, hard_share = source_pointer->hard_share;
    const float cosine_at_midpoint = source_pointer->cosine_at_midpoint, slope = source_pointer->cosine_slope;
    const float two_wave_numbers = source_pointer->two_wave_numbers;
    const ObserverColumns member = *observers;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t m = hits[i];
      // The two legs unfolded into one plane are one straight line.
      const float way_z = member.z[m] - source_z, across = source_rho + member.rho[m];
      const float total = std::sqrt(way_z * way_z + across * across);
      const float share = source_rho / across;
      const float cos_scattering = (cosine_at_midpoint + slope * (source_z + way_z * share)) / (total * share);
      const float both = source_rho * member.rho[m];
      const WedgeAngle<float> angle{member.cos_half[m], member.sin_half[m], member.cos_scaled[m], member.sin_scaled[m]};
      const FaceReflection<float> face{member.te_re[m], member.te_im[m], member.tm_re[m], member.tm_im[m]};
      float soft = 0, hard = 0;
      diffraction_power<float>(wedge, source_angle, source_face, angle, face, two_wave_numbers * (both / total), soft,
                               hard);
      const float lit = cos_scattering > 0 ? cos_scattering : 0.0f;
      density[i] = member.in_air[m] * scale * lit * (soft_share * soft + hard_share * hard) / (both * total);
      length[i] = total;
    }
  }
};

}  // namespace

void EdgeObservers::begin(const Wedge& wedge, const EdgeSegment& edge) {
  wedge_ = wedge;
  edge_ = edge;
  cos_half_exterior_ = std::cos(0.5 * wedge.exterior_angle);
  sin_half_exterior_ = std::sin(0.5 * wedge.exterior_angle);
  z_.clear();
  rho_.clear();
  in_air_.clear();
  for (Frame& frame : frames_) {
    for (std::vector<float>* column : {&frame.cos_half, &frame.sin_half, &frame.cos_scaled, &frame.sin_scaled,
                                       &frame.te_re, &frame.te_im, &frame.tm_re, &frame.tm_im}) {
      column->clear();
    }
  }
}

void EdgeObservers::add(Vec3 point) {
  const PlanePoint at = about_edge(edge_, point);
  const double z = at.z, rho = at.rho, angle = at.angle;
  const double n = wedge_.exterior_angle / pi, sin_beta = rho / std::sqrt(rho * rho + z * z);
  z_.push_back(static_cast<float>(z));
  rho_.push_back(static_cast<float>(rho));
  in_air_.push_back(angle <= wedge_.exterior_angle + 1e-9 ? 1.0f : 0.0f);
  // The angle from the n-face is nπ less the angle from the 0-face: by halves and by 1/2n no further functions.
  WedgeAngle<double> from_0{1, 0, std::cos(angle / (2 * n)), std::sin(angle / (2 * n))};
  halve(at, from_0.cos_half, from_0.sin_half);
  const WedgeAngle<double> from_n{cos_half_exterior_ * from_0.cos_half + sin_half_exterior_ * from_0.sin_half,
                                  sin_half_exterior_ * from_0.cos_half - cos_half_exterior_ * from_0.sin_half,
                                  from_0.sin_scaled, from_0.cos_scaled};
  const std::array<WedgeAngle<double>, 2> angles{from_0, from_n};
  for (std::size_t f = 0; f < 2; ++f) {
    const WedgeAngle<double>&from_source_face = angles[f], &from_other_face = angles[1 - f];
    const Complex other = f == 0 ? wedge_.eps_n : wedge_.eps_0;
    const double sine = 2 * from_other_face.sin_half * from_other_face.cos_half;
    const auto gamma = face_reflection<float>(fresnel(other, sin_beta * std::fabs(sine)));
    Frame& frame = frames_[f];
    frame.cos_half.push_back(static_cast<float>(from_source_face.cos_half));
    frame.sin_half.push_back(static_cast<float>(from_source_face.sin_half));
    frame.cos_scaled.push_back(static_cast<float>(from_source_face.cos_scaled));
    frame.sin_scaled.push_back(static_cast<float>(from_source_face.sin_scaled));
    frame.te_re.push_back(gamma.te_re);
    frame.te_im.push_back(gamma.te_im);
    frame.tm_re.push_back(gamma.tm_re);
    frame.tm_im.push_back(gamma.tm_im);
  }
}

DiffuseEdgeSource::DiffuseEdgeSource(const Wedge& edge_wedge, const EdgeSegment& edge, const Tile& tile,
                                     double intensity_per_cosine, Vec3 polarization, double cross_polarization,
                                     double wave_number) {
  PlanePoint at = about_edge(edge, tile.centroid);
  in_air = at.rho > 0 && at.angle <= edge_wedge.exterior_angle + 1e-9;
  if (!in_air) return;
  const double n = edge_wedge.exterior_angle / pi;
  from_other_face = at.angle > 0.5 * edge_wedge.exterior_angle;
  if (from_other_face) at.angle = edge_wedge.exterior_angle - at.angle;
  wedge = power_wedge<float>(edge_wedge.exterior_angle);
  angle = wedge_angle<float>(at.angle, n);
  const Vec3 way = edge.midpoint - tile.centroid;
  const double distance = norm(way), sin_beta = at.rho / distance;
  source_face = face_reflection<float>(
      fresnel(from_other_face ? edge_wedge.eps_n : edge_wedge.eps_0, sin_beta * std::fabs(std::sin(at.angle))));
  z = static_cast<float>(at.z);
  rho = static_cast<float>(at.rho);
  const double along = dot(polarization, edge.direction) / sin_beta;
  const double alike = std::fmin(along * along, 1.0);
  const double soft = (1 - cross_polarization) * alike + cross_polarization * (1 - alike);
  soft_share = static_cast<float>(soft);
  hard_share = static_cast<float>(1 - soft);
  cosine_at_midpoint = static_cast<float>(dot(tile.normal, way));
  cosine_slope = static_cast<float>(dot(tile.normal, edge.direction));
  scale = static_cast<float>(intensity_per_cosine / (8 * pi * wave_number * n * n));
  two_wave_numbers = static_cast<float>(2 * wave_number);
}

void diffract_diffuse_power(const DiffuseEdgeSource& source, const EdgeObservers& observers,
                            std::span<const std::uint32_t> hits, DiffuseEdgeResult& result,
                            InstructionSet instruction_set) {
  const EdgeObservers::Frame& f = observers.frame(source.from_other_face);
  const ObserverColumns columns{observers.z().data(), observers.rho().data(), observers.in_air().data(),
                                f.cos_half.data(),    f.sin_half.data(),      f.cos_scaled.data(),
                                f.sin_scaled.data(),  f.te_re.data(),         f.te_im.data(),
                                f.tm_re.data(),       f.tm_im.data()};
  // Hits are few: whole vectors, the last hit again in what is left of them, are faster than single ones at the end.
  const std::size_t padded = (hits.size() + widest_vector - 1) / widest_vector * widest_vector;
  result.density.resize(padded);
  result.length_m.resize(padded);
  result.padded_hits.assign(hits.begin(), hits.end());
  result.padded_hits.resize(padded, hits.empty() ? 0 : hits.back());
  run_vectorized<DiffractPairs>(instruction_set, &source, &columns, result.padded_hits.data(), padded,
                                result.density.data(), result.length_m.data());
}

}  // namespace tesseray
