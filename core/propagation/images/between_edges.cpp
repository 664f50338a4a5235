// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/between_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/units.h"
#include "core/propagation/images/beam.h"

namespace tesseray {
namespace {

// Edges of one box: those of one square of the plan, and no more than so many.
constexpr double square_m = 16;
constexpr std::uint32_t most_in_box = 8;

std::array<Vec3, 2> ends_of(const EdgeSegment& edge) {
  const Vec3 half = 0.5 * edge.length_m * edge.direction;
  return {edge.midpoint - half, edge.midpoint + half};
}

SpaceBox box_around(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3 p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {0.5 * (low + high), 0.5 * (high - low)};
}

// True when all of the surface lies between the planes of the edge's faces, in its solid.
bool is_in_solid(const EdgeSegment& edge, const Reflector& reflector) {
  if (!(edge.wedge_angle > pi)) return false;
  const std::span<const Vec3> corners = reflector.polygon();
  return std::all_of(corners.begin(), corners.end(), [&](Vec3 corner) {
    const Vec3 way = corner - edge.midpoint;
    return dot(way, edge.normal_0) < -reach_margin_m && dot(way, edge.normal_n) < -reach_margin_m;
  });
}

}  // namespace

BetweenEdges::BetweenEdges(const Reflectors& reflectors, const RealEdges& edges, std::vector<std::uint32_t> first,
                           Vec3 from, double max_length_m)
    : reflectors_(reflectors), edges_(edges), first_(std::move(first)), max_length_m_(max_length_m) {
  add_groups();
  add_mirrors(from);
}

void BetweenEdges::add_groups() {
  const auto square_of = [&](std::uint32_t number) {
    const Vec3 p = edges_[number].midpoint;
    return std::pair{std::floor(p.x / square_m), std::floor(p.y / square_m)};
  };
  std::sort(first_.begin(), first_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{square_of(a), a} < std::pair{square_of(b), b};
  });
  std::vector<Vec3> ends;
  const auto count = static_cast<std::uint32_t>(first_.size());
  for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
    ends.clear();
    for (; end < count && end - begin < most_in_box && square_of(first_[end]) == square_of(first_[begin]); ++end) {
      for (const Vec3 p : ends_of(edges_[first_[end]])) ends.push_back(p);
    }
    groups_.push_back({box_around(ends), begin, end});
  }
}

bool BetweenEdges::may_reflect(const EdgeSegment& edge, const Reflector& reflector) const {
  return part_in_front(edge, reflector) && !is_in_solid(edge, reflector);
}

void BetweenEdges::add_mirrors(Vec3 from) {
  for (std::uint32_t number = 0; number < reflectors_.all().size(); ++number) {
    const Reflector& reflector = reflectors_[number];
    const SpaceBox box = box_around(reflector.polygon());
    Mirror mirror{number, box.centre, norm(box.half), 0};
    mirror.from_source_m = std::max(norm(box.centre - from) - mirror.radius_m, 0.0);
    if (mirror.from_source_m > max_length_m_) continue;
    const bool is_lit = std::any_of(first_.begin(), first_.end(),
                                    [&](std::uint32_t edge) { return may_reflect(edges_[edge], reflector); });
    if (is_lit) mirrors_.push_back(mirror);
  }
}

std::vector<BetweenEdges::Way> BetweenEdges::ways(std::uint32_t second, Vec3 to) const {
  const EdgeSegment& edge = edges_[second];
  const double radius_m = 0.5 * edge.length_m;
  const double to_end_m = std::max(norm(to - edge.midpoint) - radius_m, 0.0);
  std::vector<Way> ways;
  for (const Mirror& mirror : mirrors_) {
    const Reflector& reflector = reflectors_[mirror.reflector];
    const double to_mirror_m = norm(mirror.centre - edge.midpoint) - mirror.radius_m - radius_m;
    if (mirror.from_source_m + std::max(to_mirror_m, 0.0) + to_end_m > max_length_m_) continue;
    const auto part = part_in_front(edge, reflector);
    if (!part || is_in_solid(edge, reflector)) continue;
    const EdgeBeam beam(reflector, part->first, part->second);
    for (const Group& group : groups_) {
      if (!beam.reaches(group.box)) continue;
      for (std::uint32_t i = group.begin; i < group.end; ++i) {
        const auto [a, b] = ends_of(edges_[first_[i]]);
        if (beam.reaches_segment(a, b) && may_reflect(edges_[first_[i]], reflector)) {
          ways.push_back({first_[i], mirror.reflector});
        }
      }
    }
  }
  return ways;
}

}  // namespace tesseray
