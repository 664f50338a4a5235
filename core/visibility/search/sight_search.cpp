// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/search/sight_search.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"

namespace tesseray {

namespace {

constexpr double bucket_m = 2.0;
// Cells on the way are clear up to a ring but for what is nearer to it than rounding.
constexpr double ring_margin_m = 1e-3;
constexpr double at_a_wall_m = 1e-3, at_a_roof_m = 1e-3;
// Blocks so far from the source's own are searched cell by cell, in rings of cells; farther ones in rings of blocks.
constexpr std::int32_t near_blocks = 2;
// The widest range of bins that a search asks for, in bins at a distance of one side of a square.
constexpr double bins_at_one_side = HorizonWindows::bins / 8.0;

Rectangle relative(const Rectangle& box, Vec2 origin) { return {box.min - origin, box.max - origin}; }

std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

// Calls visit(i, j) for the squares of the ring at `ring` steps from (centre_i, centre_j) within the limits.
template <class Visit>
void for_each_of_ring(std::int32_t centre_i, std::int32_t centre_j, std::int32_t ring, std::int32_t low_i,
                      std::int32_t low_j, std::int32_t high_i, std::int32_t high_j, const Visit& visit) {
  const std::int32_t from_i = std::max(low_i, centre_i - ring), to_i = std::min(high_i, centre_i + ring);
  const std::int32_t from_j = std::max(low_j, centre_j - ring + 1), to_j = std::min(high_j, centre_j + ring - 1);
  const auto visit_row = [&](std::int32_t j) {
    if (j < low_j || j > high_j) return;
    for (std::int32_t i = from_i; i <= to_i; ++i) visit(i, j);
  };
  const auto visit_column = [&](std::int32_t i) {
    if (i < low_i || i > high_i) return;
    for (std::int32_t j = from_j; j <= to_j; ++j) visit(i, j);
  };
  visit_row(centre_j - ring);
  if (ring == 0) return;
  visit_row(centre_j + ring);
  visit_column(centre_i - ring);
  visit_column(centre_i + ring);
}

}  // namespace

void SightSearch::Candidates::make_room(std::size_t count) {
  if (number_.size() >= count) return;
  for (std::pmr::vector<float>* numbers : {&x_, &y_, &z_, &azimuth_, &distance_}) numbers->resize(2 * count);
  number_.resize(2 * count);
  is_facing_.resize(2 * count);
}

void SightSearch::Squares::make_room(std::size_t more) {
  const std::size_t room = padded(count + more) + lanes;
  if (index.size() >= room) return;
  for (std::pmr::vector<float>* numbers : {&x, &y, &top_z, &floor_z}) numbers->resize(2 * room);
  index.resize(2 * room);
  entered.resize(2 * room);
}

void SightSearch::Squares::add(std::uint32_t square_index, Vec2 corner, float square_top_z) {
  make_room(1);
  x[count] = static_cast<float>(corner.x);
  y[count] = static_cast<float>(corner.y);
  top_z[count] = square_top_z;
  index[count++] = square_index;
}

SightSearch::SightSearch(const SightScene& scene, double max_distance_m, InstructionSet set)
    : occlusion_(scene.occlusion),
      elements_(scene.elements),
      grid_(scene.grid),
      max_distance_m_(max_distance_m),
      kernels_(sight_kernels(set)),
      horizon_(kernels_, memory_.resource()),
      walls_(scene.grid, scene.occlusion, set, memory_.resource()) {
  const double extent = grid_.cell_m() * std::max(grid_.columns(), grid_.rows());
  buckets_.assign(static_cast<std::size_t>(extent / bucket_m) + 1, -1);
}

void SightSearch::find_all(const Element& source, std::vector<std::uint32_t>& seen) {
  above_only_ = false;
  horizon_.reset(-infinity_f);
  search(source, seen);
}

void SightSearch::find_above(const Element& source, std::vector<std::uint32_t>& seen) {
  above_only_ = true;
  horizon_.reset(0);
  search(source, seen);
}

void SightSearch::find_above_within(const Element& source, AzimuthInterval azimuths, std::vector<std::uint32_t>& seen) {
  above_only_ = true;
  horizon_.reset(0);
  horizon_.close_outside(azimuths);
  search(source, seen);
}

void SightSearch::search(const Element& source, std::vector<std::uint32_t>& seen) {
  if (source.is_inside) return;
  source_ = source;
  const float height_m = grid_.margins().height_m;
  const bool is_tile = source.kind == Element::Kind::tile;
  const Vec3 normal = is_tile ? source.axis : Vec3{};
  const auto z = static_cast<float>(source.point.z - grid_.reference_z());
  kernel_source_ = {static_cast<float>(normal.x),
                    static_cast<float>(normal.y),
                    static_cast<float>(normal.z),
                    static_cast<float>(source.axis.x),
                    static_cast<float>(source.axis.y),
                    static_cast<float>(source.axis.z),
                    source.kind == Element::Kind::edge,
                    z,
                    above_only_ ? z - height_m : -infinity_f,
                    3 * static_cast<float>(lift_m)};
  const double limit2 = max_distance_m_ * max_distance_m_;
  limits_ = {above_only_ ? -height_m : -infinity_f, above_only_ ? height_m : -infinity_f,
             static_cast<float>(limit2 * (1 + 1e-5)), static_cast<float>(limit2 * (1 - 1e-5)),
             static_cast<float>(lift_m)};
  column_ = grid_.column(source.point.x);
  row_ = grid_.row(source.point.y);
  trusts_walls_ = !is_where_walls_do_not_tell();
  trusts_terrain_ = grid_.covers(source.point.xy());
  walls_.reset(source.point, above_only_, trusts_terrain_);
  hiders_.clear();
  std::fill(buckets_.begin(), buckets_.end(), -1);
  first_bucket_ = 0;
  search_near(seen);
  search_far(seen);
}

bool SightSearch::is_where_walls_do_not_tell() const {
  const HeightPyramidView& grid = occlusion_.prism_grid;
  const Vec3 eye = source_.point;
  const Vec2 p = eye.xy();
  const double x = (p.x - grid.origin.x) / grid.step_x, y = (p.y - grid.origin.y) / grid.step_y;
  if (!(x >= 0 && y >= 0 && x < grid.columns && y < grid.rows)) return false;
  const std::int64_t cell = static_cast<std::int64_t>(y) * grid.columns + static_cast<std::int64_t>(x);
  for (std::uint32_t w = occlusion_.wall_offsets[cell]; w != occlusion_.wall_offsets[cell + 1]; ++w) {
    const WallSide& wall = occlusion_.walls[w];
    const Vec2 along = wall.q - wall.p;
    const double u = std::clamp(dot(p - wall.p, along) / dot(along, along), 0.0, 1.0);
    if (norm(p - wall.p - u * along) < at_a_wall_m) return true;
  }
  for (std::uint32_t k = occlusion_.part_offsets[cell]; k != occlusion_.part_offsets[cell + 1]; ++k) {
    const FlatPart& part = occlusion_.parts[occlusion_.part_items[k]];
    const bool is_at_its_roof = std::fabs(part.top_z - eye.z) < at_a_roof_m;
    const bool is_raised = part.bottom_z > -infinity && (!above_only_ || part.top_z > eye.z);
    if ((is_at_its_roof || is_raised) &&
        outline_contains(occlusion_.outlines + part.first_side, occlusion_.outlines + part.end_side, p)) {
      return true;
    }
  }
  return false;
}

double SightSearch::distance_out_of(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i,
                                    std::int32_t high_j) const {
  const Rectangle square = grid_.square(low_i, low_j, high_i, high_j);
  const Vec2 p = source_.point.xy();
  return std::max(0.0, std::min(std::min(p.x - square.min.x, square.max.x - p.x),
                                std::min(p.y - square.min.y, square.max.y - p.y)));
}

// What is left to come lies no nearer than this.
void SightSearch::begin_ring(double nearest_m) {
  raise_horizon(nearest_m);
  walls_.begin_ring(nearest_m);
}

// The blocks around the source, in rings of cells.
void SightSearch::search_near(std::vector<std::uint32_t>& seen) {
  constexpr std::int32_t size = SightGrid::block_cells;
  const std::int32_t block_i = column_ / size, block_j = row_ / size;
  near_low_i_ = (block_i - near_blocks) * size;
  near_low_j_ = (block_j - near_blocks) * size;
  near_high_i_ = (block_i + near_blocks + 1) * size - 1;
  near_high_j_ = (block_j + near_blocks + 1) * size - 1;
  const double out_m = distance_out_of(near_low_i_, near_low_j_, near_high_i_, near_high_j_);
  const std::int32_t rings =
      std::max({column_ - near_low_i_, near_high_i_ - column_, row_ - near_low_j_, near_high_j_ - row_});
  for (std::int32_t ring = 0; ring <= rings; ++ring) {
    const double nearest =
        ring == 0 ? 0 : distance_out_of(column_ - ring + 1, row_ - ring + 1, column_ + ring - 1, row_ + ring - 1);
    if (nearest > max_distance_m_) return;
    begin_ring(std::min(nearest, out_m));
    horizon_.settle(static_cast<int>(2 * bins_at_one_side / std::max(1, ring - 1)));
    cells_.clear();
    for_each_of_ring(column_, row_, ring, std::max(near_low_i_, 0), std::max(near_low_j_, 0),
                     std::min(near_high_i_, grid_.columns() - 1), std::min(near_high_j_, grid_.rows() - 1),
                     [&](std::int32_t i, std::int32_t j) {
                       const std::uint32_t cell = grid_.cell_index(i, j);
                       const float top_z = grid_.cell_tops()[cell];
                       if (top_z >= kernel_source_.least_z) {
                         cells_.add(cell, grid_.corner(i, j) - source_.point.xy(), top_z);
                       }
                     });
    visit_cells(seen);
  }
}

// The other blocks, in rings.
void SightSearch::search_far(std::vector<std::uint32_t>& seen) {
  constexpr std::int32_t size = SightGrid::block_cells;
  const std::int32_t block_i = column_ / size, block_j = row_ / size;
  const std::int32_t rings =
      std::max({block_i, grid_.block_columns() - 1 - block_i, block_j, grid_.block_rows() - 1 - block_j});
  for (std::int32_t ring = near_blocks + 1; ring <= rings; ++ring) {
    const double nearest = distance_out_of((block_i - ring + 1) * size, (block_j - ring + 1) * size,
                                           (block_i + ring) * size - 1, (block_j + ring) * size - 1);
    if (nearest > max_distance_m_) return;
    begin_ring(nearest);
    horizon_.settle(static_cast<int>(2 * bins_at_one_side / (ring - 1)));
    blocks_.clear();
    add_blocks_of_ring(block_i, block_j, ring);
    cells_.clear();
    add_cells_of_blocks(enter(blocks_, grid_.block_m()));
    visit_cells(seen);
  }
}

void SightSearch::add_blocks_of_ring(std::int32_t block_i, std::int32_t block_j, std::int32_t ring) {
  const double side = grid_.block_m();
  const Vec2 origin = grid_.corner(0, 0) - source_.point.xy();
  blocks_.make_room(8 * static_cast<std::size_t>(ring));
  for_each_of_ring(block_i, block_j, ring, 0, 0, grid_.block_columns() - 1, grid_.block_rows() - 1,
                   [&](std::int32_t i, std::int32_t j) {
                     const std::size_t k = blocks_.count++;
                     blocks_.index[k] = grid_.block_index(i, j);
                     blocks_.x[k] = static_cast<float>(origin.x + i * side);
                     blocks_.y[k] = static_cast<float>(origin.y + j * side);
                     blocks_.top_z[k] = grid_.block_tops()[blocks_.index[k]];
                   });
}

void SightSearch::add_cells_of_blocks(std::size_t entered) {
  for (std::size_t k = 0; k < entered; ++k) {
    const std::uint32_t block = blocks_.entered[k], first = block * SightGrid::cells_per_block;
    const Vec2 corner = grid_.block_corner(first) - source_.point.xy();
    const SquareBounds& bounds = grid_.block(block);
    if (bounds.terrain_low_z > kernel_source_.z) {
      add_terrain_as_hider({corner, corner + grid_.block_m() * Vec2{1, 1}}, bounds.terrain_low_z);
    }
    static_assert(SightGrid::cells_per_block == lanes);
    cells_.make_room(lanes);
    const std::size_t begin = cells_.count;
    const float* tops = grid_.cell_tops() + first;
    const auto cell_m = static_cast<float>(grid_.cell_m());
    const auto x = static_cast<float>(corner.x), y = static_cast<float>(corner.y);
    for (std::uint32_t c = 0; c < lanes; ++c) {
      const std::uint32_t i = c % SightGrid::block_cells, j = c / SightGrid::block_cells;
      cells_.x[begin + c] = x + cell_m * static_cast<float>(i);
      cells_.y[begin + c] = y + cell_m * static_cast<float>(j);
      cells_.top_z[begin + c] = tops[c];
      cells_.index[begin + c] = first + c;
    }
    cells_.count += lanes;
  }
}

std::size_t SightSearch::enter(Squares& squares, double side_m) {
  squares.make_room(0);
  return kernels_.enter_squares(
      static_cast<int>(squares.size()),
      {squares.x.data(), squares.y.data(), squares.top_z.data(), squares.index.data(), static_cast<float>(side_m)},
      grid_.margins().position_m, kernel_source_, horizon_.windows(), {squares.entered.data(), squares.floor_z.data()});
}

void SightSearch::visit_cells(std::vector<std::uint32_t>& seen) {
  const std::size_t entered = enter(cells_, grid_.cell_m());
  const std::uint32_t* const cells = cells_.entered.data();
  const float* const floors = cells_.floor_z.data();
  for (std::size_t k = 0; k < entered; ++k) grid_.prefetch_bounds(cells[k]);
  for (std::size_t k = 0; k < entered; ++k) grid_.prefetch_contents(cells[k]);
  // What is hidden cannot hide anything that is not: a segment that stays above the horizon passes above it.
  for (std::size_t k = 0; k < entered; ++k) add_occluders(cells[k], floors[k]);
  walls_.place_walls(horizon_);
  spans_.clear();
  for (std::size_t k = 0; k < entered; ++k) add_targets(cells[k], floors[k]);
  decide(find_candidates(), seen);
}

void SightSearch::add_occluders(std::uint32_t cell, float floor_z) {
  const SquareBounds& bounds = grid_.cell(cell);
  if (trusts_walls_ && bounds.wall_top_z >= floor_z) {
    walls_.add_walls_of_cell(cell, bounds, floor_z);
  }
  for (std::uint32_t part = bounds.first_part; part < bounds.end_part; ++part) add_part_as_hider(part);
  const bool rises = bounds.terrain_low_z > kernel_source_.z;
  const bool reaches = trusts_terrain_ && (!above_only_ || bounds.terrain_top_z >= kernel_source_.least_z) &&
                       bounds.terrain_top_z > -infinity_f;
  if (!rises && !reaches) return;
  constexpr std::uint32_t size = SightGrid::block_cells;
  const std::uint32_t c = cell % SightGrid::cells_per_block, i = c % size, j = c / size;
  const Vec2 corner = grid_.block_corner(cell) - source_.point.xy() +
                      grid_.cell_m() * Vec2{static_cast<double>(i), static_cast<double>(j)};
  const Rectangle square = {corner, corner + grid_.cell_m() * Vec2{1, 1}};
  if (rises) add_terrain_as_hider(square, bounds.terrain_low_z);
  if (!reaches) return;
  const TerrainPlane& plane = grid_.terrain_plane(cell);
  const double plane_m = static_cast<double>(plane.top_z - kernel_source_.z) - dot(plane.gradient(), square.min);
  walls_.add_terrain(square, {static_cast<double>(bounds.terrain_top_z - kernel_source_.z), plane_m, plane.gradient()});
}

void SightSearch::add_targets(std::uint32_t cell, float floor_z) {
  const SquareBounds& bounds = grid_.cell(cell);
  if (bounds.target_top_z < floor_z) return;
  const Vec2 offset = grid_.block_corner(cell) - source_.point.xy();
  // Seen from anywhere, what is under a raised part may be behind its roof alone.
  ElementSpan span = {bounds.first_element,
                      bounds.end_element,
                      static_cast<float>(offset.x),
                      static_cast<float>(offset.y),
                      floor_z,
                      !above_only_ && bounds.has_raised_part};
  if (span.begin < span.end) spans_.push_back(span);
  // Looking up, flat roofs are seen only from places between their planes and their points.
  const float highest =
      above_only_ ? kernel_source_.z + static_cast<float>(lift_m) + 2 * grid_.margins().height_m : infinity_f;
  if (bounds.roof_top_z < floor_z || bounds.roof_low_z > highest) return;
  span.begin = bounds.first_roof;
  span.end = bounds.end_roof;
  if (span.begin == span.end) return;
  const auto lowest_of_group = [&](std::uint32_t begin) {
    return grid_.elements()[begin / lanes].z[std::min<std::uint32_t>(lanes, span.end - begin) - 1];
  };
  while (lowest_of_group(span.begin) > highest) span.begin += lanes;
  spans_.push_back(span);
}

std::size_t SightSearch::find_candidates() {
  std::size_t count = 0;
  for (const ElementSpan& span : spans_) count += span.end - span.begin;
  candidates_.make_room(count + lanes);
  return kernels_.face_source(spans_.size(), spans_.data(), grid_.elements(), grid_.margins().position_m,
                              kernel_source_, limits_, horizon_.windows(), candidates_.arrays());
}

bool SightSearch::faces_source(const Element& target) const {
  if (above_only_ && target.point.z < source_.point.z) return false;
  if (above_only_ && target.point.z == source_.point.z && target.number < source_.number) return false;
  return face_each_other(source_, target) && within(max_distance_m_, source_.point, target.point);
}

void SightSearch::decide(std::size_t candidates, std::vector<std::uint32_t>& seen) {
  if (verdicts_.size() < candidates) verdicts_.resize(2 * candidates);
  const CandidateArrays found = candidates_.arrays();
  if (trusts_walls_) {
    walls_.judge(candidates, found, verdicts_.data());
  } else {
    for (std::size_t k = 0; k < candidates; ++k) {
      verdicts_[k] = found.is_facing[k] != 0 ? Verdict::ask_path : Verdict::ask_all;
    }
  }
  // Written whether seen or not, since nobody can foresee the branch; the next one overwrites what is not.
  std::size_t end = seen.size();
  seen.resize(end + candidates);
  for (std::size_t k = 0; k < candidates; ++k) {
    const Verdict verdict = verdicts_[k];
    bool sees = verdict == Verdict::seen;
    if (verdict > Verdict::seen) [[unlikely]] {
      sees = is_seen(found.number[k], verdict);
    }
    seen[end] = found.number[k];
    end += sees ? 1 : 0;
  }
  seen.resize(end);
}

bool SightSearch::is_seen(std::uint32_t number, Verdict verdict) const {
  const Element& target = elements_[number];
  if (verdict == Verdict::ask_terrain) {
    return !meets_terrain_towards(target.point);
  }
  return (verdict == Verdict::ask_path || faces_source(target)) &&
         path_is_free(occlusion_, source_.point, target.point);
}

bool SightSearch::meets_terrain_towards(Vec3 target) const {
  const Vec3 way = target - source_.point;
  const double distance = square_norm(way.xy());
  const double clear_m = walls_.distance_over_terrain(square_azimuth(way.xy()), way.z / distance);
  if (clear_m >= distance) return false;
  const double clear = std::max(0.0, clear_m - ring_margin_m) / distance;
  const auto [first, second] = ordered_ends(source_.point, target);
  return meets_terrain(occlusion_, first, second, first == source_.point ? Stretch{clear, 1} : Stretch{0, 1 - clear});
}

void SightSearch::add_part_as_hider(std::uint32_t k) {
  const CentredPart& part = grid_.centred_part(k);
  if (above_only_ && part.top_z <= source_.point.z) return;
  // Below a raised part one may see through; what rises does not get there from above its underside.
  if (part.bottom_z > (above_only_ ? source_.point.z : -infinity)) return;
  const Rectangle box = relative(part.bounds, source_.point.xy());
  if (nearest_distance(box) > Horizon::beyond_m) {
    add_hider({.kind = Hider::Kind::part, .index = k, .top_z = part.top_z}, farthest_distance(box));
    return;
  }
  const FlatPart& sides = occlusion_.parts[part.part];
  for (std::uint32_t w = sides.first_side; w < sides.end_side; ++w) {
    const WallSide& wall = occlusion_.outlines[w];
    add_hider({.kind = Hider::Kind::wall, .index = w, .top_z = part.top_z},
              std::max(square_norm(wall.p - source_.point.xy()), square_norm(wall.q - source_.point.xy())));
  }
}

void SightSearch::add_terrain_as_hider(const Rectangle& square, float low_z) {
  if (nearest_distance(square) <= Horizon::beyond_m) return;
  const double top_z = static_cast<double>(low_z) + grid_.reference_z() - static_cast<double>(grid_.margins().height_m);
  const Rectangle absolute = {square.min + source_.point.xy(), square.max + source_.point.xy()};
  add_hider({.kind = Hider::Kind::terrain, .top_z = top_z, .square = absolute}, farthest_distance(square));
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

bool SightSearch::may_raise_horizon(const Rectangle& box, double top_z) const {
  const double nearest = nearest_distance(box);
  if (nearest < Horizon::beyond_m) return true;
  const double height = top_z - source_.point.z;
  const double slope = height / (height > 0 ? nearest : farthest_distance(box));
  return horizon_.can_be_raised(azimuths_of(box), static_cast<float>(slope));
}

void SightSearch::raise_horizon_by(const Hider& hider) {
  if (hider.kind == Hider::Kind::wall) {
    return horizon_.raise_by_wall(source_.point, occlusion_.outlines[hider.index], hider.top_z);
  }
  if (hider.kind == Hider::Kind::part) {
    const CentredPart& part = grid_.centred_part(hider.index);
    if (!may_raise_horizon(relative(part.bounds, source_.point.xy()), hider.top_z)) return;
    return horizon_.raise_by_outline(source_.point, grid_.corners(part), part.bounds, hider.top_z);
  }
  const Rectangle& box = hider.square;
  if (!may_raise_horizon(relative(box, source_.point.xy()), hider.top_z)) return;
  const Vec2 corners[] = {box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}, box.min};
  horizon_.raise_by_outline(source_.point, corners, box, hider.top_z);
}

}  // namespace tesseray
