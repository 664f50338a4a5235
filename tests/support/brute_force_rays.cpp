// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/brute_force_rays.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tesseray::testing {
namespace {

// Points are lifted off surfaces and edges by this for the tests of sight, as visibility is defined.
constexpr double lift = 0.01;

Vec3 level(Vec2 p, double z) { return {p.x, p.y, z}; }

double way(Vec3 a, Vec3 b) { return norm(b - a); }

// Steps that find a least point to rounding, and those that tell whether it is near an end.
constexpr int fine = 60, coarse = 25;

// The least point of a convex function on [0, 1], by golden sections; an end itself when it is not told from it.
template <class Function>
double least_point(const Function& f, int steps = fine) {
  constexpr double part = 0.6180339887498949;
  double low = 0, high = 1, a = 1 - part, b = part, at_a = f(a), at_b = f(b);
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - part * (high - low);
      at_a = f(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + part * (high - low);
      at_b = f(b);
    }
  }
  return low == 0 ? 0 : high == 1 ? 1 : 0.5 * (low + high);
}

// The least point of a convex function on [0, 1] × [0, 1].
template <class Function>
std::pair<double, double> least_pair(const Function& f, int steps) {
  const auto best_second = [&](double s) { return least_point([&](double t) { return f(s, t); }, steps); };
  const double s = least_point([&](double share) { return f(share, best_second(share)); }, steps);
  return {s, best_second(s)};
}

// True when the least point found is one of the function's own and no end of the interval.
bool is_inside(double share) { return share > 1e-6 && share < 1 - 1e-6; }

}  // namespace

Vec3 BruteForceRays::Edge::outwards() const { return normalized(normal_0 + normal_n); }

bool BruteForceRays::Edge::is_in_air(Vec3 p) const {
  return dot(p - begin, normal_0) > -1e-6 || dot(p - begin, normal_n) > -1e-6;
}

Prism TurnedBox::prism(std::int64_t building_id) const {
  const Vec2 x{std::cos(angle) * half_x, std::sin(angle) * half_x},
      y{-std::sin(angle) * half_y, std::cos(angle) * half_y};
  Prism prism;
  prism.building_id = building_id;
  prism.rings = {{centre - x - y, centre + x - y, centre + x + y, centre - x + y}};
  prism.top_z = height;
  return prism;
}

BruteForceRays::BruteForceRays(std::vector<TurnedBox> boxes) : boxes_(std::move(boxes)) {
  planes_.push_back({{}, upwards, {}, {}});
  for (const TurnedBox& box : boxes_) {
    const Vec2 x{std::cos(box.angle), std::sin(box.angle)}, y{-std::sin(box.angle), std::cos(box.angle)};
    const Vec3 half_x = level(box.half_x * x, 0), half_y = level(box.half_y * y, 0);
    const Vec3 half_z{0, 0, 0.5 * box.height}, centre = level(box.centre, 0.5 * box.height);
    planes_.push_back({centre + half_z, upwards, half_x, half_y});
    for (const double side : {-1.0, 1.0}) {
      planes_.push_back({centre + side * half_x, side * level(x, 0), half_y, half_z});
      planes_.push_back({centre + side * half_y, side * level(y, 0), half_x, half_z});
      const Vec3 roof_x = centre + half_z + side * half_x, roof_y = centre + half_z + side * half_y;
      edges_.push_back({roof_x - half_y, roof_x + half_y, side * level(x, 0), upwards});
      edges_.push_back({roof_y - half_x, roof_y + half_x, side * level(y, 0), upwards});
      for (const double other : {-1.0, 1.0}) {
        const Vec3 corner = centre + side * half_x + other * half_y;
        edges_.push_back({corner - half_z, corner + half_z, side * level(x, 0), other * level(y, 0)});
      }
    }
  }
}

bool BruteForceRays::is_free(Vec3 a, Vec3 b) const {
  if (a.z < 0 || b.z < 0) return false;
  return std::none_of(boxes_.begin(), boxes_.end(), [&](const TurnedBox& box) {
    const Vec2 x{std::cos(box.angle), std::sin(box.angle)}, y{-std::sin(box.angle), std::cos(box.angle)};
    const double from[] = {dot(a.xy() - box.centre, x), dot(a.xy() - box.centre, y), a.z};
    const double to[] = {dot(b.xy() - box.centre, x), dot(b.xy() - box.centre, y), b.z};
    const double low[] = {-box.half_x, -box.half_y, -1e9}, high[] = {box.half_x, box.half_y, box.height};
    double first = 0, last = 1;
    for (int i = 0; i < 3; ++i) {
      const double step = to[i] - from[i];
      if (step == 0) {
        if (from[i] <= low[i] || from[i] >= high[i]) return false;
        continue;
      }
      const double s = (low[i] - from[i]) / step, t = (high[i] - from[i]) / step;
      first = std::max(first, std::min(s, t));
      last = std::min(last, std::max(s, t));
    }
    return first < last;
  });
}

template <class Visit>
void BruteForceRays::for_sequences(int length, const Visit& visit) const {
  std::vector<int> sequence(static_cast<std::size_t>(length), 0);
  const auto count = static_cast<int>(planes_.size());
  for (;;) {
    if (std::adjacent_find(sequence.begin(), sequence.end()) == sequence.end()) visit(sequence);
    std::size_t i = 0;
    while (i < sequence.size() && ++sequence[i] == count) sequence[i++] = 0;
    if (i == sequence.size()) return;
  }
}

Vec3 BruteForceRays::image(const std::vector<int>& sequence, Vec3 point) const {
  for (const int number : sequence) {
    const Plane& plane = planes_[static_cast<std::size_t>(number)];
    point = point - 2 * dot(point - plane.centre, plane.normal) * plane.normal;
  }
  return point;
}

bool BruteForceRays::meets_in_turn(const std::vector<int>& sequence, Vec3 from, Vec3 to,
                                   std::vector<Vec3>& points) const {
  points.assign(sequence.size(), {});
  Vec3 end = to;
  for (std::size_t i = sequence.size(); i-- > 0;) {
    const Plane& plane = planes_[static_cast<std::size_t>(sequence[i])];
    const Vec3 start = image({sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(i) + 1}, from);
    const double below = dot(start - plane.centre, plane.normal), above = dot(end - plane.centre, plane.normal);
    if (below > -1e-3 || above < 1e-3) return false;
    points[i] = start + (below / (below - above)) * (end - start);
    if (norm(plane.half_u) > 0) {
      const Vec3 in_plane = points[i] - plane.centre;
      if (std::fabs(dot(in_plane, plane.half_u)) > squared_norm(plane.half_u)) return false;
      if (std::fabs(dot(in_plane, plane.half_v)) > squared_norm(plane.half_v)) return false;
    }
    end = points[i];
  }
  return true;
}

bool BruteForceRays::legs_are_free(const std::vector<Vec3>& points, const std::vector<Vec3>& lifts) const {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (!is_free(points[i] + lift * lifts[i], points[i + 1] + lift * lifts[i + 1])) return false;
  }
  return true;
}

std::string BruteForceRays::letters(const std::vector<int>& sequence) const {
  std::string text;
  for (const int plane : sequence) text += plane == 0 ? "-G" : "-R";
  return text;
}

std::vector<BruteForceRay> BruteForceRays::reflected(Vec3 from, Vec3 to, int most_reflections) const {
  std::vector<BruteForceRay> rays;
  for (int length = 0; length <= most_reflections; ++length) {
    for_sequences(length, [&](const std::vector<int>& sequence) {
      std::vector<Vec3> points;
      if (!meets_in_turn(sequence, from, to, points)) return;
      std::vector<Vec3> lifts{{}};
      for (const int plane : sequence) lifts.push_back(planes_[static_cast<std::size_t>(plane)].normal);
      lifts.emplace_back();
      points.insert(points.begin(), from);
      points.push_back(to);
      if (legs_are_free(points, lifts))
        rays.push_back({std::string("T").append(letters(sequence)), way(image(sequence, from), to), points});
    });
  }
  return rays;
}

std::vector<BruteForceRay> BruteForceRays::diffracted(Vec3 from, Vec3 to, int most_reflections) const {
  std::vector<BruteForceRay> rays;
  const auto try_one = [&](const std::vector<int>& before, const std::vector<int>& after, const Edge& edge) {
    const Vec3 source = image(before, from), observer = image(after, to);
    const auto point_at = [&](double share) { return edge.begin + share * (edge.end - edge.begin); };
    const double share = least_point([&](double s) { return way(source, point_at(s)) + way(point_at(s), observer); });
    if (!is_inside(share)) return;
    const Vec3 point = point_at(share);
    std::vector<Vec3> points, behind;
    if (!meets_in_turn(before, from, point, points) || !meets_in_turn(after, to, point, behind)) return;
    std::vector<Vec3> lifts{{}};
    for (const int plane : before) lifts.push_back(planes_[static_cast<std::size_t>(plane)].normal);
    lifts.push_back(edge.outwards());
    std::vector<int> back(after.rbegin(), after.rend());
    for (const int plane : back) lifts.push_back(planes_[static_cast<std::size_t>(plane)].normal);
    lifts.emplace_back();
    points.insert(points.begin(), from);
    points.push_back(point);
    points.insert(points.end(), behind.rbegin(), behind.rend());
    points.push_back(to);
    const std::size_t at = before.size() + 1;
    if (!edge.is_in_air(points[at - 1]) || !edge.is_in_air(points[at + 1])) return;
    if (!legs_are_free(points, lifts)) return;
    rays.push_back({std::string("T").append(letters(before)).append("-D").append(letters(back)),
                    way(source, point) + way(point, observer), points});
  };
  for (int before = 0; before <= most_reflections; ++before) {
    for (int after = 0; before + after <= most_reflections; ++after) {
      for_sequences(before, [&](const std::vector<int>& first) {
        for_sequences(after, [&](const std::vector<int>& last) {
          for (const Edge& edge : edges_) try_one(first, last, edge);
        });
      });
    }
  }
  return rays;
}

void BruteForceRays::add_twice_diffracted(const Edge& first, const Edge& second,
                                          const std::vector<int> (&reflections)[3], Vec3 from, Vec3 to,
                                          std::vector<BruteForceRay>& rays) const {
  const auto& [before, between, after] = reflections;
  const Vec3 source = image(before, from), observer = image({after.rbegin(), after.rend()}, to);
  const auto on_first = [&](double s) { return first.begin + s * (first.end - first.begin); };
  const auto on_second = [&](double t) { return second.begin + t * (second.end - second.begin); };
  const auto length_over = [&](double s, double t) {
    const Vec3 p = on_first(s), q = on_second(t);
    return way(source, p) + way(image(between, p), q) + way(q, observer);
  };
  const auto [near_s, near_t] = least_pair(length_over, coarse);
  if (!is_inside(near_s) || !is_inside(near_t)) return;
  const auto [s, t] = least_pair(length_over, fine);
  const Vec3 p = on_first(s), q = on_second(t);
  if (!is_inside(s) || !is_inside(t) || way(p, q) < 1e-3) return;
  std::vector<Vec3> points{from}, lifts{{}}, met;
  const auto add_leg = [&](const std::vector<int>& sequence, Vec3 end, Vec3 end_lift) {
    if (!meets_in_turn(sequence, points.back(), end, met)) return false;
    points.insert(points.end(), met.begin(), met.end());
    for (const int plane : sequence) lifts.push_back(planes_[static_cast<std::size_t>(plane)].normal);
    points.push_back(end);
    lifts.push_back(end_lift);
    return true;
  };
  if (!add_leg(before, p, first.outwards()) || !add_leg(between, q, second.outwards()) || !add_leg(after, to, {})) {
    return;
  }
  const std::size_t at_first = before.size() + 1, at_second = at_first + between.size() + 1;
  // At the foot of a wall along which the way runs, points are lifted off the wall too.
  for (std::size_t i = at_first + 1; i < at_second; ++i) {
    for (const Vec3 face : {first.normal_0, first.normal_n}) {
      if (std::fabs(dot(points[i] - p, face)) < 1e-6 && std::fabs(dot(q - p, face)) < 1e-6) lifts[i] = lifts[i] + face;
    }
  }
  if (!first.is_in_air(points[at_first - 1]) || !first.is_in_air(points[at_first + 1])) return;
  if (!second.is_in_air(points[at_second - 1]) || !second.is_in_air(points[at_second + 1])) return;
  if (!legs_are_free(points, lifts)) return;
  std::string interactions = "T";
  interactions.append(letters(before)).append("-D").append(letters(between)).append("-D").append(letters(after));
  rays.push_back({interactions, length_over(s, t), points});
}

std::vector<BruteForceRay> BruteForceRays::diffracted_twice(Vec3 from, Vec3 to, int most_reflections) const {
  std::vector<BruteForceRay> rays;
  const auto try_all = [&](const std::vector<int>(&reflections)[3]) {
    for (const Edge& first : edges_) {
      for (const Edge& second : edges_) {
        if (&first != &second || !reflections[1].empty()) {
          add_twice_diffracted(first, second, reflections, from, to, rays);
        }
      }
    }
  };
  for (int before = 0; before <= most_reflections; ++before) {
    for (int between = 0; before + between <= most_reflections; ++between) {
      for (int after = 0; before + between + after <= most_reflections; ++after) {
        for_sequences(before, [&](const std::vector<int>& a) {
          for_sequences(between, [&](const std::vector<int>& b) {
            for_sequences(after, [&](const std::vector<int>& c) { try_all({a, b, c}); });
          });
        });
      }
    }
  }
  return rays;
}

}  // namespace tesseray::testing
