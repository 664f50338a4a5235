// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/synthetic_city.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/scene/landscape/terrain_surface.h"

namespace tesseray::testing {
namespace {

// A district's street grid: local block coordinates to the plan.
struct Grid {
  Vec2 centre, east, north;
  Vec2 at(double x, double y) const { return centre + x * east + y * north; }
};

class CityBuilder {
 public:
  explicit CityBuilder(const SyntheticCityOptions& options) : options_(options), random_(options.seed) {}

  Scene build() {
    scene_.frame.origin = {1'843'200, 5'174'272};
    scene_.frame.crs_name = "local metres";
    scene_.extent = {{0, 0}, {snapped(options_.width_m), snapped(options_.depth_m)}};
    make_terrain();
    const auto columns = static_cast<int>(std::ceil(options_.width_m / options_.district_m));
    const auto rows = static_cast<int>(std::ceil(options_.depth_m / options_.district_m));
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const Vec2 low{column * options_.width_m / columns, row * options_.depth_m / rows};
        const Vec2 high{(column + 1) * options_.width_m / columns, (row + 1) * options_.depth_m / rows};
        make_district({low, high});
      }
    }
    return std::move(scene_);
  }

 private:
  // Hills of three wavelengths that do not repeat within the city.
  void make_terrain() {
    Terrain& terrain = scene_.terrain;
    const double step = options_.terrain_step_m;
    terrain.south_west = {-step, -step};
    terrain.step_x = terrain.step_y = step;
    terrain.columns = static_cast<std::uint32_t>(std::ceil(options_.width_m / step)) + 3;
    terrain.rows = static_cast<std::uint32_t>(std::ceil(options_.depth_m / step)) + 3;
    for (std::uint32_t row = 0; row < terrain.rows; ++row) {
      for (std::uint32_t column = 0; column < terrain.columns; ++column) {
        const double x = column * step, y = row * step;
        const double wave = 0.5 * std::sin(x / 311) * std::cos(y / 277) + 0.3 * std::sin((x + y) / 173) +
                            0.2 * std::cos((x - 2 * y) / 131);
        terrain.height_m.push_back(static_cast<float>(snapped(options_.hill_m * wave)));
      }
    }
  }

  void make_district(const Rectangle& district) {
    const double angle = options_.rotated ? random_.uniform(0, pi / 2) : 0;
    const Vec2 centre{0.5 * (district.min.x + district.max.x), 0.5 * (district.min.y + district.max.y)};
    const Grid grid{centre, {std::cos(angle), std::sin(angle)}, {-std::sin(angle), std::cos(angle)}};
    const double pitch = options_.block_m + options_.street_m;
    const double width = district.max.x - district.min.x, depth = district.max.y - district.min.y;
    const int reach = static_cast<int>(std::ceil(0.5 * std::hypot(width, depth) / pitch)) + 1;
    const double margin = 0.5 * options_.street_m;
    const Rectangle inner{{district.min.x + margin, district.min.y + margin},
                          {district.max.x - margin, district.max.y - margin}};
    for (int j = -reach; j <= reach; ++j) {
      for (int i = -reach; i <= reach; ++i) make_block(grid, {i * pitch, j * pitch}, inner);
    }
  }

  // Blocks that the district's border cuts are built as far as their lots lie inside.
  void make_block(const Grid& grid, Vec2 corner, const Rectangle& inside) {
    const double size = options_.block_m;
    const double kind = random_.uniform(0, 1);
    if (kind < options_.park_share) {
      make_park(grid, corner, inside);
    } else if (options_.equal_lot_m > 0) {
      make_equal_lots(grid, corner, inside, kind < 0.25);
    } else if (kind < options_.park_share + 0.15) {
      make_courtyard(grid, corner, inside);
    } else if (kind < options_.park_share + 0.55) {
      make_lots(grid, corner, inside, 4, 3, 0);
    } else if (kind < options_.park_share + 0.8) {
      make_lots(grid, corner, inside, 3, 2, 0);
    } else {
      make_lots(grid, corner, inside, 3, 3, size / 20);
    }
  }

  void make_park(const Grid& grid, Vec2 corner, const Rectangle& inside) {
    const double size = options_.block_m;
    const Ring ring = placed(
        grid, {corner, {corner.x + size, corner.y}, {corner.x + size, corner.y + size}, {corner.x, corner.y + size}});
    if (!is_inside(ring, inside)) return;
    VegetationArea park;
    park.source_feature = static_cast<std::int64_t>(scene_.vegetation.size());
    park.rings = {ring};
    park.bottom_z = std::floor(lowest_height_under(scene_.terrain, park.rings));
    park.top_z = park.bottom_z + 10;
    scene_.vegetation.push_back(park);
  }

  void make_courtyard(const Grid& grid, Vec2 corner, const Rectangle& inside) {
    const double size = options_.block_m, wing = 0.22 * size, x = corner.x, y = corner.y;
    const Ring outer = placed(grid, {{x, y}, {x + size, y}, {x + size, y + size}, {x, y + size}});
    const Ring yard = placed(grid, {{x + wing, y + wing},
                                    {x + wing, y + size - wing},
                                    {x + size - wing, y + size - wing},
                                    {x + size - wing, y + wing}});
    const double height = house_height();
    if (is_inside(outer, inside)) add_house({outer, yard}, height);
  }

  // Lots side by side; without a gap their houses share walls.
  void make_lots(const Grid& grid, Vec2 corner, const Rectangle& inside, int columns, int rows, double gap) {
    const double width = options_.block_m / columns, depth = options_.block_m / rows;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const Vec2 low{corner.x + column * width + gap, corner.y + row * depth + gap};
        const Vec2 high{corner.x + (column + 1) * width - gap, corner.y + (row + 1) * depth - gap};
        make_lot(grid, {low, high}, inside);
      }
    }
  }

  // Equal houses of one height, on all lots or only around a yard.
  void make_equal_lots(const Grid& grid, Vec2 corner, const Rectangle& inside, bool has_yard) {
    const double lot = options_.equal_lot_m, height = house_height();
    const int count = static_cast<int>(std::round(options_.block_m / lot));
    for (int row = 0; row < count; ++row) {
      for (int column = 0; column < count; ++column) {
        const bool is_border = row == 0 || column == 0 || row == count - 1 || column == count - 1;
        if (has_yard && !is_border) continue;
        const double x = corner.x + column * lot, y = corner.y + row * lot;
        const Ring ring = placed(grid, {{x, y}, {x + lot, y}, {x + lot, y + lot}, {x, y + lot}});
        if (is_inside(ring, inside)) add_house({ring}, height);
      }
    }
  }

  void make_lot(const Grid& grid, const Rectangle& lot, const Rectangle& inside) {
    const double use = random_.uniform(0, 1);
    const double height = house_height();
    const double cut = random_.uniform(0.35, 0.6);
    const Vec2 a = lot.min, c = lot.max;
    const Vec2 m{a.x + cut * (c.x - a.x), a.y + cut * (c.y - a.y)};
    const Ring whole = placed(grid, {a, {c.x, a.y}, c, {a.x, c.y}});
    if (!is_inside(whole, inside) || use < options_.open_lot_share) return;
    if (use < options_.open_lot_share + options_.tower_share) {
      make_tower(grid, lot, whole);
    } else if (use < 0.35) {
      add_house({placed(grid, {a, {c.x, a.y}, {c.x, m.y}, {m.x, m.y}, {m.x, c.y}, {a.x, c.y}})}, height);
    } else {
      add_house({whole}, height);
    }
  }

  // A podium on the whole lot and a tower on its middle: two parts of one building.
  void make_tower(const Grid& grid, const Rectangle& lot, const Ring& whole) {
    const double podium = 8, tower = random_.uniform(35, 90);
    add_house({whole}, podium);
    Prism upper = scene_.prisms.back();
    const Vec2 inset{0.2 * (lot.max.x - lot.min.x), 0.2 * (lot.max.y - lot.min.y)};
    const Vec2 a = lot.min + inset, c = lot.max - inset;
    upper.part = 1;
    upper.rings = {placed(grid, {a, {c.x, a.y}, c, {a.x, c.y}})};
    upper.bottom_z = upper.top_z;
    upper.top_z = snapped(upper.bottom_z + tower);
    upper.on_ground = false;
    scene_.prisms.push_back(upper);
  }

  double house_height() { return options_.mean_height_m * random_.uniform(0.55, 1.45); }

  static Ring placed(const Grid& grid, Ring ring) {
    for (Vec2& p : ring) {
      p = grid.at(p.x, p.y);
      p = {snapped(p.x), snapped(p.y)};
    }
    return ring;
  }

  static bool is_inside(const Ring& ring, const Rectangle& box) {
    return std::all_of(ring.begin(), ring.end(), [&box](Vec2 p) { return box.contains(p); });
  }

  void add_house(Rings rings, double height) {
    Prism prism;
    prism.building_id = prism.source_feature = scene_.prisms.empty() ? 1 : scene_.prisms.back().building_id + 1;
    prism.rings = std::move(rings);
    prism.bottom_z =
        std::floor(lowest_height_under(scene_.terrain, prism.rings) / coordinate_step_m) * coordinate_step_m;
    prism.top_z = snapped(mean_height_under(scene_.terrain, prism.rings) + height);
    scene_.prisms.push_back(std::move(prism));
  }

  const SyntheticCityOptions options_;
  Random random_;
  Scene scene_;
};

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
}

std::uint32_t Random::below(std::uint32_t count) { return static_cast<std::uint32_t>(next() % count); }

Scene synthetic_city(const SyntheticCityOptions& options) { return CityBuilder(options).build(); }

SyntheticCityOptions dense_block_city() {
  SyntheticCityOptions options;
  options.width_m = options.depth_m = 707;
  options.equal_lot_m = 14.5;
  options.block_m = 6 * options.equal_lot_m;
  options.street_m = 13;
  options.hill_m = 0;
  return options;
}

SyntheticCityOptions small_city(double hill_m) {
  SyntheticCityOptions options;
  options.width_m = options.depth_m = 250;
  options.hill_m = hill_m;
  options.park_share = 0;
  options.seed = 11;
  return options;
}

SyntheticCityOptions large_city() {
  SyntheticCityOptions options;
  options.width_m = options.depth_m = 4480;
  options.district_m = 900;
  options.street_m = 13;
  options.mean_height_m = 16.5;
  options.park_share = 0.04;
  return options;
}

Scene flat_ground(double width_m, double depth_m) {
  Scene scene;
  scene.frame.crs_name = "local metres";
  scene.extent = {{0, 0}, {width_m, depth_m}};
  scene.terrain.south_west = {0, 0};
  scene.terrain.step_x = width_m;
  scene.terrain.step_y = depth_m;
  scene.terrain.columns = scene.terrain.rows = 2;
  scene.terrain.height_m.assign(4, 0.0F);
  return scene;
}

Scene terrain_of(double width_m, double depth_m, double step_m, const std::function<double(Vec2)>& height_at) {
  Scene scene = flat_ground(width_m, depth_m);
  Terrain& terrain = scene.terrain;
  terrain.step_x = terrain.step_y = step_m;
  terrain.columns = static_cast<std::uint32_t>(std::lround(width_m / step_m)) + 1;
  terrain.rows = static_cast<std::uint32_t>(std::lround(depth_m / step_m)) + 1;
  terrain.height_m.clear();
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      terrain.height_m.push_back(static_cast<float>(height_at({column * step_m, row * step_m})));
    }
  }
  return scene;
}

Prism box_prism(std::int64_t building_id, Vec2 min, Vec2 max, double bottom_z, double top_z) {
  Prism prism;
  prism.building_id = prism.source_feature = building_id;
  prism.rings = {{min, {max.x, min.y}, max, {min.x, max.y}}};
  prism.bottom_z = bottom_z;
  prism.top_z = top_z;
  prism.on_ground = bottom_z <= 0;
  return prism;
}

}  // namespace tesseray::testing
