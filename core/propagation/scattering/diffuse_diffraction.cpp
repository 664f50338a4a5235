// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering/diffuse_diffraction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/base/infinity.h"

namespace tesseray {
namespace {

constexpr std::size_t cotangent_buckets = 128;

// z, ρ, and cosine and sine of the angle about the edge, of points by their numbers.
struct PlaceMembers {
  [[gnu::always_inline]] static void run(const EdgeSegment* edge_pointer, const double* __restrict points,
                                         const std::uint32_t* __restrict numbers, std::size_t count,
                                         double* __restrict z, double* __restrict rho, double* __restrict cosine,
                                         double* __restrict sine) {
    const EdgeSegment edge = *edge_pointer;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{numbers[i]} * 3;
      const PlaceAboutEdge place = place_about(edge, points[at], points[at + 1], points[at + 2]);
      z[i] = place.z;
      rho[i] = place.rho;
      cosine[i] = place.cosine;
      sine[i] = place.sine;
    }
  }
};

// Columns of one frame, to be written: angles, and what the face from which they count reflects.
struct FrameColumns {
  float *cos_half, *sin_half, *cos_scaled, *sin_scaled, *te_re, *te_im, *tm_re, *tm_im;
};

struct PrepareMembers {
  [[gnu::always_inline]] static void run(const ObservedFaces* faces_pointer, const std::uint32_t* __restrict order,
                                         std::size_t count, const double* __restrict z, const double* __restrict rho,
                                         const double* __restrict cosine, const double* __restrict sine,
                                         const FrameColumns* frames, float* __restrict z_out, float* __restrict rho_out,
                                         float* __restrict rise, float* __restrict in_air, float* __restrict first,
                                         float* __restrict last) {
    const ObservedFaces faces = *faces_pointer;
    const FrameColumns from_0 = frames[0], from_n = frames[1];
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t m = order[i];
      const EdgeObserver observer = observer_at({z[m], rho[m], cosine[m], sine[m]}, faces);
      z_out[i] = observer.z;
      rho_out[i] = observer.rho;
      rise[i] = observer.rise;
      in_air[i] = observer.in_air;
      first[i] = observer.first_u;
      last[i] = observer.last_u;
      from_0.cos_half[i] = observer.from_0.angle.cos_half;
      from_0.sin_half[i] = observer.from_0.angle.sin_half;
      from_0.cos_scaled[i] = observer.from_0.angle.cos_scaled;
      from_0.sin_scaled[i] = observer.from_0.angle.sin_scaled;
      from_0.te_re[i] = observer.from_0.faces.source_face.te_re;
      from_0.te_im[i] = observer.from_0.faces.source_face.te_im;
      from_0.tm_re[i] = observer.from_0.faces.source_face.tm_re;
      from_0.tm_im[i] = observer.from_0.faces.source_face.tm_im;
      from_n.cos_half[i] = observer.from_n.angle.cos_half;
      from_n.sin_half[i] = observer.from_n.angle.sin_half;
      from_n.cos_scaled[i] = observer.from_n.angle.cos_scaled;
      from_n.sin_scaled[i] = observer.from_n.angle.sin_scaled;
      from_n.te_re[i] = observer.from_n.faces.source_face.te_re;
      from_n.te_im[i] = observer.from_n.faces.source_face.te_im;
      from_n.tm_re[i] = observer.from_n.faces.source_face.tm_re;
      from_n.tm_im[i] = observer.from_n.faces.source_face.tm_im;
    }
  }
};

// Where an observer's columns begin: those of EdgeObservers, of the source's frame and of the other face's reflection,
// and the sums.
struct ObserverColumns {
  const float *z, *rho, *rise, *in_air, *straight_m, *first, *last;
  const float *cos_half, *sin_half, *cos_scaled, *sin_scaled, *te_re, *te_im, *tm_re, *tm_im;
  const float *other_te_re, *other_te_im, *other_tm_re, *other_tm_im;
  float *power, *basic, *excess, *squared_excess, *first_excess_m, *strongest, *along, *across, *strongest_z;
  std::uint32_t* rays;
  float *pair_density, *pair_length_m, *pair_keller_z;
};

struct DiffractBlocks {
  [[gnu::always_inline]] static void run(const DiffuseEdgeSource* source_pointer, const DiffuseEdgePower* sent_pointer,
                                         const ObserverColumns* columns, const IntervalBounds* bounds_pointer,
                                         const std::uint32_t* blocks, std::size_t block_count) {
    // Plain values and columns: the vectorizer does not see through references.
    const DiffuseEdgeSource source = *source_pointer;
    const DiffuseEdgePower sent = *sent_pointer;
    const float upper = bounds_pointer->upper_u, lower = bounds_pointer->lower_u;
    for (std::size_t k = 0; k < block_count; ++k) {
      const std::size_t at = std::size_t{blocks[k]} * interval_block;
      const float* const z = columns->z + at;
      const float* const rho = columns->rho + at;
      const float* const rise = columns->rise + at;
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
      const float* const other_te_re = columns->other_te_re + at;
      const float* const other_te_im = columns->other_te_im + at;
      const float* const other_tm_re = columns->other_tm_re + at;
      const float* const other_tm_im = columns->other_tm_im + at;
      float* const power = columns->power + at;
      float* const basic = columns->basic + at;
      float* const excess = columns->excess + at;
      float* const squared_excess = columns->squared_excess + at;
      float* const first_excess_m = columns->first_excess_m + at;
      float* const strongest = columns->strongest + at;
      float* const along = columns->along + at;
      float* const across = columns->across + at;
      float* const strongest_z = columns->strongest_z + at;
      std::uint32_t* const rays = columns->rays + at;
      float* const pair_density = columns->pair_density + at;
      float* const pair_length_m = columns->pair_length_m + at;
      float* const pair_keller_z = columns->pair_keller_z + at;
      TESSERAY_INDEPENDENT_TURNS
      for (std::size_t i = 0; i < interval_block; ++i) {
        const bool hit = (first[i] <= upper) & (last[i] > lower);
        const ObserverFrame observer{{cos_half[i], sin_half[i], cos_scaled[i], sin_scaled[i]},
                                     {{te_re[i], te_im[i], tm_re[i], tm_im[i]},
                                      {other_te_re[i], other_te_im[i], other_tm_re[i], other_tm_im[i]}}};
        const EdgePair pair = pair_at_edge(source, z[i], rho[i], rise[i], hit ? in_air[i] : 0.0f, observer);
        DiffuseEdgeSum beam{power[i],     basic[i], excess[i], squared_excess[i], first_excess_m[i],
                            strongest[i], rays[i],  along[i],  across[i],         strongest_z[i]};
        beam.add(pair, sent, straight_m[i]);
        power[i] = beam.power;
        basic[i] = beam.basic;
        excess[i] = beam.excess;
        squared_excess[i] = beam.squared_excess;
        first_excess_m[i] = beam.first_excess_m;
        strongest[i] = beam.strongest;
        rays[i] = beam.rays;
        along[i] = beam.along;
        across[i] = beam.across;
        strongest_z[i] = beam.strongest_z;
        pair_density[i] = pair.density;
        pair_length_m[i] = pair.length_m;
        pair_keller_z[i] = pair.keller_z;
      }
    }
  }
};

struct AddDepartures {
  [[gnu::always_inline]] static void run(double share, const DirectionMoments* moments_pointer,
                                         const float* __restrict pair_density, const std::uint32_t* __restrict blocks,
                                         std::size_t block_count, double* __restrict cos_azimuth,
                                         double* __restrict sin_azimuth, double* __restrict cos_elevation,
                                         double* __restrict sin_elevation) {
    const DirectionMoments moments = *moments_pointer;
    for (std::size_t k = 0; k < block_count; ++k) {
      const std::size_t at = std::size_t{blocks[k]} * interval_block;
      TESSERAY_INDEPENDENT_TURNS
      for (std::size_t i = at; i < at + interval_block; ++i) {
        const double density = share * static_cast<double>(pair_density[i]);
        cos_azimuth[i] += density * moments.cos_azimuth;
        sin_azimuth[i] += density * moments.sin_azimuth;
        cos_elevation[i] += density * moments.cos_elevation;
        sin_elevation[i] += density * moments.sin_elevation;
      }
    }
  }
};

struct AddArrivals {
  [[gnu::always_inline]] static void run(const DiffuseEdgeSource* source, double power, const float* __restrict z,
                                         const float* __restrict rho, const float* __restrict pair_density,
                                         const std::uint32_t* __restrict blocks, std::size_t block_count,
                                         double* __restrict along, double* __restrict across) {
    const double source_z = source->z, source_rho = source->rho;
    for (std::size_t k = 0; k < block_count; ++k) {
      const std::size_t at = std::size_t{blocks[k]} * interval_block;
      TESSERAY_INDEPENDENT_TURNS
      for (std::size_t i = at; i < at + interval_block; ++i) {
        const double way_z = static_cast<double>(z[i]) - source_z;
        const double way_across = source_rho + static_cast<double>(rho[i]);
        const double weight = power * static_cast<double>(pair_density[i]);
        const double per_metre = weight / std::sqrt(way_z * way_z + way_across * way_across);
        along[i] += per_metre * way_z;
        across[i] += per_metre * way_across;
      }
    }
  }
};

std::size_t whole_blocks(std::size_t members) {
  return (members + interval_block - 1) / interval_block * interval_block;
}

}  // namespace

void EdgeObservers::resize(std::size_t padded) {
  const auto pad = [&](std::vector<float>& column, float padding) {
    column.resize(padded);
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(size()), column.end(), padding);
  };
  for (std::vector<float>* column : {&z_, &rho_, &in_air_, &straight_m_}) pad(*column, 1.0f);
  pad(rise_, 0.0f);
  for (Frame& frame : frames_) {
    for (std::vector<float>* column : {&frame.cos_half, &frame.sin_half, &frame.cos_scaled, &frame.sin_scaled,
                                       &frame.te_re, &frame.te_im, &frame.tm_re, &frame.tm_im}) {
      pad(*column, 0.0f);
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
  places_of_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t place = begin[bucket(i)]++;
    order_[place] = static_cast<std::uint32_t>(i);
    numbers_[place] = numbers[i];
    places_of_[i] = place;
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
  const ObservedFaces faces(wedge, edge);
  FrameColumns columns[2];
  for (std::size_t f = 0; f < 2; ++f) {
    Frame& frame = frames_[f];
    columns[f] = {frame.cos_half.data(), frame.sin_half.data(), frame.cos_scaled.data(), frame.sin_scaled.data(),
                  frame.te_re.data(),    frame.te_im.data(),    frame.tm_re.data(),      frame.tm_im.data()};
  }
  run_vectorized<PrepareMembers>(instruction_set, &faces, order_.data(), order_.size(), places_[0].data(),
                                 places_[1].data(), places_[2].data(), places_[3].data(), columns, z_.data(),
                                 rho_.data(), rise_.data(), in_air_.data(), intervals_.first_u.data(),
                                 intervals_.last_u.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    straight_m_[places_of_[i]] = static_cast<float>(straight_m[numbers[i]]);
  }
  intervals_.finish(instruction_set);
}

void EdgeBeams::clear(std::size_t members) {
  const std::size_t padded = whole_blocks(members);
  for (std::vector<float>* column :
       {&power, &basic, &excess, &squared_excess, &strongest, &along, &across, &strongest_z}) {
    column->assign(padded, 0.0f);
  }
  first_excess_m.assign(padded, infinity_f);
  rays.assign(padded, 0);
  pair_density.resize(padded);
  pair_length_m.resize(padded);
  pair_keller_z.resize(padded);
}

void EdgeDepartures::clear(std::size_t members) {
  for (std::vector<double>* column : {&cos_azimuth, &sin_azimuth, &cos_elevation, &sin_elevation}) {
    column->assign(whole_blocks(members), 0.0);
  }
}

void EdgeDepartures::add(double share, const DirectionMoments& moments, const EdgeBeams& beams,
                         const BlockSearch& search, InstructionSet instruction_set) {
  run_vectorized<AddDepartures>(instruction_set, share, &moments, beams.pair_density.data(), search.blocks.data(),
                                search.blocks.size(), cos_azimuth.data(), sin_azimuth.data(), cos_elevation.data(),
                                sin_elevation.data());
}

void EdgeArrivals::clear(std::size_t members) {
  for (std::vector<double>* column : {&along, &across}) column->assign(whole_blocks(members), 0.0);
}

void EdgeArrivals::add(const DiffuseEdgeSource& source, double power, const EdgeObservers& observers,
                       const EdgeBeams& beams, const BlockSearch& search, InstructionSet instruction_set) {
  run_vectorized<AddArrivals>(instruction_set, &source, power, observers.z().data(), observers.rho().data(),
                              beams.pair_density.data(), search.blocks.data(), search.blocks.size(), along.data(),
                              across.data());
}

void diffract_diffuse_power(const DiffuseEdgeSource& source, const DiffuseEdgePower& power,
                            const EdgeObservers& observers, const IntervalBounds& bounds, BlockSearch& search,
                            EdgeBeams& beams, InstructionSet instruction_set) {
  find_blocks(observers.intervals(), bounds, search, instruction_set);
  if (search.blocks.empty()) return;
  const EdgeObservers::Frame &f = observers.frame(source.from_other_face),
                             &other = observers.frame(!source.from_other_face);
  const ObserverColumns columns{observers.z().data(),
                                observers.rho().data(),
                                observers.rise().data(),
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
                                other.te_re.data(),
                                other.te_im.data(),
                                other.tm_re.data(),
                                other.tm_im.data(),
                                beams.power.data(),
                                beams.basic.data(),
                                beams.excess.data(),
                                beams.squared_excess.data(),
                                beams.first_excess_m.data(),
                                beams.strongest.data(),
                                beams.along.data(),
                                beams.across.data(),
                                beams.strongest_z.data(),
                                beams.rays.data(),
                                beams.pair_density.data(),
                                beams.pair_length_m.data(),
                                beams.pair_keller_z.data()};
  run_vectorized<DiffractBlocks>(instruction_set, &source, &power, &columns, &bounds, search.blocks.data(),
                                 search.blocks.size());
}

}  // namespace tesseray
