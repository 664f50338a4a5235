// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation/vegetation_skyline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/infinity.h"
#include "core/base/vector_dispatch.h"

namespace tesseray {
namespace {

constexpr std::int32_t cells_per_small = 2, small_per_large = 4;
// Large boxes nearer than this are looked at by the small ones in them.
constexpr double refined_within_m = 384.0;
// For the rounding of directions, distances and slopes to floats.
constexpr double distance_padding_m = 0.01, height_padding_m = 0.1, way_padding = 1e-5;

// A direction's way round the square |x| + |y| = 1, in place of its angle: 0 … 4.
template <class Real>
[[gnu::always_inline]] inline Real way_round(Real x, Real y) {
  const Real wide = x < 0 ? -x : x, high = y < 0 ? -y : y;
  const Real around = wide + high, share = high / (around > Real(1e-6) ? around : Real(1e-6));
  const Real west = y < 0 ? 2 + share : 2 - share, east = y < 0 ? 4 - share : share;
  return x < 0 ? west : east;
}

struct PlaceLegs {
  [[gnu::always_inline]] static void run(Vec3 from, const double* __restrict coordinates,
                                         const std::uint32_t* __restrict numbers, std::size_t count,
                                         float sectors_per_quarter, std::uint32_t last_sector,
                                         std::uint32_t* __restrict sector, float* __restrict leg_m,
                                         float* __restrict leg_slope) {
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{numbers[i]} * 3;
      const auto x = static_cast<float>(coordinates[at] - from.x), y = static_cast<float>(coordinates[at + 1] - from.y);
      const auto z = static_cast<float>(coordinates[at + 2] - from.z);
      const auto index = static_cast<std::uint32_t>(static_cast<std::int32_t>(way_round(x, y) * sectors_per_quarter));
      sector[i] = index < last_sector ? index : last_sector;
      const float length = std::sqrt(x * x + y * y);
      leg_m[i] = length;
      leg_slope[i] = z / (length > 1e-3f ? length : 1e-3f);
    }
  }
};

Vec2 nearest_in(const Rectangle& r, Vec2 p) {
  return {std::clamp(p.x, r.min.x, r.max.x), std::clamp(p.y, r.min.y, r.max.y)};
}

double farthest_m(const Rectangle& r, Vec2 p) {
  return norm(Vec2{std::max(p.x - r.min.x, r.max.x - p.x), std::max(p.y - r.min.y, r.max.y - p.y)});
}

void add_to(VegetationBoxes::Box& box, const Rectangle& plan, double top_z) {
  box.top_z = box.plan.empty() ? top_z : std::max(box.top_z, top_z);
  box.plan.extend(plan.min);
  box.plan.extend(plan.max);
}

}  // namespace

VegetationBoxes::VegetationBoxes(const VegetationPrisms& prisms) {
  const CellGrid& cells = prisms.cells();
  const auto coarser = [](const CellGrid& grid, std::int32_t times) {
    return CellGrid{grid.origin, grid.step_m * times, (grid.columns + times - 1) / times,
                    (grid.rows + times - 1) / times};
  };
  small_grid_ = coarser(cells, cells_per_small);
  large_grid_ = coarser(small_grid_, small_per_large);
  small_.resize(small_grid_.size());
  large_.resize(large_grid_.size());
  for (std::int32_t j = 0; j < cells.rows; ++j) {
    for (std::int32_t i = 0; i < cells.columns; ++i) {
      const double top_z = prisms.top_of_cell(i, j);
      if (!(top_z > -infinity)) continue;
      const std::int32_t small_i = i / cells_per_small, small_j = j / cells_per_small;
      const Rectangle plan = grown(cells.square(i, j, i, j), cell_padding_m);
      add_to(small_[small_grid_.index(small_i, small_j)], plan, top_z);
      add_to(large_[large_grid_.index(small_i / small_per_large, small_j / small_per_large)], plan, top_z);
    }
  }
}

template <class Visit>
void VegetationBoxes::visit_around(Vec2 place, double distance_m, const Visit& visit) const {
  const Vec2 reach{distance_m, distance_m};
  const Vec2 low = place - reach, high = place + reach;
  for (std::int32_t j = large_grid_.row(low.y); j <= large_grid_.row(high.y); ++j) {
    for (std::int32_t i = large_grid_.column(low.x); i <= large_grid_.column(high.x); ++i) {
      const Box& large = large_[large_grid_.index(i, j)];
      if (large.plan.empty()) continue;
      const double apart_m = norm(nearest_in(large.plan, place) - place);
      if (apart_m > distance_m) continue;
      if (apart_m >= refined_within_m) {
        visit(large);
        continue;
      }
      const std::int32_t end_i = std::min((i + 1) * small_per_large, small_grid_.columns);
      const std::int32_t end_j = std::min((j + 1) * small_per_large, small_grid_.rows);
      for (std::int32_t small_j = j * small_per_large; small_j < end_j; ++small_j) {
        for (std::int32_t small_i = i * small_per_large; small_i < end_i; ++small_i) {
          const Box& small = small_[small_grid_.index(small_i, small_j)];
          if (!small.plan.empty()) visit(small);
        }
      }
    }
  }
}

void VegetationSkyline::raise(Vec3 from, const VegetationBoxes::Box& box) {
  const Vec2 here = from.xy();
  const double near_m = norm(nearest_in(box.plan, here) - here) - distance_padding_m;
  const double above_m = box.top_z + height_padding_m - from.z;
  const double far_m = farthest_m(box.plan, here) + distance_padding_m;
  const auto clear_m = static_cast<float>(std::max(near_m, 0.0));
  const float slope = above_m <= 0  ? static_cast<float>(above_m / far_m)
                      : clear_m > 0 ? static_cast<float>(above_m / near_m)
                                    : infinity_f;
  const auto lower = [&](std::size_t sector) {
    clear_m_[sector] = std::min(clear_m_[sector], clear_m);
    slope_[sector] = std::max(slope_[sector], slope);
  };
  if (!(near_m > 0)) {
    for (std::size_t s = 0; s < sectors; ++s) lower(s);
    return;
  }
  // From outside a box covers less than half of the way round.
  const Vec2 middle = box.plan.middle() - here;
  const double way = way_round(middle.x, middle.y);
  double before = 0, after = 0;
  for (const Vec2 corner :
       {box.plan.min, box.plan.max, Vec2{box.plan.min.x, box.plan.max.y}, Vec2{box.plan.max.x, box.plan.min.y}}) {
    const double on = way_round(corner.x - here.x, corner.y - here.y) - way;
    const double turn = on > 2 ? on - 4 : on < -2 ? on + 4 : on;
    before = std::min(before, turn);
    after = std::max(after, turn);
  }
  constexpr double per_way = static_cast<double>(sectors) / 4.0;
  const auto first = static_cast<std::int64_t>(std::floor((way + before - way_padding) * per_way));
  const auto last = static_cast<std::int64_t>(std::floor((way + after + way_padding) * per_way));
  for (std::int64_t s = first; s <= last; ++s) lower(static_cast<std::size_t>(s) % sectors);
}

std::span<const std::uint32_t> VegetationSkyline::find_behind(Vec3 from, const double* coordinates,
                                                              std::span<const std::uint32_t> numbers) {
  sector_of_.resize(numbers.size());
  leg_m_.resize(numbers.size());
  leg_slope_.resize(numbers.size());
  constexpr auto per_quarter = static_cast<float>(sectors) / 4.0f;
  run_vectorized<PlaceLegs>(best_instruction_set(), from, coordinates, numbers.data(), numbers.size(), per_quarter,
                            static_cast<std::uint32_t>(sectors - 1), sector_of_.data(), leg_m_.data(),
                            leg_slope_.data());
  clear_m_.assign(sectors, infinity_f);
  slope_.assign(sectors, -infinity_f);
  float longest_m = 0;
  for (const float leg_m : leg_m_) longest_m = std::max(longest_m, leg_m);
  boxes_.visit_around(from.xy(), static_cast<double>(longest_m) + distance_padding_m,
                      [&](const VegetationBoxes::Box& box) { raise(from, box); });
  behind_.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t sector = sector_of_[i];
    if (leg_m_[i] >= clear_m_[sector] && leg_slope_[i] <= slope_[sector]) behind_.push_back(numbers[i]);
  }
  return behind_;
}

}  // namespace tesseray
