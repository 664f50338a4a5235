// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sight_search.h"

#include <algorithm>
#include <cmath>

namespace tesseray {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double bucket_m = 2.0;
constexpr double slope_margin = 2e-6;  // far more than rounding
// What lies lower than the source by this cannot be met on the way to something higher.
constexpr double below_m = 1e-6;
constexpr double at_a_wall_m = 2e-3;  // what SectorOccluders requires, and rounding

Rectangle relative(const Rectangle& box, Vec2 origin) { return {box.min - origin, box.max - origin}; }

// Calls visit(low_i, low_j, high_i, high_j) for the runs of cells, each within one block, that make up the ring of
// cells at `ring` steps from (centre_i, centre_j).
template <class Visit>
void for_runs_of_ring(const CellGrid& cells, std::int32_t centre_i, std::int32_t centre_j, std::int32_t ring,
                      const Visit& visit) {
  constexpr std::int32_t size = SightGrid::block_cells;
  const std::int32_t low_i = std::max(0, centre_i - ring), high_i = std::min(cells.columns - 1, centre_i + ring);
  const std::int32_t low_j = std::max(0, centre_j - ring + 1), high_j = std::min(cells.rows - 1, centre_j + ring - 1);
  const auto visit_row = [&](std::int32_t j) {
    if (j < 0 || j >= cells.rows) return;
    for (std::int32_t i = low_i; i <= high_i;) {
      const std::int32_t end = std::min(high_i, i / size * size + size - 1);
      visit(i, j, end, j);
      i = end + 1;
    }
  };
  const auto visit_column = [&](std::int32_t i) {
    if (i < 0 || i >= cells.columns) return;
    for (std::int32_t j = low_j; j <= high_j;) {
      const std::int32_t end = std::min(high_j, j / size * size + size - 1);
      visit(i, j, i, end);
      j = end + 1;
    }
  };
  visit_row(centre_j - ring);
  if (ring == 0) return;
  visit_row(centre_j + ring);
  visit_column(centre_i - ring);
  visit_column(centre_i + ring);
}

}  // namespace

SightSearch::SightSearch(const OcclusionView& occlusion, const SightGrid& grid, double max_distance_m)
    : occlusion_(occlusion), grid_(grid), max_distance_m_(max_distance_m), occluders_(occlusion, horizon_) {
  const double extent = grid.cells().step_m * std::max(grid.cells().columns, grid.cells().rows);
  block_states_.resize(static_cast<std::size_t>(grid.block_columns()) * static_cast<std::size_t>(grid.block_rows()));
  buckets_.assign(static_cast<std::size_t>(extent / bucket_m) + 1, -1);
}

void SightSearch::find_all(const Element& source, std::vector<std::uint32_t>& seen) {
  above_only_ = false;
  horizon_.reset(-std::numeric_limits<float>::infinity());
  search(source, seen);
}

void SightSearch::find_above(const Element& source, std::vector<std::uint32_t>& seen) {
  above_only_ = true;
  horizon_.reset(0);
  search(source, seen);
}

void SightSearch::search(const Element& source, std::vector<std::uint32_t>& seen) {
  if (source.is_inside) return;
  source_ = source;
  source_column_ = grid_.cells().column(source.point.x);
  source_row_ = grid_.cells().row(source.point.y);
  occluders_.reset(source.point, above_only_ && !is_at_a_wall());
  hiders_.clear();
  std::fill(buckets_.begin(), buckets_.end(), -1);
  first_bucket_ = 0;
  ++round_;
  search_rings(seen);
}

bool SightSearch::is_at_a_wall() const {
  const Vec2 p = source_.point.xy();
  for (const auto& [wall, side] : grid_.walls(grid_.cells().index(source_column_, source_row_))) {
    const Vec2 along = wall.q - wall.p;
    const double u = std::clamp(dot(p - wall.p, along) / dot(along, along), 0.0, 1.0);
    if (norm(p - wall.p - u * along) < at_a_wall_m) return true;
  }
  return false;
}

void SightSearch::search_rings(std::vector<std::uint32_t>& seen) {
  const CellGrid& cells = grid_.cells();
  const std::int32_t i = source_column_, j = source_row_;
  const std::int32_t last_ring = std::max({i, cells.columns - 1 - i, j, cells.rows - 1 - j});
  for (std::int32_t ring = 0; ring <= last_ring; ++ring) {
    const double nearest = ring == 0 ? 0 : distance_out_of(i - ring + 1, j - ring + 1, i + ring - 1, j + ring - 1);
    if (nearest > max_distance_m_) return;
    raise_horizon(nearest);
    for_runs_of_ring(cells, i, j, ring,
                     [&](std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) {
                       if (is_block_hidden(low_i / SightGrid::block_cells, low_j / SightGrid::block_cells)) return;
                       for (std::int32_t cell_j = low_j; cell_j <= high_j; ++cell_j) {
                         for (std::int32_t cell_i = low_i; cell_i <= high_i; ++cell_i) enter_cell(cell_i, cell_j);
                       }
                     });
    visit_entered_cells(seen);
  }
}

// Blocks are asked for when the first of their cells is reached, when all of them are yet to come; what is hidden then
// stays so.
bool SightSearch::is_block_hidden(std::int32_t block_i, std::int32_t block_j) {
  BlockState& state =
      block_states_[static_cast<std::size_t>(block_j) * static_cast<std::size_t>(grid_.block_columns()) +
                    static_cast<std::size_t>(block_i)];
  if (state.round == round_) return state.is_hidden;
  const SightBounds& bounds = grid_.block_bounds(block_i, block_j);
  state = {round_, is_of_no_use(bounds) || bounds.top_z < floor_z(bounds.square)};
  if (!state.is_hidden) add_terrain_as_hider(bounds);
  return state.is_hidden;
}

double SightSearch::distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i,
                                    std::int32_t high_j) const {
  const Rectangle square = grid_.cells().square(low_i, low_j, high_i, high_j);
  const Vec2 p = source_.point.xy();
  return std::max(0.0, std::min(std::min(p.x - square.min.x, square.max.x - p.x),
                                std::min(p.y - square.min.y, square.max.y - p.y)));
}

void SightSearch::enter_cell(std::int32_t i, std::int32_t j) {
  const std::size_t cell = grid_.cells().index(i, j);
  const SightBounds& bounds = grid_.cell_bounds(cell);
  if (is_of_no_use(bounds)) return;
  const double floor = floor_z(bounds.square);
  if (bounds.top_z < floor) return;
  entered_.push_back(cell);
  // What is hidden cannot hide anything that is not: a segment that stays above the horizon passes above it.
  for (const auto& [wall, side] : grid_.walls(cell)) {
    if (wall.top_z < floor) break;
    occluders_.add_wall(wall, side);
  }
  for (const std::uint32_t part : grid_.raised_parts(cell)) {
    occluders_.add_raised_part(part, grid_.part_bounds(part));
  }
  for (const std::uint32_t part : grid_.centred_parts(cell)) add_part_as_hider(part);
  add_terrain_as_hider(bounds);
}

void SightSearch::visit_entered_cells(std::vector<std::uint32_t>& seen) {
  for (const std::size_t cell : entered_) {
    const SightBounds& bounds = grid_.cell_bounds(cell);
    if (bounds.target_box.empty() || (above_only_ && bounds.target_top_z < source_.point.z)) continue;
    if (is_behind_source(bounds.target_box, bounds.target_bottom_z, bounds.target_top_z, 0)) continue;
    const double floor = floor_z(bounds.target_box);
    if (bounds.target_top_z < floor) continue;
    visit_elements(grid_.standing(cell), floor, seen);
    visit_elements(grid_.roofs(cell), floor, seen);
  }
  entered_.clear();
}

void SightSearch::visit_elements(std::span<const Element> elements, double floor, std::vector<std::uint32_t>& seen) {
  const Vec3 eye = source_.point;
  for (const Element& target : elements) {
    if (target.point.z < floor || (above_only_ && target.point.z < eye.z)) return;
    if (above_only_ && target.point.z == eye.z && target.number < source_.number) continue;
    if (face_each_other(source_, target) && within(max_distance_m_, eye, target.point) && is_free(target)) {
      seen.push_back(target.number);
    }
  }
}

bool SightSearch::is_free(const Element& target) {
  const Vec3 eye = source_.point, to = target.point - eye;
  const double distance = square_norm(to.xy());
  // Straight up or down there is no azimuth.
  if (distance < 1e-6) return path_is_free(occlusion_, eye, target.point);
  const Sight sight = {square_azimuth(to.xy()), distance, to.z / distance};
  if (sight.slope < static_cast<double>(horizon_.lowest_at(sight.azimuth))) return false;
  switch (occluders_.block(target.point, sight)) {
    case SectorOccluders::Answer::yes:
      return false;
    case SectorOccluders::Answer::maybe:
      return path_is_free(occlusion_, eye, target.point);
    case SectorOccluders::Answer::no:
      break;
  }
  const auto [first, second] = ordered_ends(eye, target.point);
  return !meets_terrain(occlusion_, first, second);
}

bool SightSearch::is_of_no_use(const SightBounds& bounds) const {
  const double top_z = bounds.top_z;
  if (top_z == -infinity || (above_only_ && top_z < source_.point.z - below_m)) return true;
  // Targets in front of the source's plane have their points at most so far behind it.
  return is_behind_source(bounds.square, -infinity, top_z, 2 * lift_m);
}

bool SightSearch::is_behind_source(const Rectangle& box, double bottom_z, double top_z, double behind_m) const {
  if (source_.kind != Element::Kind::tile) return false;
  const Vec3 n = source_.axis;
  // The corner that lies farthest in front; walls reach down without end.
  double farthest =
      dot(n.xy(), Vec2{n.x > 0 ? box.max.x : box.min.x, n.y > 0 ? box.max.y : box.min.y} - source_.anchor.xy());
  if (n.z != 0) farthest += n.z * ((n.z > 0 ? top_z : bottom_z) - source_.anchor.z);
  return farthest < -behind_m;
}

double SightSearch::floor_z(const Rectangle& box) const {
  const double lowest_z = above_only_ ? source_.point.z - below_m : -infinity;
  const Rectangle from_eye = relative(box, source_.point.xy());
  const double nearest = nearest_distance(from_eye);
  if (nearest < Horizon::beyond_m) return lowest_z;
  const double horizon = static_cast<double>(horizon_.lowest(azimuths_of(from_eye)));
  const double slope = horizon - slope_margin * (1 + std::fabs(horizon));
  if (!(slope > -infinity)) return lowest_z;
  // Of all places in the box, the nearest needs the least height to rise to a slope, and the farthest to sink to one.
  return std::max(lowest_z, source_.point.z + slope * (slope > 0 ? nearest : farthest_distance(from_eye)));
}

void SightSearch::add_part_as_hider(std::uint32_t k) {
  const FlatPart& part = occlusion_.parts[k];
  if (above_only_ && part.top_z <= source_.point.z) return;
  const Rectangle box = relative(grid_.part_bounds(k), source_.point.xy());
  if (nearest_distance(box) > Horizon::beyond_m) {
    add_hider({.kind = Hider::Kind::part, .index = k, .top_z = part.top_z}, farthest_distance(box));
    return;
  }
  for (std::uint32_t w = part.first_side; w < part.end_side; ++w) {
    const WallSide& wall = occlusion_.outlines[w];
    add_hider({.kind = Hider::Kind::wall, .index = w, .top_z = part.top_z},
              std::max(square_norm(wall.p - source_.point.xy()), square_norm(wall.q - source_.point.xy())));
  }
}

void SightSearch::add_terrain_as_hider(const SightBounds& bounds) {
  if (bounds.lowest_terrain_z <= source_.point.z) return;
  const Rectangle box = relative(bounds.square, source_.point.xy());
  if (nearest_distance(box) <= Horizon::beyond_m) return;
  add_hider({.kind = Hider::Kind::terrain, .top_z = bounds.lowest_terrain_z, .square = bounds.square},
            farthest_distance(box));
}

void SightSearch::add_hider(const Hider& hider, double farthest_m) {
  const std::size_t bucket = static_cast<std::size_t>((farthest_m + Horizon::beyond_m) / bucket_m) + 1;
  if (bucket >= buckets_.size()) return;
  std::int32_t& first = buckets_[std::max(bucket, first_bucket_)];
  hiders_.push_back(hider);
  hiders_.back().next = first;
  first = static_cast<std::int32_t>(hiders_.size()) - 1;
}

void SightSearch::raise_horizon(double nearest_target_m) {
  // What is in a bucket ends before the bucket's number of steps.
  for (; first_bucket_ < buckets_.size() && static_cast<double>(first_bucket_) * bucket_m <= nearest_target_m;
       ++first_bucket_) {
    for (std::int32_t k = buckets_[first_bucket_]; k >= 0; k = hiders_[static_cast<std::size_t>(k)].next) {
      raise_horizon_by(hiders_[static_cast<std::size_t>(k)]);
    }
  }
}

void SightSearch::raise_horizon_by(const Hider& hider) {
  if (hider.kind == Hider::Kind::wall) {
    return horizon_.raise_by_wall(source_.point, occlusion_.outlines[hider.index], hider.top_z);
  }
  const Rectangle& box = hider.kind == Hider::Kind::part ? grid_.part_bounds(hider.index) : hider.square;
  if (hider.top_z < floor_z(box)) return;
  if (hider.kind == Hider::Kind::part) {
    const FlatPart& part = occlusion_.parts[hider.index];
    return horizon_.raise_by_outline(source_.point,
                                     {occlusion_.outlines + part.first_side, occlusion_.outlines + part.end_exterior},
                                     box, hider.top_z);
  }
  const Vec2 corners[] = {box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}};
  const WallSide sides[] = {{corners[0], corners[1], -infinity, hider.top_z},
                            {corners[1], corners[2], -infinity, hider.top_z},
                            {corners[2], corners[3], -infinity, hider.top_z},
                            {corners[3], corners[0], -infinity, hider.top_z}};
  horizon_.raise_by_outline(source_.point, sides, box, hider.top_z);
}

}  // namespace tesseray
