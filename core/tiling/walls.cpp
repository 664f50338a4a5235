// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/walls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/infinity.h"
#include "core/scene/landscape/terrain_surface.h"
#include "core/tiling/outline.h"

namespace tesseray {
namespace {

// A prism in front of (or behind) a wall: another one, or its own beyond a slit.
struct Cover {
  Interval u;
  double low_z = 0, high_z = 0;
};

// The free parts of [low, high] beside the covers over u; parts thinner than touch_m are none.
void exposed_heights(double u, Interval whole, const std::vector<Cover>& covers, std::vector<Interval>& free) {
  free.assign(1, whole);
  for (const Cover& cover : covers) {
    if (u < cover.u.low || u > cover.u.high) continue;
    for (std::size_t i = 0; i < free.size();) {
      const Interval part = free[i];
      if (cover.high_z <= part.low || cover.low_z >= part.high) {
        ++i;
        continue;
      }
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
      if (part.high - cover.high_z >= touch_m) {
        free.insert(free.begin() + static_cast<std::ptrdiff_t>(i), {cover.high_z, part.high});
      }
      if (cover.low_z - part.low >= touch_m) {
        free.insert(free.begin() + static_cast<std::ptrdiff_t>(i), {part.low, cover.low_z});
        ++i;
      }
      if (part.high - cover.high_z >= touch_m) ++i;
    }
  }
}

bool nearly_equal(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Interval& p, const Interval& q) {
    return std::fabs(p.low - q.low) < touch_m && std::fabs(p.high - q.high) < touch_m;
  });
}

// Where the covers begin and end along the wall, ascending, with 0 and the length; nearer ones than touch_m are one.
void cut_positions(double length, const std::vector<Cover>& outside, const std::vector<Cover>& above,
                   std::vector<double>& cuts) {
  std::vector<double> ends;
  for (const std::vector<Cover>* covers : {&outside, &above}) {
    for (const Cover& cover : *covers) {
      ends.push_back(cover.u.low);
      ends.push_back(cover.u.high);
    }
  }
  std::sort(ends.begin(), ends.end());
  cuts.assign(1, 0.0);
  for (const double end : ends) {
    if (end - cuts.back() >= touch_m && length - end >= touch_m) cuts.push_back(end);
  }
  cuts.push_back(length);
}

// Finds the exposed parts of the walls of one prism.
class WallExposure {
 public:
  WallExposure(const Scene& scene, const PrismIndex& index, std::uint32_t prism, const TilingOptions& options)
      : scene_(scene),
        index_(index),
        prism_(scene.prisms[prism]),
        options_(options),
        neighbours_(index.candidates(grown(index.bounds(prism), 2 * touch_m + greatest_shift_m(options)))) {}

  PrismWalls run() {
    result_.walls = outline_walls(prism_, options_);
    for (Wall& wall : result_.walls) expose(wall);
    return std::move(result_);
  }

 private:
  void expose(Wall& wall) {
    find_covers(wall);
    cut_positions(wall.length_m, outside_, above_, cuts_);

    wall.rectangles_begin = static_cast<std::uint32_t>(result_.rectangles.size());
    wall.eaves_begin = static_cast<std::uint32_t>(result_.eaves.size());
    run_heights_.clear();
    double run_start = 0;
    for (std::size_t i = 0; i + 1 < cuts_.size(); ++i) {
      const Interval u{cuts_[i], cuts_[i + 1]};
      exposed_heights(u.middle(), {prism_.bottom_z, prism_.top_z}, outside_, heights_);
      // Neighbouring pieces that are exposed alike are one.
      if (i == 0 || !nearly_equal(heights_, run_heights_)) {
        add_rectangles(wall, {run_start, u.low});
        run_start = u.low;
        run_heights_ = heights_;
      }
      if (is_eave(u.middle())) add_eave(wall, u);
    }
    add_rectangles(wall, {run_start, wall.length_m});
    wall.rectangles_end = static_cast<std::uint32_t>(result_.rectangles.size());
    wall.eaves_end = static_cast<std::uint32_t>(result_.eaves.size());
  }

  // outside_: what touches the wall; above_: what stands on the roof at the wall.
  void find_covers(const Wall& wall) {
    outside_.clear();
    above_.clear();
    Rectangle box;
    box.extend(wall.start);
    box.extend(wall.end());
    box = grown(box, 2 * touch_m);
    for (const std::uint32_t i : neighbours_) {
      if (!touch(index_.bounds(i), box)) continue;
      const Prism& other = scene_.prisms[i];
      const double low_z = other.on_ground ? -infinity : other.bottom_z;
      // At the acute end of a neighbour only the nearer line runs inside of it up to the corner.
      for (const double offset : {0.1 * touch_m, touch_m}) append_covers(other, wall, offset, low_z, outside_);
      if (low_z < prism_.top_z + touch_m && other.top_z > prism_.top_z + touch_m) {
        append_covers(other, wall, -touch_m, low_z, above_);
      }
    }
  }

  void append_covers(const Prism& other, const Wall& wall, double offset, double low_z, std::vector<Cover>& covers) {
    intervals_.clear();
    append_inside_intervals(other.rings, wall.start + offset * wall.normal, wall.direction, wall.length_m, intervals_);
    for (const Interval& u : intervals_) covers.push_back({u, low_z, other.top_z});
  }

  // The upper side is an edge where the wall below it is exposed and nothing stands on it or beside it.
  bool is_eave(double u) const {
    if (heights_.empty() || heights_.back().high < prism_.top_z) return false;
    const auto stands_here = [&](const Cover& cover) {
      return u >= cover.u.low && u <= cover.u.high && cover.low_z < prism_.top_z + touch_m &&
             cover.high_z > prism_.top_z + touch_m;
    };
    return std::none_of(outside_.begin(), outside_.end(), stands_here) &&
           std::none_of(above_.begin(), above_.end(), stands_here);
  }

  void add_eave(const Wall& wall, Interval u) {
    if (result_.eaves.size() > wall.eaves_begin && result_.eaves.back().high == u.low) {
      result_.eaves.back().high = u.high;
    } else {
      result_.eaves.push_back(u);
    }
  }

  // One rectangle per free height of the run; keeps count of those that are too small for a tile.
  void add_rectangles(const Wall& wall, Interval u) {
    if (run_heights_.empty() || u.length() <= 0) return;
    const Vec2 foot = wall.start + probe_lift_m * wall.normal;
    const double ground_z =
        lowest_height_along(scene_.terrain, foot + u.low * wall.direction, foot + u.high * wall.direction);
    for (const Interval& z : run_heights_) {
      ExposedRectangle rectangle{u, z, ground_z};
      const double height = rectangle.above_ground().length();
      const bool is_above_ground = height >= touch_m;
      const double width = std::max(u.length(), wall.curve_m);
      const bool is_large = u.length() >= wall.least_width_m(options_) && width * height >= options_.min_wall_area_m2;
      rectangle.is_tiled = is_above_ground && is_large;
      if (is_above_ground && !is_large) {
        ++result_.walls_too_small;
        result_.too_small_m2 += u.length() * height;
      }
      result_.rectangles.push_back(rectangle);
    }
  }

  const Scene& scene_;
  const PrismIndex& index_;
  const Prism& prism_;
  const TilingOptions& options_;
  const std::vector<std::uint32_t> neighbours_;  // and the prism itself
  PrismWalls result_;
  std::vector<Cover> outside_, above_;
  std::vector<Interval> intervals_, heights_, run_heights_;
  std::vector<double> cuts_;
};

}  // namespace

bool is_in_solid(const PrismIndex& index, Vec3 p) {
  if (index.prism_at(p) >= 0) return true;
  // In steps of a radian, so that none runs along a side; opposite ones first.
  constexpr std::array around = {Vec2{0.5403, 0.8415},  Vec2{-0.6536, -0.7568}, Vec2{-0.4161, 0.9093},
                                 Vec2{0.2837, -0.9589}, Vec2{-0.9900, 0.1411},  Vec2{0.9602, -0.2794}};
  for (const Vec2 direction : around) {
    if (index.prism_at(p + touch_m * at_height(direction, 0)) < 0) return false;
  }
  return true;
}

PrismWalls expose_walls(const Scene& scene, const PrismIndex& index, std::uint32_t prism,
                        const TilingOptions& options) {
  return WallExposure(scene, index, prism, options).run();
}

}  // namespace tesseray
