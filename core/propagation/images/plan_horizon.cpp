// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/plan_horizon.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/infinity.h"
#include "core/base/units.h"

namespace tesseray {
namespace {

// Roundings of angles (rad) and of distances; and how much higher than they are things count as.
constexpr double angle_margin = 1e-9, distance_margin_m = 1e-6, height_margin_m = 0.02;
// A line seen at a smaller angle than this (rad) is not asked where a direction meets it: a rounding of the angle would
// move the place by more than the margin, 5 km away.
constexpr double grazing = 1e-6;

double wrapped(double angle) { return angle - 2 * pi * std::round(angle / (2 * pi)); }

double angle_of(Vec2 way) { return std::atan2(way.y, way.x); }

}  // namespace

PlanSector PlanSector::of(Vec2 apex, std::span<const Vec3> corners) {
  const double reference = angle_of(corners.front().xy() - apex);
  double first = 0, last = 0, turned = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 way = corners[i].xy() - apex;
    if (norm(way) < distance_margin_m) return {apex};
    const double angle = wrapped(angle_of(way) - reference);
    first = std::min(first, angle);
    last = std::max(last, angle);
    const Vec2 next = corners[i + 1 == corners.size() ? 0 : i + 1].xy() - apex;
    turned += std::atan2(cross(way, next), dot(way, next));
  }
  // Corners that run once around the apex have it between them.
  if (std::fabs(turned) > pi || last - first > pi - 1e-6) return {apex};
  return {apex, wrapped(reference + 0.5 * (first + last)), 0.5 * (last - first) + angle_margin};
}

double PlanSector::angle_to(Vec2 point) const { return wrapped(angle_of(point - apex) - middle); }

PlanHorizon::Line::Line(const PlanSector& sector, Vec2 begin, Vec2 end) {
  const Vec2 from = begin - sector.apex, side = end - begin;
  const double length = norm(side);
  const double at_begin = norm(from), at_end = norm(end - sector.apex);
  greatest_m = std::max(at_begin, at_end);
  least_m = std::min(at_begin, at_end);
  const double begin_angle = sector.angle_to(begin), end_angle = sector.angle_to(end);
  first_angle = std::min(begin_angle, end_angle);
  last_angle = std::max(begin_angle, end_angle);
  crosses_cut = last_angle - first_angle > pi;
  // Across the segment, which is known to more digits than the way to a foot near the apex.
  Vec2 across = length > 0 ? (1 / length) * Vec2{-side.y, side.x} : (1 / std::max(least_m, distance_margin_m)) * from;
  if (dot(from, across) < 0) across = -1.0 * across;
  distance_m = dot(from, across);
  normal = {sector.angle_to(sector.apex + across), across};
  const double along = -dot(from, side);
  if (along > 0 && along < length * length) least_m = distance_m;
  meets_apex = least_m < distance_margin_m;
}

PlanHorizon::Distances PlanHorizon::between(const Line& line, const Direction& first, const Direction& last) {
  const double first_cosine = dot(line.normal.unit, first.unit), last_cosine = dot(line.normal.unit, last.unit);
  if (!(std::min(first_cosine, last_cosine) > grazing)) return {line.least_m, line.greatest_m};
  const double a = std::clamp(line.distance_m / first_cosine, line.least_m, line.greatest_m);
  const double b = std::clamp(line.distance_m / last_cosine, line.least_m, line.greatest_m);
  const bool holds_foot = line.normal.angle > first.angle && line.normal.angle < last.angle;
  return {holds_foot ? std::max(line.least_m, line.distance_m) : std::min(a, b), std::max(a, b)};
}

PlanHorizon::Direction PlanHorizon::towards(double angle) const {
  const double in_plan = sector_.middle + angle;
  return {angle, {std::cos(in_plan), std::sin(in_plan)}};
}

PlanHorizon::PlanHorizon(const PlanSector& sector, double height_m, std::vector<Wall> walls, std::size_t bins)
    : sector_(sector), height_m_(height_m), bins_(bins) {
  const double half_width = std::min(sector.half_width, pi);
  first_angle_ = -half_width;
  bin_width_ = 2 * half_width / static_cast<double>(bins);
  borders_.reserve(bins + 1);
  for (std::size_t bin = 0; bin <= bins; ++bin)
    borders_.push_back(towards(first_angle_ + static_cast<double>(bin) * bin_width_));
  std::vector<std::pair<Line, double>> lines;
  lines.reserve(walls.size());
  for (const Wall& wall : walls) lines.emplace_back(Line(sector, wall.begin, wall.end), wall.top_z);
  // Near ones first: then a bin's entries grow in distance.
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first.greatest_m < b.first.greatest_m; });
  for (const auto& [line, top_z] : lines) {
    if (line.meets_apex || !(line.distance_m > distance_margin_m)) continue;
    if (line.crosses_cut) {
      add(line, line.last_angle, pi, top_z);
      add(line, -pi, line.first_angle, top_z);
    } else {
      add(line, line.first_angle, line.last_angle, top_z);
    }
  }
}

std::size_t PlanHorizon::bin_of(double angle) const {
  const double bin = std::floor((angle - first_angle_) / bin_width_);
  return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins_.size() - 1)));
}

void PlanHorizon::add(const Line& line, double first_angle, double last_angle, double top_z) {
  // Only bins that the wall fills.
  const double first = std::ceil((first_angle + angle_margin - first_angle_) / bin_width_);
  const double end = std::floor((last_angle - angle_margin - first_angle_) / bin_width_);
  const auto first_bin = static_cast<std::size_t>(std::max(first, 0.0));
  const auto end_bin = static_cast<std::size_t>(std::clamp(end, 0.0, static_cast<double>(bins_.size())));
  const double above_m = top_z - height_m_;
  for (std::size_t bin = first_bin; bin < end_bin; ++bin) {
    const Distances distances = between(line, borders_[bin], borders_[bin + 1]);
    Blocked blocked{distances.greatest_m, above_m / (above_m > 0 ? distances.greatest_m : distances.least_m)};
    if (!bins_[bin].empty()) {
      // One that hides no more than those before tells nothing new.
      if (blocked.slope <= bins_[bin].back().slope) continue;
      blocked.farthest_m = std::max(blocked.farthest_m, bins_[bin].back().farthest_m);
    }
    bins_[bin].push_back(blocked);
  }
}

template <class Between>
bool PlanHorizon::hides(double first_angle, double last_angle, double top_z, const Between& between) const {
  const Direction first = towards(std::max(first_angle - angle_margin, borders_.front().angle));
  const Direction last = towards(std::min(last_angle + angle_margin, borders_.back().angle));
  if (first.angle > last.angle) return false;
  const double above_m = top_z + height_margin_m - height_m_;
  const std::size_t last_bin = bin_of(last.angle);
  for (std::size_t bin = bin_of(first.angle); bin <= last_bin; ++bin) {
    const Distances distances = between(first.angle > borders_[bin].angle ? first : borders_[bin],
                                        last.angle < borders_[bin + 1].angle ? last : borders_[bin + 1]);
    const double slope = above_m / (above_m > 0 ? distances.least_m : distances.greatest_m);
    const auto nearer = std::partition_point(bins_[bin].begin(), bins_[bin].end(), [&](const Blocked& blocked) {
      return blocked.farthest_m < distances.least_m - distance_margin_m;
    });
    if (nearer == bins_[bin].begin() || std::prev(nearer)->slope < slope) return false;
  }
  return true;
}

bool PlanHorizon::hides(Vec2 begin, Vec2 end, double top_z) const {
  const Line line(sector_, begin, end);
  if (line.meets_apex) return false;
  const auto along_line = [&line](const Direction& first, const Direction& last) { return between(line, first, last); };
  if (!line.crosses_cut) return hides(line.first_angle, line.last_angle, top_z, along_line);
  return hides(line.last_angle, pi, top_z, along_line) && hides(-pi, line.first_angle, top_z, along_line);
}

bool PlanHorizon::hides(std::span<const Vec3> corners, double top_z) const {
  const PlanSector seen = PlanSector::of(sector_.apex, corners);
  if (seen.half_width >= pi) return false;
  Distances distances{infinity, 0};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Line side(sector_, corners[i].xy(), corners[i + 1 == corners.size() ? 0 : i + 1].xy());
    distances.least_m = std::min(distances.least_m, side.least_m);
    distances.greatest_m = std::max(distances.greatest_m, side.greatest_m);
  }
  const auto anywhere = [&distances](const Direction&, const Direction&) { return distances; };
  const double middle = wrapped(seen.middle - sector_.middle);
  const double first = middle - seen.half_width, last = middle + seen.half_width;
  if (first < -pi) return hides(first + 2 * pi, pi, top_z, anywhere) && hides(-pi, last, top_z, anywhere);
  if (last > pi) return hides(first, pi, top_z, anywhere) && hides(-pi, last - 2 * pi, top_z, anywhere);
  return hides(first, last, top_z, anywhere);
}

}  // namespace tesseray
