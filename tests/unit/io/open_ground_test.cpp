// SPDX-License-Identifier: GPL-3.0-or-later
// Which ground tile each pixel of a coverage raster shows, on maps that can be drawn by hand.
#include "core/io/results/open_ground.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tesseray::testing {
namespace {

constexpr double side_m = 10, step_m = 2;  // of cells and of pixels

Rings rectangle(double west, double south, double east, double north) {
  return {{{west, south}, {east, south}, {east, north}, {west, north}}};
}

// Ground tiles on cells of 10 m, named by letters as on a map with north above; '.' is a cell without a tile. The
// frame's origin is far away, as in real coordinate systems.
struct TileMap {
  std::vector<std::string> map;  // the first row is the northernmost
  std::vector<Rings> footprints;
  std::map<char, Rectangle> parts = {};  // tiles that are parts of their cells: in m, from the cell's corner on

  // Pixels of 2 m by the letters of the tiles they show; '.' for none.
  std::vector<std::string> shown() const {
    const Vec2 origin{340992, 6019072};
    PathLossLayer layer;
    layer.frame.origin = origin;
    for (std::size_t row = 0; row < map.size(); ++row) {
      for (std::size_t column = 0; column < map[row].size(); ++column) {
        if (map[row][column] != '.') add_tile(layer, map[row][column], row, column);
      }
    }
    std::vector<Rings> placed = footprints;
    for (Rings& rings : placed) {
      for (Ring& ring : rings) {
        for (Vec2& p : ring) p = p + origin;
      }
    }
    GroundRaster raster = rasterize_ground(layer, ground_grid(layer, step_m));
    show_open_ground(raster, layer, placed);

    std::vector<std::string> rows(static_cast<std::size_t>(raster.rows));
    for (std::size_t pixel = 0; pixel < raster.pixels(); ++pixel) {
      const std::int32_t tile = raster.tile_of_pixel[pixel];
      rows[pixel / static_cast<std::size_t>(raster.columns)] +=
          tile < 0 ? '.' : static_cast<char>(raster.tile_ids[static_cast<std::size_t>(tile)]);
    }
    return rows;
  }

 private:
  void add_tile(PathLossLayer& layer, char name, std::size_t row, std::size_t column) const {
    const Vec2 corner{side_m * static_cast<double>(column), side_m * static_cast<double>(map.size() - 1 - row)};
    const auto part = parts.find(name);
    const Rectangle of_cell = part == parts.end() ? Rectangle{{0, 0}, {side_m, side_m}} : part->second;
    const Vec2 low = corner + of_cell.min, high = corner + of_cell.max;
    PredictedTarget target;
    target.tile_id = name;
    target.kind = SurfaceKind::ground;
    layer.targets.push_back(target);
    layer.outlines[name] = {{{low.x, low.y, 0}, {high.x, low.y, 0}, {high.x, high.y, 0}, {low.x, high.y, 0}}};
  }
};

using Rows = std::vector<std::string>;

Rows five_times(const std::string& row) { return Rows(5, row); }

// Pixels as large as cells show parts of these, too.
TEST(CoverageRaster, AWidePixelShowsTheTileInIt) {
  PathLossLayer layer;
  for (const char name : {'a', 'b'}) {
    PredictedTarget target;
    target.tile_id = name;
    target.kind = SurfaceKind::ground;
    layer.targets.push_back(target);
  }
  layer.outlines['a'] = {{{0, 0, 0}, {2.5, 0, 0}, {2.5, 10, 0}, {0, 10, 0}}};
  layer.outlines['b'] = {{{10, 0, 0}, {20, 0, 0}, {20, 10, 0}, {10, 10, 0}}};
  const GroundRaster raster = rasterize_ground(layer, ground_grid(layer, 10));
  EXPECT_EQ(raster.tile_of_pixel, (std::vector<std::int32_t>{0, 1}));
}

TEST(OpenGround, EachSideOfABuildingHasItsOwnTileUpToTheWall) {
  const TileMap map{{"a.b"}, {rectangle(14, -5, 18, 15)}};
  EXPECT_EQ(map.shown(), five_times("aaaaaaa..bbbbbb"));
}

TEST(OpenGround, FootprintsShowNoValueWhereATileReachesUnderThem) {
  const TileMap map{{"ab"}, {rectangle(6, -5, 10, 15)}};
  EXPECT_EQ(map.shown(), five_times("aaa..bbbbb"));
}

TEST(OpenGround, NoWayLeadsAcrossABuildingNorBetweenTwoThatTouchAtACorner) {
  const TileMap yard{
      {"a.b"}, {rectangle(10, -5, 12, 6), rectangle(12, 6, 20, 15), rectangle(18, -5, 20, 6), rectangle(14, 4, 16, 6)}};
  EXPECT_EQ(yard.shown(),
            (Rows{"aaaaaa....bbbbb", "aaaaaa....bbbbb", "aaaaa.....bbbbb", "aaaaa.....bbbbb", "aaaaa.....bbbbb"}));
}

TEST(OpenGround, GroundUnderABridgeKeepsItsTile) {
  const TileMap map{{"abc"}, {rectangle(10, -5, 20, 15)}};
  EXPECT_EQ(map.shown(), five_times("aaaaabbbbbccccc"));
}

// Whether such a cell is a tile rounding decides: it is none under a bridge, and the ground before the wall is open.
TEST(OpenGround, AWallThroughTheMiddleOfACellIsStillAWall) {
  for (const double within_m : {0.05, 0.001}) {
    const TileMap house{{"a.b"}, {rectangle(5 - within_m, -5, 25 + within_m, 15)}};
    EXPECT_EQ(house.shown(), five_times("aa...........bb")) << within_m;
    const TileMap without_tile{{"a.b"}, {rectangle(15 + within_m, -5, 20, 15)}};
    EXPECT_EQ(without_tile.shown(), five_times("aaaaaaaa..bbbbb")) << within_m;
  }
}

TEST(OpenGround, ATileThatIsAPartOfItsCellIsShownUpToTheWall) {
  const TileMap alley{{"abc"}, {rectangle(6, -5, 14.6, 15)}, {{'a', {{0, 0}, {5, 10}}}, {'b', {{5, 0}, {10, 10}}}}};
  EXPECT_EQ(alley.shown(), five_times("aaa....bbbccccc"));
  // At the border of what was predicted, too, where no tile shows where the cells begin.
  const TileMap border{
      {"ab", "cd"}, {rectangle(-1, -1, 4.6, 21)}, {{'a', {{5, 0}, {10, 10}}}, {'c', {{5, 2.5}, {10, 10}}}}};
  const std::string with_a = "aaabbbbb", with_c = "cccddddd";
  EXPECT_EQ(border.shown(), (Rows{with_a, with_a, with_a, with_a, with_a, with_c, with_c, with_c, with_c, with_c}));
}

TEST(OpenGround, WithoutBuildingsNothingIsFilled) {
  const TileMap map{{"ab"}, {rectangle(100, 100, 110, 110)}, {{'a', {{0, 0}, {6, 10}}}}};
  EXPECT_EQ(map.shown(), five_times("aaa..bbbbb"));
}

TEST(OpenGround, UnderAFootprintATileThatIsAPartOfItsCellIsNotShown) {
  const TileMap map{{"ab"}, {rectangle(2, -5, 6, 5)}, {{'a', {{0, 2.5}, {10, 10}}}}};
  EXPECT_EQ(map.shown(), (Rows{"aaaaabbbbb", "aaaaabbbbb", "a..aabbbbb", "a..aabbbbb", "a..aabbbbb"}));
}

TEST(OpenGround, ACellThatIsMissingForAnotherReasonStaysEmpty) {
  const TileMap map{{"a.b"}, {rectangle(16.5, -5, 22.5, 15)}};
  EXPECT_EQ(map.shown(), five_times("aaaaa......bbbb"));
}

TEST(OpenGround, AWayIsAtMostTwoTilesLong) {
  const TileMap lane{{"a....b"}, {rectangle(10, -5, 50, 6), rectangle(10, 8, 50, 15), rectangle(48, -5, 50, 15)}};
  const std::string houses = "aaaaa....................bbbbb";
  EXPECT_EQ(lane.shown(), (Rows{houses, "aaaaaaaaaaaaaaa..........bbbbb", houses, houses, houses}));
}

TEST(OpenGround, OfTwoTilesAtTheSameDistanceTheOneWithTheSmallerNumberIsShown) {
  const TileMap map{{"b.a"}, {rectangle(14, 4, 16, 6)}};
  EXPECT_EQ(map.shown().front(), "bbbbbbbaaaaaaaa");
}

TEST(OpenGround, CourtyardsOfAFootprintAreOpen) {
  Rings ring = rectangle(6, -2, 24, 12);
  ring.push_back({{12, 0}, {12, 10}, {18, 10}, {18, 0}});
  const TileMap map{{"abc"}, {ring}};
  EXPECT_EQ(map.shown(), five_times("aaa...bbb...ccc"));
}

}  // namespace
}  // namespace tesseray::testing
