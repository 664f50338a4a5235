// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/terrain_reflection.h"

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
  // The part of the wave that is reflected beyond a place of the line (by x), whose Fresnel parameter says by how much
  // the way over it is longer than the one by the point of reflection.
  Complex part_beyond(double x) const { return knife_edge_factor(fresnel_parameter_at(at(x))); }
  // The point of reflection, or the one nearest to it between two places, and the sine over the piece there: the mean
  // towards both ends.
  struct Place {
    Vec2 point;
    double sine;
  };
  Place place_between(double from_x, double to_x) const {
    const double here = std::clamp(specular_at_, at(from_x), at(to_x));
    const double from_m = norm(Vec2{here - from_at_, from_above_}), to_m = norm(Vec2{to_at_ - here, to_above_});
    return {begin_ + here * along_, 0.5 * (from_above_ / from_m + to_above_ / to_m)};
  }

 private:
  double at(double x) const { return (x - begin_.x) / along_.x; }
  double fresnel_parameter_at(double at) const {
    const double longer_m = norm(Vec2{at - from_at_, from_above_}) + norm(Vec2{to_at_ - at, to_above_}) - length_m_;
    return std::copysign(fresnel_parameter_of_detour(longer_m, wavelength_m_), at - specular_at_);
  }

  Vec2 begin_, along_;
  double wavelength_m_, from_at_, from_above_, to_at_, to_above_, length_m_, specular_at_;
};

}  // namespace

bool reflects_as_plane(std::span<const Vec2> ground, Vec2 from, Vec2 to, double wavelength_m) {
  constexpr double negligible = 0.1;
  const Vec2 foot = ground.front(), way = ground.back() - foot;
  const double by_plane_m = norm(to - from + Vec2{0, 2 * (from.y - foot.y)});
  // Where both nearly cancel, it is a part of the phase between them.
  const double between_rad = 2 * pi / wavelength_m * (by_plane_m - norm(to - from));
  const double negligible_rad = negligible * std::min(1.0, between_rad);
  return std::all_of(ground.begin() + 1, ground.end() - 1, [&](Vec2 point) {
    const double above_m = point.y - foot.y - way.y * (point.x - foot.x) / way.x;
    const double grazing = std::fabs(slope_to(from, point)) + std::fabs(slope_to(to, point));
    const double phase = 2 * pi / wavelength_m * std::fabs(above_m) * grazing;
    // What lies farther from the place of reflection counts less.
    const double longer_m = norm(point - from) + norm(to - point) - by_plane_m;
    return phase <= negligible_rad * (1 + 4 * std::max(longer_m, 0.0) / wavelength_m);
  });
}

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
                             double wavelength_m, const ReflectingGround& as) {
  set_nodes(ground, screens);
  see_from(from, true, seen_from_);
  see_from(to, false, seen_to_);
  const double straight_m = norm(to - from);
  factor = {};
  place = ground.back();
  way_m = infinity;
  // A plane goes on behind the ends.
  const bool is_plane = ground.size() == 2;
  const auto part_between = [&](const Mirror& mirror, double begin, double end) {
    const Complex all{1, 0}, none{0, 0};
    return (is_plane && begin <= nodes_.front().x ? all : mirror.part_beyond(begin)) -
           (is_plane && end >= nodes_.back().x ? none : mirror.part_beyond(end));
  };
  for (std::size_t piece = 0; piece + 1 < nodes_.size(); ++piece) {
    const double begin = seen_from_[piece], end = seen_to_[piece];
    if (!(begin < end)) continue;
    const Mirror mirror(nodes_[piece].ground(), nodes_[piece + 1].ground(), from, to, wavelength_m);
    if (!mirror.faces_both()) continue;
    const Complex part = part_between(mirror, begin, end);
    const double phase = -2 * pi / wavelength_m * (mirror.length_m() - straight_m);
    const Mirror::Place nearest = mirror.place_between(begin, end);
    factor = factor + (straight_m / mirror.length_m()) * (exp_j(phase) * part * as.coefficient(nearest.sine));
    const double by_it_m = norm(nearest.point - from) + norm(to - nearest.point);
    if (by_it_m >= way_m) continue;
    way_m = by_it_m;
    place = nearest.point;
  }
}

}  // namespace tesseray
