// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/corners_in_sight.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/propagation/rows/edge_runs.h"

namespace tesseray {
namespace {

constexpr std::uint32_t sectors = 2048;
// Nearer to an end in the plan a corner is no screen between.
constexpr double from_ends_m = 0.1;

double sector_of(Vec2 way) { return (std::atan2(way.y, way.x) / (2 * pi) + 0.5) * sectors; }

// visit(sector) for all in which rays come near a corner.
template <class Visit>
void for_each_sector(Vec2 corner, double wavelength_m, const Visit& visit) {
  // ν beside a ray is never less than with the target far away; of one as steep as this (1/cos 66°) it is less by the
  // root of that.
  constexpr double steepest = 2.5;
  const double half = std::fmin(-least_nu_in_sight * std::sqrt(steepest * wavelength_m / (2 * norm(corner))), pi);
  const double middle = sector_of(corner), half_sectors = half / (2 * pi) * sectors;
  const auto first = static_cast<std::int64_t>(std::floor(middle - half_sectors)),
             last = static_cast<std::int64_t>(std::floor(middle + half_sectors));
  for (std::int64_t s = first; s <= last && s < first + sectors; ++s) {
    visit(static_cast<std::uint32_t>((s % sectors + sectors) % sectors));
  }
}

}  // namespace

CornersInSight::CornersInSight(const LaunchEnvironment& environment, Vec3 antenna, double wavelength_m,
                               std::span<const std::uint32_t> seen)
    : antenna_(antenna), wavelength_m_(wavelength_m) {
  std::vector<bool> has_run(environment.edge_runs.size());
  for (const std::uint32_t element : seen) {
    if (!environment.points.is_edge(element)) continue;
    const EdgeSegment& edge = environment.view.edge(element);
    if (edge.kind != EdgeKind::corner || edge.prism == no_index) continue;
    const EdgeRun& run = environment.edge_runs[element - environment.points.tile_count()];
    const Vec2 from_antenna = run.midpoint.xy() - antenna.xy();
    if (has_run[run.number] || norm(from_antenna) < from_ends_m) continue;
    has_run[run.number] = true;
    corners_.push_back({from_antenna, run.midpoint.z - run.half_length_m, run.midpoint.z + run.half_length_m,
                        environment.stacks[edge.prism]});
  }
  offsets_.assign(sectors + 1, 0);
  for (const Corner& corner : corners_) {
    for_each_sector(corner.from_antenna, wavelength_m, [&](std::uint32_t s) { ++offsets_[s + 1]; });
  }
  for (std::uint32_t s = 0; s < sectors; ++s) offsets_[s + 1] += offsets_[s];
  of_sector_.resize(offsets_.back());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t c = 0; c < corners_.size(); ++c) {
    for_each_sector(corners_[c].from_antenna, wavelength_m, [&](std::uint32_t s) { of_sector_[next[s]++] = c; });
  }
}

std::span<const std::uint32_t> CornersInSight::near_azimuth(Vec2 way) const {
  const auto sector = std::min(static_cast<std::uint32_t>(sector_of(way)), sectors - 1);
  return std::span(of_sector_).subspan(offsets_[sector], offsets_[sector + 1] - offsets_[sector]);
}

PastCorners CornersInSight::past(Vec3 to) const {
  const Vec3 way = to - antenna_;
  const double distance_m = norm(way.xy());
  if (corners_.size() < 2 || distance_m < 2 * from_ends_m) return {};
  const Vec2 along = (1 / distance_m) * way.xy();
  const double way_m = norm(way), slanted = way_m / distance_m;
  std::vector<Beside> left, right;
  for (const std::uint32_t c : near_azimuth(along)) {
    const Corner& corner = corners_[c];
    const double at = dot(along, corner.from_antenna), beside = cross(along, corner.from_antenna);
    if (at < from_ends_m || at > distance_m - from_ends_m) continue;
    const double z = antenna_.z + at / distance_m * way.z;
    if (z < corner.bottom_z || z > corner.top_z) continue;
    const Beside screen{{slanted * at, -std::fabs(beside)}, corner.house};
    if (fresnel_parameter_between({0, 0}, screen.place, {way_m, 0}, wavelength_m_) <= least_nu_in_sight) continue;
    (beside > 0 ? left : right).push_back(screen);
  }
  const OneSide of_left = past_one_side(left, way_m), of_right = past_one_side(right, way_m);
  const Complex factor = of_left.factor * of_right.factor;
  return {static_cast<float>(factor.re), static_cast<float>(factor.im), static_cast<float>(of_left.taken),
          static_cast<float>(of_right.taken)};
}

double CornersInSight::part_of(const Beside& corner, double way_m) const {
  return part_in_sight(fresnel_parameter_between({0, 0}, corner.place, {way_m, 0}, wavelength_m_));
}

Complex CornersInSight::past_screens(std::vector<Beside>& corners, double way_m) const {
  std::ranges::sort(corners, {}, [](const Beside& corner) { return std::pair(corner.place.x, corner.place.y); });
  std::vector<Vec2> profile{{0, 0}};
  for (const Beside& corner : corners) {
    if (corner.place.x > profile.back().x) {
      profile.push_back(corner.place);
    } else {
      profile.back().y = std::max(profile.back().y, corner.place.y);
    }
  }
  profile.emplace_back(way_m, 0);
  ScreenChoice choice = choose_screens(profile, wavelength_m_, least_nu_in_sight);
  drop_cancelling(profile, wavelength_m_, choice);
  if (choice.count < 3) return {1, 0};
  std::vector<Vec2> screens;
  for (std::uint32_t i = 0; i < choice.count; ++i) screens.push_back(profile[choice.indices[i]]);
  return multiple_screen_factor(screens, wavelength_m_);
}

CornersInSight::OneSide CornersInSight::past_one_side(std::vector<Beside>& corners, double way_m) const {
  if (corners.size() < 2) return {};
  const auto part = [&](const Beside& corner) { return part_of(corner, way_m); };
  const Beside nearest = *std::ranges::max_element(corners, {}, part);
  // The corners of one house are what the launch diffracts at them.
  double of_second_house = 0;
  for (const Beside& corner : corners) {
    if (corner.house != nearest.house) of_second_house = std::max(of_second_house, part(corner));
  }
  if (!(of_second_house > 0)) return {};
  const Complex all{1, 0};
  return {all + of_second_house * part(nearest) * (past_screens(corners, way_m) - all), of_second_house};
}

}  // namespace tesseray
