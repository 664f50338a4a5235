// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sight_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tesseray {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double bucket_m = 2.0;
constexpr double slope_margin = 1e-6;  // far more than rounding
// What lies lower than the source by this cannot be met on the way to something higher.
constexpr double below_m = 1e-6;
// The first rings around the source are of cells, the others of blocks.
constexpr std::int32_t near_rings = 6;

Rectangle relative(const Rectangle& box, Vec2 origin) { return {box.min - origin, box.max - origin}; }

// Calls visit(i, j) for the squares of a grid at `ring` steps from (centre_i, centre_j).
template <class Visit>
void for_ring(std::int32_t centre_i, std::int32_t centre_j, std::int32_t ring, std::int32_t columns, std::int32_t rows,
              const Visit& visit) {
  const std::int32_t low_i = centre_i - ring, high_i = centre_i + ring;
  for (std::int32_t j = std::max(0, centre_j - ring); j <= std::min(rows - 1, centre_j + ring); ++j) {
    if (std::abs(j - centre_j) == ring) {
      for (std::int32_t i = std::max(0, low_i); i <= std::min(columns - 1, high_i); ++i) visit(i, j);
    } else {
      if (low_i >= 0) visit(low_i, j);
      if (high_i < columns) visit(high_i, j);
    }
  }
}

}  // namespace

SightSearch::SightSearch(const OcclusionView& occlusion, const SightGrid& grid, double max_distance_m)
    : occlusion_(occlusion), grid_(grid), max_distance_m_(max_distance_m), occluders_(occlusion) {
  const double extent = grid.cells().step_m * std::max(grid.cells().columns, grid.cells().rows);
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
  occluders_.reset(source.point);
  hiders_.clear();
  std::fill(buckets_.begin(), buckets_.end(), -1);
  first_bucket_ = 0;
  search_near(seen);
  search_far(seen);
}

void SightSearch::search_near(std::vector<std::uint32_t>& seen) {
  const std::int32_t i = source_column_, j = source_row_, columns = grid_.cells().columns, rows = grid_.cells().rows;
  for (std::int32_t ring = 0; ring <= near_rings; ++ring) {
    if (!begin_ring(ring == 0 ? 0 : distance_out_of(i - ring + 1, j - ring + 1, i + ring - 1, j + ring - 1))) return;
    // Whatever can be met on the way to a ring lies in it or within it.
    for_ring(i, j, ring, columns, rows,
             [&](std::int32_t cell_i, std::int32_t cell_j) { add_occluders(cell_i, cell_j); });
    for_ring(i, j, ring, columns, rows,
             [&](std::int32_t cell_i, std::int32_t cell_j) { visit_targets(cell_i, cell_j, seen); });
  }
}

void SightSearch::search_far(std::vector<std::uint32_t>& seen) {
  constexpr std::int32_t size = SightGrid::block_cells;
  // What is left lies outside of the near rings, however near a block of it begins.
  const double nearest_left = distance_out_of(source_column_ - near_rings, source_row_ - near_rings,
                                              source_column_ + near_rings, source_row_ + near_rings);
  const std::int32_t i = source_column_ / size, j = source_row_ / size;
  const std::int32_t columns = grid_.block_columns(), rows = grid_.block_rows();
  const std::int32_t last_ring = std::max({i, columns - 1 - i, j, rows - 1 - j});
  for (std::int32_t ring = (near_rings + 1) / size; ring <= last_ring; ++ring) {
    const double nearest =
        distance_out_of((i - ring + 1) * size, (j - ring + 1) * size, (i + ring) * size - 1, (j + ring) * size - 1);
    if (!begin_ring(std::max(nearest, nearest_left))) return;
    for_ring(i, j, ring, columns, rows, [&](std::int32_t block_i, std::int32_t block_j) {
      const SightBounds& bounds = grid_.block_bounds(block_i, block_j);
      if (hides_occluders(bounds)) return;
      add_terrain_as_hider(bounds);
      for_cells_of_block(block_i, block_j,
                         [&](std::int32_t cell_i, std::int32_t cell_j) { add_occluders(cell_i, cell_j); });
    });
    for_ring(i, j, ring, columns, rows, [&](std::int32_t block_i, std::int32_t block_j) {
      if (hides_targets(grid_.block_bounds(block_i, block_j))) return;
      for_cells_of_block(block_i, block_j,
                         [&](std::int32_t cell_i, std::int32_t cell_j) { visit_targets(cell_i, cell_j, seen); });
    });
  }
}

bool SightSearch::begin_ring(double nearest_m) {
  if (nearest_m > max_distance_m_) return false;
  raise_horizon(nearest_m);
  return true;
}

// Leaves out the cells of the near rings.
template <class Visit>
void SightSearch::for_cells_of_block(std::int32_t block_i, std::int32_t block_j, const Visit& visit) const {
  constexpr std::int32_t size = SightGrid::block_cells;
  for (std::int32_t j = block_j * size; j < (block_j + 1) * size; ++j) {
    for (std::int32_t i = block_i * size; i < (block_i + 1) * size; ++i) {
      if (std::max(std::abs(i - source_column_), std::abs(j - source_row_)) > near_rings) visit(i, j);
    }
  }
}

double SightSearch::distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i,
                                    std::int32_t high_j) const {
  const Rectangle square = grid_.cells().square(low_i, low_j, high_i, high_j);
  const Vec2 p = source_.point.xy();
  return std::max(0.0, std::min(std::min(p.x - square.min.x, square.max.x - p.x),
                                std::min(p.y - square.min.y, square.max.y - p.y)));
}

void SightSearch::add_occluders(std::int32_t i, std::int32_t j) {
  const SightBounds& bounds = grid_.cell_bounds(i, j);
  if (hides_occluders(bounds)) return;
  const std::size_t cell = grid_.cells().index(i, j);
  for (const std::uint32_t wall : grid_.walls(cell)) {
    if (!above_only_ || occlusion_.outlines[wall].top_z > source_.point.z - below_m) occluders_.add_wall(wall);
  }
  for (const std::uint32_t part : grid_.raised_parts(cell)) {
    occluders_.add_raised_part(part, grid_.part_bounds(part));
  }
  for (const std::uint32_t part : grid_.centred_parts(cell)) add_part_as_hider(part);
  add_terrain_as_hider(bounds);
}

void SightSearch::visit_targets(std::int32_t i, std::int32_t j, std::vector<std::uint32_t>& seen) {
  if (hides_targets(grid_.cell_bounds(i, j))) return;
  const std::size_t cell = grid_.cells().index(i, j);
  visit_elements(grid_.standing(cell), seen);
  visit_elements(grid_.roofs(cell), seen);
}

void SightSearch::visit_elements(std::span<const Element> elements, std::vector<std::uint32_t>& seen) {
  const Vec3 eye = source_.point;
  for (const Element& target : elements) {
    if (above_only_ && target.point.z < eye.z) return;
    if (above_only_ && target.point.z == eye.z && target.number < source_.number) continue;
    if (face_each_other(source_, target) && within(max_distance_m_, eye, target.point) && is_free(target)) {
      seen.push_back(target.number);
    }
  }
}

bool SightSearch::is_free(const Element& target) const {
  const Vec3 eye = source_.point, to = target.point - eye;
  const double distance = square_norm(to.xy());
  // Straight up or down there is no azimuth.
  if (distance < 1e-6) return path_is_free(occlusion_, eye, target.point);
  const Sight sight = {square_azimuth(to.xy()), distance, to.z / distance};
  if (sight.slope < static_cast<double>(horizon_.lowest_at(sight.azimuth))) return false;
  if (occluders_.block(target.point, sight)) return false;
  const auto [first, second] = ordered_ends(eye, target.point);
  return !meets_terrain(occlusion_, first, second);
}

bool SightSearch::hides_targets(const SightBounds& bounds) const {
  if (bounds.target_box.empty() || (above_only_ && bounds.target_top_z < source_.point.z)) return true;
  return is_behind_source(bounds.target_box, bounds.target_bottom_z, bounds.target_top_z, 0) ||
         is_below_horizon(bounds.target_box, bounds.target_top_z);
}

// What is hidden cannot hide anything that is not: a segment that stays above the horizon passes above it.
bool SightSearch::hides_occluders(const SightBounds& bounds) const {
  const double top_z = std::max(bounds.occluder_top_z, bounds.lowest_terrain_z);
  if (top_z == -infinity || (above_only_ && top_z < source_.point.z - below_m)) return true;
  // Targets in front of the source's plane have their points at most so far behind it.
  return is_behind_source(bounds.square, -infinity, top_z, 2 * lift_m) || is_below_horizon(bounds.square, top_z);
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

bool SightSearch::is_below_horizon(const Rectangle& box, double top_z) const {
  const Rectangle from_eye = relative(box, source_.point.xy());
  const double height = top_z - source_.point.z, nearest = nearest_distance(from_eye);
  if (nearest < Horizon::beyond_m) return false;
  const double slope = height / (height > 0 ? nearest : farthest_distance(from_eye));
  return slope + slope_margin * (1 + std::fabs(slope)) < static_cast<double>(horizon_.lowest(azimuths_of(from_eye)));
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
  if (is_below_horizon(box, hider.top_z)) return;
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
