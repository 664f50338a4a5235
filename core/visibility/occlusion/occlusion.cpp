// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/visibility/occlusion/cell_grid.h"
#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

constexpr double prism_cell_m = 16.0;
constexpr std::int64_t max_cells = std::int64_t{1} << 23;

CellGrid grid_over(const std::vector<Prism>& prisms) {
  Rectangle box;
  for (const Prism& prism : prisms) {
    const Rectangle footprint = bounds(prism.rings);
    if (footprint.empty()) continue;
    box.extend(footprint.min);
    box.extend(footprint.max);
  }
  return make_cell_grid(box, prism_cell_m, max_cells);
}

}  // namespace

struct Occlusion::Impl {
  std::vector<WallSide> outlines;  // all sides, by part
  std::vector<FlatPart> parts;
  std::vector<std::uint32_t> wall_offsets;
  CellLists part_lists, raised_lists;
  std::vector<WallSide> walls;
  HeightPyramid prism_grid, terrain_grid;
  std::vector<float> terrain_height_m;
  OcclusionView view;

  explicit Impl(const Scene& scene) {
    add_prisms(scene.prisms);
    add_terrain(scene.terrain);
  }

  // What stands in each cell of a grid, in the making.
  struct CellContents {
    explicit CellContents(std::size_t cells) : max_height_m(cells, -infinity_f), last_part(cells, 0) {}

    using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // of a cell and what is in it
    Pairs walls, parts, raised;
    std::vector<float> max_height_m;
    std::vector<std::uint32_t> last_part;  // the part, plus one, that a cell was last given to
  };

  void add_prisms(const std::vector<Prism>& prisms) {
    const CellGrid grid = grid_over(prisms);
    CellContents contents(grid.size());
    for (const Prism& prism : prisms) add_part(grid, prism, contents);
    list_walls(grid.size(), contents.walls);
    part_lists = make_cell_lists(grid.size(), contents.parts);
    raised_lists = make_cell_lists(grid.size(), contents.raised);
    prism_grid =
        HeightPyramid(grid.origin, grid.step_m, grid.step_m, grid.columns, grid.rows, std::move(contents.max_height_m));
    view_prisms();
  }

  void add_part(const CellGrid& grid, const Prism& prism, CellContents& contents) {
    const std::uint32_t part = static_cast<std::uint32_t>(parts.size());
    const std::uint32_t first_side = static_cast<std::uint32_t>(outlines.size());
    // A part on the ground has no underside: the ground is there.
    const double bottom_z = prism.on_ground ? -infinity : prism.bottom_z;
    const auto give_part = [&](std::int32_t i, std::int32_t j) {
      const std::size_t cell = grid.index(i, j);
      if (contents.last_part[cell] == part + 1) return;
      contents.last_part[cell] = part + 1;
      contents.parts.emplace_back(static_cast<std::uint32_t>(cell), part);
      if (!prism.on_ground) contents.raised.emplace_back(static_cast<std::uint32_t>(cell), part);
      contents.max_height_m[cell] = std::max(contents.max_height_m[cell], rounded_up(prism.top_z));
    };
    std::uint32_t end_exterior = first_side;
    for (const Ring& ring : prism.rings) {
      for (std::size_t k = 0; k < ring.size(); ++k) {
        const Vec2 p = ring[k], q = ring[(k + 1) % ring.size()];
        if (p == q) continue;
        const std::uint32_t side = static_cast<std::uint32_t>(outlines.size());
        outlines.push_back({p, q, bottom_z, prism.top_z});
        for_cells_near(grid, p, q, [&](std::int32_t i, std::int32_t j) {
          contents.walls.emplace_back(static_cast<std::uint32_t>(grid.index(i, j)), side);
          give_part(i, j);
        });
      }
      if (&ring == &prism.rings.front()) end_exterior = static_cast<std::uint32_t>(outlines.size());
    }
    const std::uint32_t end_side = static_cast<std::uint32_t>(outlines.size());
    parts.push_back({bottom_z, prism.top_z, first_side, end_exterior, end_side});
    give_inner_cells(grid, prism.rings, first_side, end_side, give_part);
  }

  // The walls of each cell, the highest first.
  void list_walls(std::size_t cells, const CellContents::Pairs& walls_of_cells) {
    const CellLists wall_lists = make_cell_lists(cells, walls_of_cells);
    wall_offsets = wall_lists.offsets;
    walls.reserve(wall_lists.items.size());
    for (const std::uint32_t side : wall_lists.items) walls.push_back(outlines[side]);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      std::stable_sort(walls.begin() + wall_offsets[cell], walls.begin() + wall_offsets[cell + 1],
                       [](const WallSide& a, const WallSide& b) { return a.top_z > b.top_z; });
    }
  }

  void view_prisms() {
    view.prism_grid = prism_grid.view();
    view.wall_offsets = wall_offsets.data();
    view.walls = walls.data();
    view.part_offsets = part_lists.offsets.data();
    view.part_items = part_lists.items.data();
    view.raised_offsets = raised_lists.offsets.data();
    view.raised_items = raised_lists.items.data();
    view.parts = parts.data();
    view.part_count = static_cast<std::uint32_t>(parts.size());
    view.outlines = outlines.data();
    view.side_count = static_cast<std::uint32_t>(outlines.size());
    view.highest_prism_z = static_cast<double>(prism_grid.max_height_m());
  }

  // Cells that no side comes near are wholly inside or wholly outside.
  template <class Give>
  void give_inner_cells(const CellGrid& grid, const Rings& rings, std::uint32_t first_side, std::uint32_t end_side,
                        const Give& give) const {
    const Rectangle box = bounds(rings);
    if (box.empty()) return;
    for (std::int32_t j = grid.row(box.min.y); j <= grid.row(box.max.y); ++j) {
      for (std::int32_t i = grid.column(box.min.x); i <= grid.column(box.max.x); ++i) {
        if (outline_contains(outlines.data() + first_side, outlines.data() + end_side, grid.centre(i, j))) give(i, j);
      }
    }
  }

  void add_terrain(const Terrain& terrain) {
    view.highest_terrain_z = -infinity;
    if (terrain.columns < 2 || terrain.rows < 2) return;
    terrain_height_m = terrain.height_m;
    const std::int32_t columns = static_cast<std::int32_t>(terrain.columns) - 1;
    const std::int32_t rows = static_cast<std::int32_t>(terrain.rows) - 1;
    std::vector<float> max_height_m;
    max_height_m.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    for (std::uint32_t j = 0; j + 1 < terrain.rows; ++j) {
      for (std::uint32_t i = 0; i + 1 < terrain.columns; ++i) {
        max_height_m.push_back(
            std::max({terrain.node(i, j), terrain.node(i + 1, j), terrain.node(i, j + 1), terrain.node(i + 1, j + 1)}));
      }
    }
    terrain_grid =
        HeightPyramid(terrain.south_west, terrain.step_x, terrain.step_y, columns, rows, std::move(max_height_m));
    view.terrain_grid = terrain_grid.view();
    view.terrain_height_m = terrain_height_m.data();
    view.terrain_columns = terrain.columns;
    view.highest_terrain_z = static_cast<double>(terrain_grid.max_height_m()) + buried_m;
  }
};

Occlusion::Occlusion(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
Occlusion::~Occlusion() = default;
Occlusion::Occlusion(Occlusion&&) noexcept = default;
Occlusion& Occlusion::operator=(Occlusion&&) noexcept = default;

bool Occlusion::is_free(Vec3 a, Vec3 b) const { return segment_is_free(impl_->view, a, b); }

const OcclusionView& Occlusion::view() const { return impl_->view; }

}  // namespace tesseray
