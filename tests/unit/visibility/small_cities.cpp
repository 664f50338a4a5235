// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_cities.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/units.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray::test {

namespace {

class CityMaker {
 public:
  explicit CityMaker(const CityOptions& options) : options_(options), random_(options.seed) {}

  Scene make() {
    const double half = 0.5 * options_.blocks * options_.block_m;
    scene_.extent = {{-half, -half}, {half, half}};
    make_terrain(half + 30);
    for (int row = 0; row < options_.blocks; ++row) {
      for (int column = 0; column < options_.blocks; ++column) {
        // Off the centres of ground tiles, which otherwise lie on walls: each would be a tie.
        centre_ = {-half + (column + 0.5) * options_.block_m + 0.3125, -half + (row + 0.5) * options_.block_m + 0.4375};
        angle_ = options_.rotated ? uniform(0, pi) : 0;
        make_block();
        ++building_;
      }
    }
    return scene_;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  void make_terrain(double half) {
    Terrain& terrain = scene_.terrain;
    terrain.south_west = {snapped(-half), snapped(-half)};
    terrain.step_x = terrain.step_y = snapped(options_.terrain_step_m);
    terrain.columns = static_cast<std::uint32_t>(std::ceil(2 * half / terrain.step_x)) + 2;
    terrain.rows = terrain.columns;
    const double phase_x = uniform(0, 6), phase_y = uniform(0, 6);
    for (std::uint32_t j = 0; j < terrain.rows; ++j) {
      for (std::uint32_t i = 0; i < terrain.columns; ++i) {
        const double x = i * terrain.step_x / 55, y = j * terrain.step_y / 40;
        const double rough = options_.hill_height_m > 0 ? uniform(-0.3, 0.3) : 0;
        const double height = options_.hill_height_m * std::sin(x + phase_x) * std::cos(y + phase_y) + rough;
        terrain.height_m.push_back(static_cast<float>(snapped(100 + height)));
      }
    }
  }

  void make_block() {
    const double kind = uniform(0, 1);
    if (kind < 0.1) return;  // a square
    if (options_.curves && kind < 0.6) return add_round_tower();
    if (options_.curves) return add_rounded_house();
    if (options_.courtyards && kind < 0.3) return add_courtyard();
    if (options_.courtyards && kind < 0.4) return add_angle();
    if (options_.terraces && kind < 0.6) return add_terrace();
    if (options_.towers && kind < 0.7) return add_tower();
    if (options_.raised && kind < 0.85) return add_bridge();
    if (options_.corner_touching && kind < 0.95) return add_corner_touching();
    add_part(rectangle(-uniform(5, 16), -uniform(5, 14), uniform(5, 16), uniform(5, 14)), height());
  }

  double height() { return uniform(4, 22); }

  // From the block's own axes into the scene.
  Vec2 placed(Vec2 p) const {
    const double c = std::cos(angle_), s = std::sin(angle_);
    return {snapped(centre_.x + c * p.x - s * p.y), snapped(centre_.y + s * p.x + c * p.y)};
  }

  Ring rectangle(double x0, double y0, double x1, double y1) const {
    return {placed({x0, y0}), placed({x1, y0}), placed({x1, y1}), placed({x0, y1})};
  }

  double lowest_ground(const Ring& ring) const {
    const Rectangle box = grown(bounds(ring), scene_.terrain.step_x);
    const Terrain& terrain = scene_.terrain;
    double lowest = terrain.height_at(ring.front());
    for (std::uint32_t j = 0; j < terrain.rows; ++j) {
      for (std::uint32_t i = 0; i < terrain.columns; ++i) {
        const Vec2 node = terrain.south_west + Vec2{i * terrain.step_x, j * terrain.step_y};
        if (box.contains(node)) lowest = std::min(lowest, static_cast<double>(terrain.node(i, j)));
      }
    }
    return lowest;
  }

  void add_part(Rings rings, double height_m) {
    Prism prism;
    prism.building_id = prism.source_feature = building_;
    prism.part = part_++;
    prism.bottom_z = lowest_ground(rings[0]);
    prism.top_z = snapped(scene_.terrain.height_at(rings[0][0]) + height_m);
    prism.rings = std::move(rings);
    scene_.prisms.push_back(prism);
  }
  void add_part(const Ring& ring, double height_m) { add_part(Rings{ring}, height_m); }

  // A part on top of, or above, what was added last.
  void add_raised_part(const Ring& ring, double bottom_z, double top_z) {
    Prism prism;
    prism.building_id = prism.source_feature = building_;
    prism.part = part_++;
    prism.rings = {ring};
    prism.bottom_z = snapped(bottom_z);
    prism.top_z = snapped(top_z);
    prism.on_ground = false;
    scene_.prisms.push_back(prism);
  }

  void add_courtyard() {
    Ring hole = rectangle(-9, -8, 10, 7);
    std::reverse(hole.begin(), hole.end());
    add_part(Rings{rectangle(-18, -17, 18, 16), hole}, height());
  }

  void add_angle() {
    add_part(Ring{placed({-15, -15}), placed({15, -15}), placed({15, -4}), placed({-3, -4}), placed({-3, 15}),
                  placed({-15, 15})},
             height());
  }

  void add_terrace() {
    for (int house = 0; house < 4; ++house) add_part(rectangle(-18 + 9 * house, -6, -9 + 9 * house, 6), height());
    add_part(rectangle(-18, 6, -4, 15), height());  // its side is shared by two houses
  }

  void add_tower() {
    add_part(rectangle(-15, -12, 15, 12), 7);
    const double roof_z = scene_.prisms.back().top_z;
    add_raised_part(rectangle(-6, -5, 6, 6), roof_z, roof_z + uniform(15, 40));
  }

  void add_bridge() {
    add_part(rectangle(-18, -8, -8, 8), 16);
    const double top_z = scene_.prisms.back().top_z;
    add_part(rectangle(8, -8, 18, 8), 14);
    const double ground_z = scene_.terrain.height_at(centre_);
    add_raised_part(rectangle(-8, -3, 8, 3), std::max(ground_z + 4, top_z - 10), top_z - 5);
    add_raised_part(rectangle(-2, 8, 4, 15), ground_z + 6, ground_z + 6.5);  // a slab in the air
  }

  void add_corner_touching() {
    add_part(rectangle(-14, -12, 0, 0), height());
    add_part(rectangle(0, 0, 13, 11), height());
  }

  // An arc about a place in the block's own axes, to the left from one azimuth to another.
  void append_arc(Vec2 centre, double radius_m, double from, double to, Ring& ring) {
    const int sides = static_cast<int>(std::ceil(radius_m * (to - from) / uniform(0.15, 0.95)));
    for (int k = 0; k <= sides; ++k) {
      const double azimuth = from + k * (to - from) / sides;
      ring.push_back(placed(centre + radius_m * Vec2{std::cos(azimuth), std::sin(azimuth)}));
    }
  }

  Ring circle(double radius_m) {
    Ring ring;
    append_arc({}, radius_m, 0, 2 * pi, ring);
    ring.pop_back();
    return ring;
  }

  void add_round_tower() {
    const double radius_m = uniform(2, 15);
    Rings rings{circle(radius_m)};
    if (radius_m > 9) {
      Ring yard = circle(radius_m - 4);
      std::reverse(yard.begin(), yard.end());
      rings.push_back(yard);
    }
    add_part(rings, height());
  }

  void add_rounded_house() {
    const double half_x = uniform(5, 16), half_y = uniform(5, 14), radius_m = uniform(0.3, 4);
    const double x = half_x - radius_m, y = half_y - radius_m;
    Ring ring;
    append_arc({x, -y}, radius_m, -0.5 * pi, 0, ring);
    append_arc({x, y}, radius_m, 0, 0.5 * pi, ring);
    append_arc({-x, y}, radius_m, 0.5 * pi, pi, ring);
    append_arc({-x, -y}, radius_m, pi, 1.5 * pi, ring);
    add_part(ring, height());
  }

  const CityOptions& options_;
  std::mt19937 random_;
  Scene scene_;
  Vec2 centre_;
  double angle_ = 0;
  std::int64_t building_ = 1;
  std::uint32_t part_ = 0;
};

Vec2 turned(Vec2 p) { return {-p.y, p.x}; }

}  // namespace

Scene make_city(const CityOptions& options) { return CityMaker(options).make(); }

std::vector<CityOptions> hard_cities() {
  std::vector<CityOptions> cities;
  CityOptions boxes;
  cities.push_back(boxes);

  CityOptions in_line = boxes;
  in_line.name = "walls in line";
  in_line.rotated = false;
  in_line.block_m = 40;
  in_line.terraces = in_line.corner_touching = true;
  cities.push_back(in_line);

  CityOptions courtyards = boxes;
  courtyards.name = "courtyards and terraces";
  courtyards.courtyards = courtyards.terraces = true;
  cities.push_back(courtyards);

  CityOptions hills = boxes;
  hills.name = "hills";
  hills.hill_height_m = 9;
  hills.courtyards = hills.terraces = hills.towers = true;
  cities.push_back(hills);

  CityOptions raised = boxes;
  raised.name = "raised parts";
  raised.raised = raised.towers = raised.corner_touching = true;
  cities.push_back(raised);

  CityOptions curves = boxes;
  curves.name = "curves";
  curves.curves = true;
  cities.push_back(curves);

  CityOptions everything = boxes;
  everything.name = "everything";
  everything.blocks = 5;
  everything.hill_height_m = 5;
  everything.terrain_step_m = 4.7;
  everything.courtyards = everything.terraces = everything.towers = true;
  everything.raised = everything.corner_touching = true;
  cities.push_back(everything);
  return cities;
}

Scene quarter_turn(const Scene& scene) {
  Scene result = scene;
  const Rectangle extent = scene.extent;
  result.extent = {{-extent.max.y, extent.min.x}, {-extent.min.y, extent.max.x}};
  for (Prism& prism : result.prisms) {
    for (Ring& ring : prism.rings) std::transform(ring.begin(), ring.end(), ring.begin(), turned);
  }
  const Terrain& from = scene.terrain;
  Terrain& to = result.terrain;
  to.south_west = {-from.extent().max.y, from.south_west.x};
  to.step_x = from.step_y;
  to.step_y = from.step_x;
  to.columns = from.rows;
  to.rows = from.columns;
  for (std::uint32_t j = 0; j < to.rows; ++j) {
    for (std::uint32_t i = 0; i < to.columns; ++i) {
      to.height_m[static_cast<std::size_t>(j) * to.columns + i] = from.node(j, from.rows - 1 - i);
    }
  }
  return result;
}

}  // namespace tesseray::test
