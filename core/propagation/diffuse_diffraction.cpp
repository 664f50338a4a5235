// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/diffuse_diffraction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tesseray {
namespace {

// Members nearer than this to an edge's line are on it: nothing is diffracted to them.
constexpr double least_distance_m = 1e-3;
constexpr std::size_t cotangent_buckets = 128;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Points on the 0-face to within rounding are on it, not a full turn away.
double angle_about_edge(double along_normal, double along_tangent) {
  const double angle = std::atan2(along_normal, along_tangent);
  return angle < -1e-9 ? angle + 2 * pi : std::fmax(angle, 0.0);
}

struct PlanePoint {
  double z, rho, angle;  // along the edge, from its line, about it from the 0-face
};

PlanePoint about_edge(const EdgeSegment& edge, Vec3 point) {
  const Vec3 way = point - edge.midpoint;
  const double along_tangent = dot(way, edge.tangent_0), along_normal = dot(way, edge.normal_0);
  const double rho = std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
  return {dot(way, edge.direction), rho, angle_about_edge(along_normal, along_tangent)};
}

// z, ρ, and cosine and sine of the angle about the edge, of points by their numbers.
struct PlaceMembers {
  [[gnu::always_inline]] static void run(const EdgeSegment* edge_pointer, const double* __restrict points,
                                         const std::uint32_t* __restrict numbers, std::size_t count,
                                         double* __restrict z, double* __restrict rho, double* __restrict cosine,
                                         double* __restrict sine) {
    const EdgeSegment edge = *edge_pointer;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{numbers[i]} * 3;
      const double x = points[at] - edge.midpoint.x, y = points[at + 1] - edge.midpoint.y,
                   h = points[at + 2] - edge.midpoint.z;
      const double along_tangent = x * edge.tangent_0.x + y * edge.tangent_0.y + h * edge.tangent_0.z;
      const double along_normal = x * edge.normal_0.x + y * edge.normal_0.y + h * edge.normal_0.z;
      const double distance = std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
      const double divisor = distance > least_distance_m ? distance : least_distance_m;
      z[i] = x * edge.direction.x + y * edge.direction.y + h * edge.direction.z;
      rho[i] = distance;
      cosine[i] = along_tangent / divisor;
      sine[i] = along_normal / divisor;
    }
  }
};

// What the angles of the faces and their materials are, for PrepareMembers.
struct FaceConstants {
  double exterior_angle = 0, inverse_two_n = 0;
  double cos_half_exterior = 0, sin_half_exterior = 0;
  double eps_re[2] = {0, 0}, eps_im[2] = {0, 0};  // of the face away from the source, by frame
  double half_length_m = 0;
};

// Reflection at the face away from the source, for a grazing angle with this sine. Without branches; a perfect
// conductor comes out of its permittivity, but for its grazing angles.
[[gnu::always_inline]] inline void reflect_at_face(double eps_re, double eps_im, double sine, float* te_re,
                                                   float* te_im, float* tm_re, float* tm_im) {
  const double c = sine < 0 ? 0 : (sine > 1 ? 1 : sine);
  // The decaying root of ε − 1 + c².
  const double a = (eps_re - 1) + c * c, b = eps_im;
  const double magnitude = a < 0 ? -a : a;
  const double larger = std::sqrt(0.5 * (std::sqrt(a * a + b * b) + magnitude));
  const double smaller = (b < 0 ? -b : b) / (larger > 0 ? 2 * larger : 1.0);
  const double s_re = a >= 0 ? larger : smaller, s_im = -(a >= 0 ? smaller : larger);
  const double te_sum_re = c + s_re, te_sum = te_sum_re * te_sum_re + s_im * s_im;
  const double te_scale = 1 / (te_sum > 0 ? te_sum : 1.0);
  *te_re = static_cast<float>(((c - s_re) * te_sum_re - s_im * s_im) * te_scale);
  *te_im = static_cast<float>((-s_im * te_sum_re - (c - s_re) * s_im) * te_scale);
  const double e_re = eps_re * c, e_im = eps_im * c;
  const double sum_re = e_re + s_re, sum_im = e_im + s_im, part_re = e_re - s_re, part_im = e_im - s_im;
  const double tm_sum = sum_re * sum_re + sum_im * sum_im;
  const double tm_scale = 1 / (tm_sum > 0 ? tm_sum : 1.0);
  *tm_re = static_cast<float>((part_re * sum_re + part_im * sum_im) * tm_scale);
  *tm_im = static_cast<float>((part_im * sum_re - part_re * sum_im) * tm_scale);
}

// Columns of one frame, to be written.
struct FrameColumns {
  float *cos_half, *sin_half, *cos_scaled, *sin_scaled, *te_re, *te_im, *tm_re, *tm_im;
};

struct PrepareMembers {
  [[gnu::always_inline]] static void run(const FaceConstants* constants, const std::uint32_t* __restrict order,
                                         std::size_t count, const double* __restrict z, const double* __restrict rho,
                                         const double* __restrict cosine, const double* __restrict sine,
                                         const FrameColumns* frames, float* __restrict z_out, float* __restrict rho_out,
                                         float* __restrict in_air, float* __restrict first, float* __restrict last) {
    const FaceConstants face = *constants;
    const FrameColumns from_0 = frames[0], from_n = frames[1];
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t m = order[i];
      const double along = z[m], from_line = rho[m], c = cosine[m], s = sine[m];
      const double distance = from_line > least_distance_m ? from_line : least_distance_m;
      const bool on_face = (s < 0) & (s > -1e-9) & (c > 0);
      const double turn = angle_of(c, on_face ? 0.0 : s, 1.0);
      const bool air = turn <= face.exterior_angle + 1e-9;
      const double angle = turn < face.exterior_angle ? turn : face.exterior_angle;
      const CosSin scaled = cos_sin_quarter(angle * face.inverse_two_n);
      // Of half the angle, 0 … π: without cancellation on either side.
      const double upper = std::sqrt(0.5 * (1 + (c < 0 ? -c : c)));
      const double lower = 0.5 * (s < 0 ? -s : s) / upper;
      const double sign = (s < 0) & !on_face ? -1.0 : 1.0;
      const double cos_half = c > 0 ? sign * upper : sign * lower;
      const double sin_half = c > 0 ? lower : upper;
      // The angle from the n-face is nπ less the angle from the 0-face: by halves and by 1/2n no further functions.
      const double cos_half_n = face.cos_half_exterior * cos_half + face.sin_half_exterior * sin_half;
      const double sin_half_n = face.sin_half_exterior * cos_half - face.cos_half_exterior * sin_half;
      from_0.cos_half[i] = static_cast<float>(cos_half);
      from_0.sin_half[i] = static_cast<float>(sin_half);
      from_0.cos_scaled[i] = static_cast<float>(scaled.cos);
      from_0.sin_scaled[i] = static_cast<float>(scaled.sin);
      from_n.cos_half[i] = static_cast<float>(cos_half_n);
      from_n.sin_half[i] = static_cast<float>(sin_half_n);
      from_n.cos_scaled[i] = static_cast<float>(scaled.sin);
      from_n.sin_scaled[i] = static_cast<float>(scaled.cos);
      const double sin_beta = distance / std::sqrt(distance * distance + along * along);
      const double sine_0 = 2 * sin_half * cos_half, sine_n = 2 * sin_half_n * cos_half_n;
      reflect_at_face(face.eps_re[0], face.eps_im[0], sin_beta * (sine_n < 0 ? -sine_n : sine_n), from_0.te_re + i,
                      from_0.te_im + i, from_0.tm_re + i, from_0.tm_im + i);
      reflect_at_face(face.eps_re[1], face.eps_im[1], sin_beta * (sine_0 < 0 ? -sine_0 : sine_0), from_n.te_re + i,
                      from_n.te_im + i, from_n.tm_re + i, from_n.tm_im + i);
      const double inverse = 1 / distance;
      const bool apart = from_line >= least_distance_m;
      z_out[i] = static_cast<float>(along);
      rho_out[i] = static_cast<float>(distance);
      in_air[i] = air ? 1.0f : 0.0f;
      const auto from = static_cast<float>((along - face.half_length_m) * inverse);
      const auto to = static_cast<float>((along + face.half_length_m) * inverse);
      first[i] = apart ? from : infinity;
      last[i] = apart ? to : -infinity;
    }
  }
};

// Where an observer's columns begin: those of EdgeObservers and of the source's frame, and the sums.
struct ObserverColumns {
  const float *z, *rho, *in_air, *straight_m, *first, *last;
  const float *cos_half, *sin_half, *cos_scaled, *sin_scaled, *te_re, *te_im, *tm_re, *tm_im;
  float *power, *basic, *excess, *squared_excess, *first_excess_m, *strongest;
  std::uint32_t* rays;
};

struct DiffractBlocks {
  [[gnu::always_inline]] static void run(const DiffuseEdgeSource* source_pointer, const DiffuseEdgePower* sent_pointer,
                                         const ObserverColumns* columns, const IntervalBounds* bounds_pointer,
                                         const std::uint32_t* blocks, std::size_t block_count) {
    // Plain values and columns: the vectorizer does not see through references.
    const PowerWedge<float> wedge = source_pointer->wedge;
    const WedgeAngle<float> source_angle = source_pointer->angle;
    const FaceReflection<float> source_face = source_pointer->source_face;
    const float source_z = source_pointer->z, source_rho = source_pointer->rho, scale = source_pointer->scale;
    const float soft_share = source_pointer->soft_share, hard_share = source_pointer->hard_share;
    const float cosine_at_midpoint = source_pointer->cosine_at_midpoint, slope = source_pointer->cosine_slope;
    const float two_wave_numbers = source_pointer->two_wave_numbers;
    const DiffuseEdgePower sent = *sent_pointer;
    const float upper = bounds_pointer->upper_u, lower = bounds_pointer->lower_u;
    for (std::size_t k = 0; k < block_count; ++k) {
      const std::size_t at = std::size_t{blocks[k]} * interval_block;
      const float* const z = columns->z + at;
      const float* const rho = columns->rho + at;
      const float* const in_air = columns->in_air + at;
      const float* const straight_m = columns->straight_m + at;
      const float* const first = columns->first + at;
      const float* const last = columns->last + at;
      const float* const cos_half = columns->cos_half + at;
      const float* const sin_half = columns->sin_half + at;
      const float* const cos_scaled = columns->cos_scaled + at;
      const float* const sin_scaled = columns->sin_scaled + at;
      const float* const te_re = columns->te_re + at;
      const float* const te_im = columns->te_im + at;
      const float* const tm_re = columns->tm_re + at;
      const float* const tm_im = columns->tm_im + at;
      float* const power = columns->power + at;
      float* const basic = columns->basic + at;
      float* const excess = columns->excess + at;
      float* const squared_excess = columns->squared_excess + at;
      float* const first_excess_m = columns->first_excess_m + at;
      float* const strongest = columns->strongest + at;
      std::uint32_t* const rays = columns->rays + at;
      TESSERAY_INDEPENDENT_TURNS
      for (std::size_t i = 0; i < interval_block; ++i) {
        // The two legs unfolded into one plane are one straight line.
        const float way_z = z[i] - source_z, across = source_rho + rho[i];
        const float total = std::sqrt(way_z * way_z + across * across);
        const float share = source_rho / across;
        const float cos_scattering = (cosine_at_midpoint + slope * (source_z + way_z * share)) / (total * share);
        const float both = source_rho * rho[i];
        const WedgeAngle<float> angle{cos_half[i], sin_half[i], cos_scaled[i], sin_scaled[i]};
        const FaceReflection<float> face{te_re[i], te_im[i], tm_re[i], tm_im[i]};
        float soft = 0, hard = 0;
        diffraction_power<float>(wedge, source_angle, source_face, angle, face, two_wave_numbers * (both / total), soft,
                                 hard);
        const bool hit = (first[i] <= upper) & (last[i] > lower) & (cos_scattering > 0);
        const float lit = hit ? in_air[i] : 0.0f;
        const float density = lit * scale * cos_scattering * (soft_share * soft + hard_share * hard) / (both * total);
        const float more_m = total - straight_m[i];
        const float ray_power = density * sent.power;
        power[i] += ray_power;
        basic[i] += density * sent.basic;
        excess[i] += density * (sent.length + more_m * sent.power);
        squared_excess[i] += density * (sent.squared_length + more_m * (2.0f * sent.length + more_m * sent.power));
        const float sum_m = sent.first_length_m + more_m;
        const float first_m = density > 0 ? sum_m : infinity;
        first_excess_m[i] = first_m < first_excess_m[i] ? first_m : first_excess_m[i];
        strongest[i] = ray_power > strongest[i] ? ray_power : strongest[i];
        rays[i] += density > 0 ? sent.rays : 0u;
      }
    }
  }
};

}  // namespace

void EdgeObservers::resize(std::size_t padded) {
  for (std::vector<float>* column : {&z_, &rho_, &in_air_, &straight_m_}) column->assign(padded, 1.0f);
  for (Frame& frame : frames_) {
    for (std::vector<float>* column : {&frame.cos_half, &frame.sin_half, &frame.cos_scaled, &frame.sin_scaled,
                                       &frame.te_re, &frame.te_im, &frame.tm_re, &frame.tm_im}) {
      column->assign(padded, 0.0f);
    }
  }
}

void EdgeObservers::sort_by_cotangent(std::span<const std::uint32_t> numbers) {
  // Buckets of x / (1 + |x|): order within them does not matter, and stays that of the row.
  std::array<std::uint32_t, cotangent_buckets + 1> begin{};
  const auto bucket = [&](std::size_t i) {
    const double z = places_[0][i], rho = places_[1][i];
    const double place = (z / (std::fabs(z) + rho + 1e-30) + 1) * (0.5 * cotangent_buckets);
    return std::min(static_cast<std::size_t>(place), cotangent_buckets - 1);
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) ++begin[bucket(i) + 1];
  for (std::size_t b = 0; b < cotangent_buckets; ++b) begin[b + 1] += begin[b];
  order_.resize(numbers.size());
  numbers_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t place = begin[bucket(i)]++;
    order_[place] = static_cast<std::uint32_t>(i);
    numbers_[place] = numbers[i];
  }
}

void EdgeObservers::lay_out(const Wedge& wedge, const EdgeSegment& edge, const double* points, const double* straight_m,
                            std::span<const std::uint32_t> numbers, InstructionSet instruction_set) {
  for (std::vector<double>& column : places_) column.resize(numbers.size());
  run_vectorized<PlaceMembers>(instruction_set, &edge, points, numbers.data(), numbers.size(), places_[0].data(),
                               places_[1].data(), places_[2].data(), places_[3].data());
  sort_by_cotangent(numbers);
  intervals_.target.assign(numbers_.begin(), numbers_.end());
  intervals_.resize(false);
  resize(intervals_.first_u.size());
  FaceConstants face;
  face.exterior_angle = wedge.exterior_angle;
  face.inverse_two_n = 0.5 * pi / wedge.exterior_angle;
  face.cos_half_exterior = std::cos(0.5 * wedge.exterior_angle);
  face.sin_half_exterior = std::sin(0.5 * wedge.exterior_angle);
  const Complex other_face[2] = {wedge.eps_n, wedge.eps_0};
  FrameColumns columns[2];
  for (std::size_t f = 0; f < 2; ++f) {
    face.eps_re[f] = other_face[f].re;
    face.eps_im[f] = other_face[f].im;
    Frame& frame = frames_[f];
    columns[f] = {frame.cos_half.data(), frame.sin_half.data(), frame.cos_scaled.data(), frame.sin_scaled.data(),
                  frame.te_re.data(),    frame.te_im.data(),    frame.tm_re.data(),      frame.tm_im.data()};
  }
  face.half_length_m = 0.5 * edge.length_m;
  run_vectorized<PrepareMembers>(instruction_set, &face, order_.data(), order_.size(), places_[0].data(),
                                 places_[1].data(), places_[2].data(), places_[3].data(), columns, z_.data(),
                                 rho_.data(), in_air_.data(), intervals_.first_u.data(), intervals_.last_u.data());
  for (std::size_t i = 0; i < numbers_.size(); ++i) straight_m_[i] = static_cast<float>(straight_m[numbers_[i]]);
  intervals_.finish(instruction_set);
}

void EdgeBeams::clear(std::size_t members) {
  const std::size_t padded = (members + interval_block - 1) / interval_block * interval_block;
  for (std::vector<float>* column : {&power, &basic, &excess, &squared_excess, &strongest}) {
    column->assign(padded, 0.0f);
  }
  first_excess_m.assign(padded, infinity);
  rays.assign(padded, 0);
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

void diffract_diffuse_power(const DiffuseEdgeSource& source, const DiffuseEdgePower& power,
                            const EdgeObservers& observers, const IntervalBounds& bounds, BlockSearch& search,
                            EdgeBeams& beams, InstructionSet instruction_set) {
  find_blocks(observers.intervals(), bounds, search, instruction_set);
  if (search.blocks.empty()) return;
  const EdgeObservers::Frame& f = observers.frame(source.from_other_face);
  const ObserverColumns columns{observers.z().data(),
                                observers.rho().data(),
                                observers.in_air().data(),
                                observers.straight_m().data(),
                                observers.intervals().first_u.data(),
                                observers.intervals().last_u.data(),
                                f.cos_half.data(),
                                f.sin_half.data(),
                                f.cos_scaled.data(),
                                f.sin_scaled.data(),
                                f.te_re.data(),
                                f.te_im.data(),
                                f.tm_re.data(),
                                f.tm_im.data(),
                                beams.power.data(),
                                beams.basic.data(),
                                beams.excess.data(),
                                beams.squared_excess.data(),
                                beams.first_excess_m.data(),
                                beams.strongest.data(),
                                beams.rays.data()};
  run_vectorized<DiffractBlocks>(instruction_set, &source, &power, &columns, &bounds, search.blocks.data(),
                                 search.blocks.size());
}

}  // namespace tesseray
