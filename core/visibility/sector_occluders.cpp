// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sector_occluders.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tesseray {

namespace {

constexpr double sectors_per_unit = 256 / 8.0;
// Azimuths, slopes and distances are widened by far more than they are rounded.
constexpr double azimuth_margin = 1e-6, relative_margin = 1e-6, distance_margin_m = 1e-3;
constexpr AzimuthInterval all_around = {0, 8};

// The azimuths of a wall as seen from the origin.
AzimuthInterval azimuths_of_wall(Vec2 p, Vec2 q) {
  const double turn = cross(p, q);
  // Nearly in line with the eye, which may stand between the wall's ends.
  if (std::fabs(turn) < 1e-6 * (square_norm(p) + square_norm(q)) && dot(p, q) <= 0) return all_around;
  AzimuthInterval interval = {square_azimuth(p), square_azimuth(q)};
  if (turn < 0) std::swap(interval.low, interval.high);
  if (interval.high < interval.low) interval.high += 8;
  // In line with the eye, rounding may have put the ends in the wrong order.
  if (interval.high - interval.low > 4) interval = {interval.high - 8, interval.low};
  return interval;
}

}  // namespace

SectorOccluders::SectorOccluders(const OcclusionView& occlusion)
    : occlusion_(occlusion), wall_round_(occlusion.side_count, 0), part_round_(occlusion.part_count, 0) {}

void SectorOccluders::reset(Vec3 eye) {
  eye_ = eye;
  ++round_;
  for (std::vector<Occluder>& sector : occluders_) sector.clear();
}

void SectorOccluders::add_wall(std::uint32_t side) {
  if (std::exchange(wall_round_[side], round_) == round_) return;
  const WallSide& wall = occlusion_.outlines[side];
  const Vec2 p = wall.p - eye_.xy(), q = wall.q - eye_.xy();
  Rectangle box{p, p};
  box.extend(q);
  add(box, wall.top_z, side, azimuths_of_wall(p, q));
}

void SectorOccluders::add_raised_part(std::uint32_t part, const Rectangle& bounds) {
  if (std::exchange(part_round_[part], round_) == round_) return;
  const Rectangle box = {bounds.min - eye_.xy(), bounds.max - eye_.xy()};
  const AzimuthInterval azimuths = nearest_distance(box) < distance_margin_m ? all_around : azimuths_of(box);
  add(box, occlusion_.parts[part].top_z, raised_flag | part, azimuths);
}

void SectorOccluders::add(const Rectangle& box_from_eye, double top_z, std::uint32_t index, AzimuthInterval azimuths) {
  const double height = top_z - eye_.z, nearest = nearest_distance(box_from_eye);
  double slope = std::numeric_limits<double>::infinity();
  if (height <= 0) {
    slope = height / (farthest_distance(box_from_eye) + distance_margin_m);
  } else if (nearest > distance_margin_m) {
    slope = height / (nearest - distance_margin_m);
  }
  const Occluder occluder = {static_cast<float>(slope + relative_margin * (1 + std::fabs(slope))),
                             static_cast<float>(nearest * (1 - relative_margin) - distance_margin_m), index};
  const int first = static_cast<int>(std::floor((azimuths.low - azimuth_margin) * sectors_per_unit));
  const int last = static_cast<int>(std::floor((azimuths.high + azimuth_margin) * sectors_per_unit));
  for (int sector = first; sector <= std::min(last, first + sectors - 1); ++sector) {
    occluders_[static_cast<std::size_t>(sector & (sectors - 1))].push_back(occluder);
  }
}

bool SectorOccluders::block(Vec3 target, const Sight& sight) const {
  const auto [first, second] = ordered_ends(eye_, target);
  const int sector = static_cast<int>(sight.azimuth * sectors_per_unit) & (sectors - 1);
  for (const Occluder& occluder : occluders_[static_cast<std::size_t>(sector)]) {
    if (static_cast<double>(occluder.highest_slope) < sight.slope ||
        static_cast<double>(occluder.nearest_m) > sight.distance) {
      continue;
    }
    if (meets(first, second, occluder.index)) return true;
  }
  return false;
}

bool SectorOccluders::meets(Vec3 first, Vec3 second, std::uint32_t index) const {
  if ((index & raised_flag) == 0) return meets_wall(first, second, occlusion_.outlines[index]);
  return meets_flats(occlusion_, first, second, occlusion_.parts[index & ~raised_flag]);
}

}  // namespace tesseray
