// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sector_occluders.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tesseray {

namespace {

// Azimuths, slopes and distances are widened by far more than they are rounded.
constexpr double azimuth_margin = 1e-6, relative_margin = 1e-6, distance_margin_m = 1e-3;
constexpr AzimuthInterval all_around = {0, 8};
// Where a wall is met so close above its top, or at so small an angle, rounding may tell its part's other walls apart.
constexpr double tie_height_m = 1e-6, tie_angle = 1e-6;
// A wall faces away when the eye is so far behind its plane, and walls so little higher than the eye stay.
constexpr double behind_m = 1e-3, level_m = 1e-5;

// True when a segment that does not meet a wall may do so but for rounding. REQUIRES: it passes over or beside the
// wall, not past its ends.
bool passes_narrowly(Vec3 first, Vec3 second, const WallSide& wall) {
  const Vec2 along = second.xy() - first.xy(), side = wall.q - wall.p;
  const double angle = cross(side, along);
  if (std::fabs(angle) <= tie_angle * square_norm(side) * square_norm(along)) return true;
  const double z = first.z + cross(side, wall.p - first.xy()) / angle * (second.z - first.z);
  return std::fabs(z - wall.top_z) <= tie_height_m;
}

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

SectorOccluders::SectorOccluders(const OcclusionView& occlusion, const Horizon& horizon)
    : occlusion_(occlusion),
      horizon_(horizon),
      wall_round_(occlusion.side_count, 0),
      part_round_(occlusion.part_count, 0) {}

void SectorOccluders::reset(Vec3 eye, bool rising) {
  eye_ = eye;
  rising_ = rising;
  ++round_;
  walls_.clear();
  for (std::vector<Occluder>& sector : occluders_) sector.clear();
}

void SectorOccluders::add_wall(const WallSide& wall, std::uint32_t side) {
  const Vec2 p = wall.p - eye_.xy(), q = wall.q - eye_.xy();
  if (rising_ && wall.bottom_z == -std::numeric_limits<double>::infinity() && wall.top_z > eye_.z + level_m &&
      cross(p, q) > behind_m * norm(q - p)) {
    return;
  }
  if (std::exchange(wall_round_[side], round_) == round_) return;
  Rectangle box{p, p};
  box.extend(q);
  add(box, wall.top_z, static_cast<std::uint32_t>(walls_.size()), azimuths_of_wall(p, q));
  walls_.push_back(wall);
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
  const float highest_slope = static_cast<float>(slope + relative_margin * (1 + std::fabs(slope)));
  if (highest_slope < horizon_.lowest(azimuths)) return;
  const Occluder occluder = {highest_slope, static_cast<float>(nearest * (1 - relative_margin) - distance_margin_m),
                             index};
  const int first = static_cast<int>(std::floor((azimuths.low - azimuth_margin) * (sectors / 8.0)));
  const int last = static_cast<int>(std::floor((azimuths.high + azimuth_margin) * (sectors / 8.0)));
  for (int sector = first; sector <= std::min(last, first + sectors - 1); ++sector) {
    occluders_[static_cast<std::size_t>(sector & (sectors - 1))].push_back(occluder);
  }
}

SectorOccluders::Answer SectorOccluders::block(Vec3 target, const Sight& sight) {
  const auto [first, second] = ordered_ends(eye_, target);
  std::vector<Occluder>& sector = occluders_[static_cast<std::size_t>(sight.azimuth * (sectors / 8.0)) & (sectors - 1)];
  Answer answer = Answer::no;
  for (Occluder& occluder : sector) {
    if (static_cast<double>(occluder.highest_slope) < sight.slope ||
        static_cast<double>(occluder.nearest_m) > sight.distance) {
      continue;
    }
    const Answer of_one = test(first, second, occluder.index);
    if (of_one == Answer::yes) {
      // Neighbouring targets are likely to be behind the same wall.
      std::swap(occluder, sector.front());
      return Answer::yes;
    }
    if (of_one == Answer::maybe) answer = Answer::maybe;
  }
  return answer;
}

SectorOccluders::Answer SectorOccluders::test(Vec3 first, Vec3 second, std::uint32_t index) const {
  if ((index & raised_flag) != 0) {
    return meets_flats(occlusion_, first, second, occlusion_.parts[index & ~raised_flag]) ? Answer::yes : Answer::no;
  }
  const WallSide& wall = walls_[index];
  const Vec2 along = second.xy() - first.xy();
  const double side_p = cross(along, wall.p - first.xy()), side_q = cross(along, wall.q - first.xy());
  const double tie = tie_angle * square_norm(along);
  if ((side_p > tie && side_q > tie) || (side_p < -tie && side_q < -tie)) return Answer::no;
  if (meets_wall(first, second, wall)) return Answer::yes;
  return rising_ && passes_narrowly(first, second, wall) ? Answer::maybe : Answer::no;
}

}  // namespace tesseray
