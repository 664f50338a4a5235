// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sight_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tesseray {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double bucket_m = 2.0;
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
    : occlusion_(occlusion), grid_(grid), max_distance_m_(max_distance_m) {
  const double extent = grid.cell_m() * std::max(grid.columns(), grid.rows());
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
  source_ = source;
  source_column_ = grid_.column_of(source.point.x);
  source_row_ = grid_.row_of(source.point.y);
  occluders_.clear();
  std::fill(buckets_.begin(), buckets_.end(), -1);
  first_bucket_ = 0;
  search_near(seen);
  search_far(seen);
}

void SightSearch::search_near(std::vector<std::uint32_t>& seen) {
  const std::int32_t i = source_column_, j = source_row_;
  for (std::int32_t ring = 0; ring <= near_rings; ++ring) {
    if (!begin_ring(ring == 0 ? 0 : distance_out_of(i - ring + 1, j - ring + 1, i + ring - 1, j + ring - 1))) return;
    for_ring(i, j, ring, grid_.columns(), grid_.rows(),
             [&](std::int32_t cell_i, std::int32_t cell_j) { visit_cell(cell_i, cell_j, seen); });
  }
}

void SightSearch::search_far(std::vector<std::uint32_t>& seen) {
  constexpr std::int32_t size = SightGrid::block_cells;
  // What is left lies outside of the near rings, however near a block of it begins.
  const double nearest_left = distance_out_of(source_column_ - near_rings, source_row_ - near_rings,
                                              source_column_ + near_rings, source_row_ + near_rings);
  const std::int32_t i = source_column_ / size, j = source_row_ / size;
  const std::int32_t last_ring = std::max({i, grid_.block_columns() - 1 - i, j, grid_.block_rows() - 1 - j});
  for (std::int32_t ring = (near_rings + 1) / size; ring <= last_ring; ++ring) {
    const double nearest =
        distance_out_of((i - ring + 1) * size, (j - ring + 1) * size, (i + ring) * size - 1, (j + ring) * size - 1);
    if (!begin_ring(std::max(nearest, nearest_left))) return;
    for_ring(i, j, ring, grid_.block_columns(), grid_.block_rows(),
             [&](std::int32_t block_i, std::int32_t block_j) { visit_block(block_i, block_j, seen); });
  }
}

bool SightSearch::begin_ring(double nearest_m) {
  if (nearest_m > max_distance_m_) return false;
  raise_horizon(nearest_m);
  return true;
}

void SightSearch::visit_block(std::int32_t block_i, std::int32_t block_j, std::vector<std::uint32_t>& seen) {
  constexpr std::int32_t size = SightGrid::block_cells;
  const SightBounds& bounds = grid_.block_bounds(block_i, block_j);
  if (is_hidden(bounds)) return;
  const std::int32_t low_i = block_i * size, low_j = block_j * size;
  add_terrain(bounds, grid_.cell_square(low_i, low_j, low_i + size - 1, low_j + size - 1));
  for (std::int32_t j = low_j; j < low_j + size; ++j) {
    for (std::int32_t i = low_i; i < low_i + size; ++i) {
      const bool is_near = std::max(std::abs(i - source_column_), std::abs(j - source_row_)) <= near_rings;
      if (!is_near) visit_cell(i, j, seen);
    }
  }
}

double SightSearch::distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i,
                                    std::int32_t high_j) const {
  const Rectangle square = grid_.cell_square(low_i, low_j, high_i, high_j);
  const Vec2 p = source_.point.xy();
  return std::max(0.0, std::min(std::min(p.x - square.min.x, square.max.x - p.x),
                                std::min(p.y - square.min.y, square.max.y - p.y)));
}

void SightSearch::visit_cell(std::int32_t i, std::int32_t j, std::vector<std::uint32_t>& seen) {
  const std::size_t cell = grid_.cell(i, j);
  const SightBounds& bounds = grid_.cell_bounds(cell);
  if (is_hidden(bounds)) return;
  visit_elements(grid_.standing(cell), seen);
  visit_elements(grid_.roofs(cell), seen);
  add_parts(cell);
  add_terrain(bounds, grid_.cell_square(i, j, i, j));
}

void SightSearch::visit_elements(std::span<const Element> elements, std::vector<std::uint32_t>& seen) {
  for (const Element& target : elements) {
    if (above_only_ && target.point.z < source_.point.z) return;
    if (is_wanted(target) && face_each_other(source_, target) && within(max_distance_m_, source_.point, target.point) &&
        !is_hidden(target) && segment_is_free(occlusion_, source_.point, target.point)) {
      seen.push_back(target.number);
    }
  }
}

bool SightSearch::is_wanted(const Element& target) const {
  return !above_only_ || target.point.z > source_.point.z || target.number > source_.number;
}

bool SightSearch::is_hidden(const Element& target) const {
  const Vec3 to = target.point - source_.point;
  const double distance = square_norm(to.xy());
  // Straight up or down there is no azimuth.
  if (distance < 1e-6) return false;
  return to.z / distance < static_cast<double>(horizon_.lowest_at(square_azimuth(to.xy())));
}

bool SightSearch::is_hidden(const SightBounds& bounds) const {
  if (bounds.top_z == -infinity) return true;
  if (above_only_ && bounds.top_z < source_.point.z) return true;
  if (source_.kind == Element::Kind::tile) {
    // The corner that lies farthest in front of the source's plane.
    const Vec3 n = source_.axis;
    const Vec3 corner = {n.x > 0 ? bounds.box.max.x : bounds.box.min.x, n.y > 0 ? bounds.box.max.y : bounds.box.min.y,
                         n.z > 0 ? bounds.top_z : bounds.bottom_z};
    if (dot(n, corner - source_.anchor) < 0) return true;
  }
  return adds_nothing(bounds.box, bounds.top_z);
}

bool SightSearch::adds_nothing(const Rectangle& box, double top_z) const {
  const Rectangle seen = relative(box, source_.point.xy());
  const double height = top_z - source_.point.z, nearest = nearest_distance(seen);
  if (nearest < 1e-6) return false;
  const double slope = height / (height > 0 ? nearest : farthest_distance(seen));
  return slope < static_cast<double>(horizon_.lowest(azimuths_of(seen)));
}

void SightSearch::add_parts(std::size_t cell) {
  for (const std::uint32_t k : grid_.parts(cell)) {
    const FlatPart& part = occlusion_.parts[k];
    if (above_only_ && part.top_z <= source_.point.z) continue;
    const Rectangle box = relative(grid_.part_bounds(k), source_.point.xy());
    if (nearest_distance(box) > Horizon::beyond_m) {
      add_occluder({.kind = Occluder::Kind::part, .index = k, .top_z = part.top_z}, farthest_distance(box));
      continue;
    }
    for (std::uint32_t w = part.first_side; w < part.end_side; ++w) {
      const WallSide& wall = occlusion_.outlines[w];
      add_occluder({.kind = Occluder::Kind::wall, .index = w, .top_z = part.top_z},
                   std::max(square_norm(wall.p - source_.point.xy()), square_norm(wall.q - source_.point.xy())));
    }
  }
}

void SightSearch::add_terrain(const SightBounds& bounds, const Rectangle& square) {
  if (bounds.lowest_terrain_z <= source_.point.z) return;
  const Rectangle box = relative(square, source_.point.xy());
  if (nearest_distance(box) <= Horizon::beyond_m) return;
  add_occluder({.kind = Occluder::Kind::terrain, .top_z = bounds.lowest_terrain_z, .square = square},
               farthest_distance(box));
}

void SightSearch::add_occluder(const Occluder& occluder, double farthest_m) {
  const std::size_t bucket = static_cast<std::size_t>((farthest_m + Horizon::beyond_m) / bucket_m) + 1;
  if (bucket >= buckets_.size()) return;
  std::int32_t& first = buckets_[std::max(bucket, first_bucket_)];
  occluders_.push_back(occluder);
  occluders_.back().next = first;
  first = static_cast<std::int32_t>(occluders_.size()) - 1;
}

void SightSearch::raise_horizon(double nearest_target_m) {
  // What is in a bucket ends before the bucket's number of steps.
  for (; first_bucket_ < buckets_.size() && static_cast<double>(first_bucket_) * bucket_m <= nearest_target_m;
       ++first_bucket_) {
    for (std::int32_t k = buckets_[first_bucket_]; k >= 0; k = occluders_[static_cast<std::size_t>(k)].next) {
      raise_horizon_by(occluders_[static_cast<std::size_t>(k)]);
    }
  }
}

void SightSearch::raise_horizon_by(const Occluder& occluder) {
  switch (occluder.kind) {
    case Occluder::Kind::wall:
      return horizon_.raise_by_wall(source_.point, occlusion_.outlines[occluder.index], occluder.top_z);
    case Occluder::Kind::part: {
      const Rectangle& box = grid_.part_bounds(occluder.index);
      if (adds_nothing(box, occluder.top_z)) return;
      const FlatPart& part = occlusion_.parts[occluder.index];
      return horizon_.raise_by_outline(source_.point,
                                       {occlusion_.outlines + part.first_side, occlusion_.outlines + part.end_exterior},
                                       box, occluder.top_z);
    }
    case Occluder::Kind::terrain: {
      const Rectangle& box = occluder.square;
      if (adds_nothing(box, occluder.top_z)) return;
      const Vec2 corners[] = {box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}};
      const WallSide sides[] = {{corners[0], corners[1], -infinity, occluder.top_z},
                                {corners[1], corners[2], -infinity, occluder.top_z},
                                {corners[2], corners[3], -infinity, occluder.top_z},
                                {corners[3], corners[0], -infinity, occluder.top_z}};
      return horizon_.raise_by_outline(source_.point, sides, box, occluder.top_z);
    }
  }
}

}  // namespace tesseray
