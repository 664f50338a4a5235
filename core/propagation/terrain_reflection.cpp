// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/terrain_reflection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/knife_edge.h"

namespace tesseray {
namespace {

// Rise over run.
double slope_to(Vec2 eye, Vec2 point) {
  const double run = std::fabs(point.x - eye.x);
  return run > 0 ? (point.y - eye.y) / run : -infinity;
}

// Where what an eye sees of a straight piece begins; at its far end if it sees nothing. `horizon`: the steepest slope
// to what stands before.
double begin_of_seen(Vec2 eye, Vec2 near_end, Vec2 far_end, double horizon) {
  const double to_near = slope_to(eye, near_end), to_far = slope_to(eye, far_end);
  if (to_far <= to_near || to_far <= horizon) return far_end.x;
  if (to_near >= horizon) return near_end.x;
  const double run = std::fabs(near_end.x - eye.x), of_piece = std::fabs(far_end.x - near_end.x);
  const double below_m = eye.y + horizon * run - near_end.y, rise_m = far_end.y - near_end.y;
  return near_end.x + below_m / (rise_m - horizon * of_piece) * (far_end.x - near_end.x);
}

// A straight piece as a mirror of both ends, between which it reflects what would come from the one's image.
class Mirror {
 public:
  Mirror(Vec2 begin, Vec2 end, Vec2 from, Vec2 to, double wavelength_m)
      : begin_(begin), along_((1 / norm(end - begin)) * (end - begin)), wavelength_m_(wavelength_m) {
    const Vec2 to_from = from - begin, to_to = to - begin;
    from_at_ = dot(along_, to_from);
    from_above_ = cross(along_, to_from);
    to_at_ = dot(along_, to_to);
    to_above_ = cross(along_, to_to);
    length_m_ = norm(Vec2{to_at_ - from_at_, from_above_ + to_above_});
    specular_at_ = from_at_ + (to_at_ - from_at_) * from_above_ / (from_above_ + to_above_);
  }
  bool faces_both() const { return from_above_ > 0 && to_above_ > 0; }
  double length_m() const { return length_m_; }
  // The part of the wave that is reflected between two places of the line (by x): their Fresnel parameters say by how
  // much the ways over them are longer than the one by the point of reflection.
  Complex part_between(double from_x, double to_x) const {
    return knife_edge_factor(fresnel_parameter_at(at(from_x))) - knife_edge_factor(fresnel_parameter_at(at(to_x)));
  }
  // The point of reflection, or the one nearest to it between two places.
  Vec2 place_between(double from_x, double to_x) const {
    return begin_ + std::clamp(specular_at_, at(from_x), at(to_x)) * along_;
  }

 private:
  double at(double x) const { return (x - begin_.x) / along_.x; }
  double fresnel_parameter_at(double at) const {
    const double longer_m = norm(Vec2{at - from_at_, from_above_}) + norm(Vec2{to_at_ - at, to_above_}) - length_m_;
    return std::copysign(2 * std::sqrt(std::max(longer_m, 0.0) / wavelength_m_), at - specular_at_);
  }

  Vec2 begin_, along_;
  double wavelength_m_, from_at_, from_above_, to_at_, to_above_, length_m_, specular_at_;
};

}  // namespace

void TerrainReflection::set_nodes(std::span<const Vec2> ground, std::span<const Vec2> screens) {
  nodes_.clear();
  auto screen = screens.begin();
  for (std::size_t i = 0; i < ground.size(); ++i) {
    for (; i > 0 && screen != screens.end() && screen->x < ground[i].x; ++screen) {
      const Vec2 before = ground[i - 1], way = ground[i] - before;
      if (screen->x > nodes_.back().x) {
        const double ground_y = before.y + way.y * (screen->x - before.x) / way.x;
        nodes_.push_back({screen->x, ground_y, ground_y});
      }
      nodes_.back().top_y = std::max(nodes_.back().top_y, screen->y);
    }
    nodes_.push_back({ground[i].x, ground[i].y, ground[i].y});
  }
}

void TerrainReflection::see_from(Vec2 eye, bool forwards, std::vector<double>& begins) const {
  const std::size_t pieces = nodes_.size() - 1;
  begins.resize(pieces);
  double horizon = -infinity;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t piece = forwards ? i : pieces - 1 - i;
    const Node &near_node = nodes_[forwards ? piece : piece + 1], &far_node = nodes_[forwards ? piece + 1 : piece];
    begins[piece] = begin_of_seen(eye, near_node.ground(), far_node.ground(), horizon);
    horizon = std::max(horizon, slope_to(eye, {far_node.x, far_node.top_y}));
  }
}

void TerrainReflection::find(std::span<const Vec2> ground, std::span<const Vec2> screens, Vec2 from, Vec2 to,
                             double wavelength_m) {
  set_nodes(ground, screens);
  see_from(from, true, seen_from_);
  see_from(to, false, seen_to_);
  const double straight_m = norm(to - from);
  factor = {};
  place = ground.back();
  way_m = infinity;
  for (std::size_t piece = 0; piece + 1 < nodes_.size(); ++piece) {
    const double begin = seen_from_[piece], end = seen_to_[piece];
    if (!(begin < end)) continue;
    const Mirror mirror(nodes_[piece].ground(), nodes_[piece + 1].ground(), from, to, wavelength_m);
    if (!mirror.faces_both()) continue;
    const Complex part = mirror.part_between(begin, end);
    const double phase = -2 * pi / wavelength_m * (mirror.length_m() - straight_m);
    factor = factor + (straight_m / mirror.length_m()) * (exp_j(phase) * part);
    const Vec2 nearest = mirror.place_between(begin, end);
    const double by_it_m = norm(nearest - from) + norm(to - nearest);
    if (by_it_m >= way_m) continue;
    way_m = by_it_m;
    place = nearest;
  }
}

}  // namespace tesseray
