// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/grazed_ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"

namespace tesseray {
namespace {

// What lies so much farther by phase than the place of reflection cancels itself; its end fades from half of that on.
constexpr double most_phase = 60;
// From node to node: what phases may deviate from straight lines, and lengths grow over those to the ends.
constexpr double bend_of_phase = 0.2, height_of_phase = 0.07, growth = 0.35;
constexpr std::size_t most_nodes = 256;

double height_on(Vec2 begin, Vec2 end, double x) {
  return begin.y + (end.y - begin.y) * (x - begin.x) / (end.x - begin.x);
}

// Of the ground from one place to another, whichever is farther along.
Vec2 upward_normal(Vec2 begin, Vec2 end) {
  const Vec2 along = end - begin;
  return (std::copysign(1.0, along.x) / norm(along)) * Vec2{-along.y, along.x};
}

// ∫₀¹ e^{−jtu²} du.
Complex fresnel_mean(double t) {
  if (std::fabs(t) < 0.01) return {1 - t * t / 10, -t / 3};
  const double end = std::sqrt(2 * std::fabs(t) / pi);
  const Complex mean = (1 / end) * (Complex{1, -1} * (Complex{0.5, 0} - knife_edge_factor(end)));
  return t < 0 ? conj(mean) : mean;
}

}  // namespace

// The two ends, the ground between and the plane from foot to foot.
class GrazedGround::Link {
 public:
  Link(std::span<const Vec2> points, Vec2 begin, Vec2 end, double wavelength_m, const ReflectingGround& as)
      : ground(points), from(begin), to(end), wave_number(2 * pi / wavelength_m), straight_m(norm(end - begin)) {
    const Vec2 along = (1 / norm(foot_to() - foot_from())) * (foot_to() - foot_from());
    const double from_above = cross(along, from - foot_from()), to_above = cross(along, to - foot_from());
    by_plane_m = norm(to - from + (-2 * to_above) * Vec2{-along.y, along.x});
    specular_x = from.x + (to.x - from.x) * from_above / (from_above + to_above);
    const double sine = (from_above + to_above) / by_plane_m;
    impedance = as.impedance(sine);
    coefficient = as.coefficient(sine);
    own_slope = std::sqrt(wavelength_m) * exp_j(-0.25 * pi);
  }

  Vec2 foot_from() const { return ground.front(); }
  Vec2 foot_to() const { return ground.back(); }
  Vec2 on_plane(double x) const { return {x, height_on(foot_from(), foot_to(), x)}; }
  Vec2 on_ground(double x) const {
    const auto after = std::upper_bound(ground.begin() + 1, ground.end() - 1, x,
                                        [](double place, Vec2 point) { return place < point.x; });
    return {x, height_on(*(after - 1), *after, x)};
  }
  double way_m(Vec2 place) const { return norm(place - from) + norm(to - place); }
  // By how much farther it is than the place of reflection.
  double phase_on_plane(double x) const { return wave_number * (way_m(on_plane(x)) - by_plane_m); }
  // From an end on towards the middle, the first place that counts.
  double end_of_ground(double at_end, double height_m) const {
    constexpr double of_height = 0.5, of_way = 0.1;
    constexpr int halvings = 40;
    const double way = specular_x - at_end, least = std::min(of_height * height_m, of_way * std::fabs(way));
    double outside = at_end + std::copysign(least, way), inside = specular_x;
    if (phase_on_plane(outside) <= most_phase) return outside;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (outside + inside);
      (phase_on_plane(middle) > most_phase ? outside : inside) = middle;
    }
    return inside;
  }
  // Where a piece is to be cut; none where it is short enough.
  std::optional<double> cut(double begin, double end) const {
    const double middle = 0.5 * (begin + end), length = end - begin;
    if (length > growth * std::min(middle - from.x, to.x - middle)) return middle;
    const auto bends = [&](Vec2 a, Vec2 b) {
      return wave_number * std::fabs(way_m(a) + way_m(b) - 2 * way_m(0.5 * (a + b))) > 4 * bend_of_phase;
    };
    const Vec2 a = on_ground(begin), b = on_ground(end);
    if (bends(a, b) || bends(on_plane(begin), on_plane(end))) return middle;
    std::optional<double> farthest;
    double most = height_of_phase;
    const auto by_x = [](Vec2 point, double x) { return point.x < x; };
    const double margin = 1e-6 * length;
    for (auto point = std::lower_bound(ground.begin(), ground.end(), begin + margin, by_x);
         point != ground.end() && point->x < end - margin; ++point) {
      const double grazing =
          std::fabs(point->y - from.y) / (point->x - from.x) + std::fabs(point->y - to.y) / (to.x - point->x);
      const double farther = std::max(wave_number * (way_m(*point) - straight_m), 0.0);
      const double phase =
          wave_number * std::fabs(point->y - height_on(a, b, point->x)) * grazing / (1 + 2 / pi * farther);
      if (phase <= most) continue;
      most = phase;
      farthest = point->x;
    }
    return farthest;
  }

  std::span<const Vec2> ground;
  Vec2 from, to;
  double wave_number, straight_m, by_plane_m = 0, specular_x = 0;
  Complex impedance, coefficient;  // of the ground at the angle over the plane
  // ∂u/∂n over jk that a source has at its own place, where the field of a line's sources is bent by them.
  Complex own_slope;
};

void GrazedGround::choose_nodes(const Link& link) {
  nodes_.clear();
  const auto add = [&](double x) {
    Node node{link.on_ground(x), link.on_plane(x)};
    const double faded = std::clamp(2 - 2 * link.phase_on_plane(x) / most_phase, 0.0, 1.0);
    (x < link.specular_x ? node.share_from : node.share_to) = faded * faded * (3 - 2 * faded);
    nodes_.push_back(node);
  };
  const double begin = link.end_of_ground(link.from.x, link.from.y - link.foot_from().y);
  std::vector<double> ends{link.end_of_ground(link.to.x, link.to.y - link.foot_to().y)};
  add(begin);
  while (!ends.empty()) {
    const std::optional<double> cut =
        nodes_.size() + ends.size() < most_nodes ? link.cut(nodes_.back().ground.x, ends.back()) : std::nullopt;
    if (cut) {
      ends.push_back(*cut);
    } else {
      add(ends.back());
      ends.pop_back();
    }
  }
}

void GrazedGround::hide_behind(std::span<const Vec2> screens, const Link& link) {
  if (screens.empty()) return;
  // What is low against a Fresnel zone casts no shadow.
  const auto seen_past = [&](Vec2 eye, Vec2 screen, Vec2 place) {
    const double above_m = screen.y - height_on(eye, place, screen.x);
    if (above_m <= 0) return 1.0;
    const double to_eye_m = std::fabs(screen.x - eye.x), to_place_m = std::fabs(place.x - screen.x);
    return std::max(1 - fresnel_parameter(above_m, to_eye_m, to_place_m, 2 * pi / link.wave_number), 0.0);
  };
  for (Node& node : nodes_) {
    for (const Vec2 screen : screens) {
      if (screen.x < node.ground.x) {
        node.seen_from = std::min(node.seen_from, seen_past(link.from, screen, node.ground));
      } else if (screen.x > node.ground.x) {
        node.seen_to = std::min(node.seen_to, seen_past(link.to, screen, node.ground));
      }
    }
  }
}

void GrazedGround::turn(Link& link) {
  std::swap(link.from, link.to);
  std::reverse(nodes_.begin(), nodes_.end());
  for (Node& node : nodes_) {
    std::swap(node.seen_from, node.seen_to);
    std::swap(node.share_from, node.share_to);
  }
}

Complex GrazedGround::reflected_by(const Link& link, bool by_plane) {
  const auto place_of = [&](const Node& node) { return by_plane ? node.plane : node.ground; };
  light_.clear();
  for (const Node& node : nodes_) light_.add_node(place_of(node), norm(place_of(node) - link.from));
  source_.clear();
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const Vec2 here = place_of(node), up = upward_normal(place_of(nodes_[i - 1]), here);
    const double here_m = norm(here - link.from);
    // Δ u − ∂u/∂n / jk, which is nothing of the whole field.
    const auto off_slope = [&](double sine) { return link.impedance - Complex{sine, 0}; };
    const double lit = (by_plane ? 1 : node.seen_from) * node.share_from / std::sqrt(here_m);
    Complex off = lit * off_slope(dot(up, link.from - here) / here_m);
    light_.look_from(here, i, here_m, up, link.wave_number);
    for (std::size_t s = 0; s + 1 < i; ++s) {
      off = off - off_slope(light_.sine_of_piece(s)) * light_.of_piece(s) * source_[s];
    }
    const double near_root_m = light_.root_m(i - 1), near_phase = light_.phase(i - 1);
    source_.push_back(off / (2 * near_root_m * fresnel_mean(near_phase) * link.impedance + link.own_slope));
  }
  Complex sum;
  const auto share = [&](const Node& node) { return (by_plane ? 1 : node.seen_to) * node.share_to; };
  light_.look_from(link.to, nodes_.size(), link.straight_m, {}, link.wave_number);
  for (std::size_t s = 0; s < source_.size(); ++s) {
    sum = sum - (0.5 * (share(nodes_[s]) + share(nodes_[s + 1]))) * (light_.of_piece(s) * source_[s]);
  }
  return std::sqrt(link.straight_m) * sum;
}

Complex GrazedGround::corrected(const Link& link) {
  // What the nodes leave of the plane's they leave of the ground's, too, but near Brewster's angle, where the plane has
  // next to nothing.
  constexpr double little = 0.1;
  const double phase = -link.wave_number * (link.by_plane_m - link.straight_m);
  const Complex image = (link.straight_m / link.by_plane_m) * exp_j(phase), plane = reflected_by(link, true) / image;
  const double power = squared_norm(plane), lacking = std::max(little - power, 0.0);
  return reflected_by(link, false) * ((1 / (power + lacking)) * (link.coefficient * conj(plane) + Complex{lacking, 0}));
}

Complex GrazedGround::reflected(std::span<const Vec2> ground, std::span<const Vec2> screens, Vec2 from, Vec2 to,
                                double wavelength_m, const ReflectingGround& as) {
  Link link(ground, from, to, wavelength_m, as);
  choose_nodes(link);
  hide_behind(screens, link);
  const Complex forth = corrected(link);
  turn(link);
  return 0.5 * (forth + corrected(link));
}

}  // namespace tesseray
