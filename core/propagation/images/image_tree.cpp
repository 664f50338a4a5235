// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/image_tree.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/images/beam.h"
#include "core/propagation/images/plan_horizon.h"

namespace tesseray {
namespace {

constexpr double cell_m = 32.0;
constexpr std::int64_t most_cells = std::int64_t{1} << 20;
constexpr std::size_t most_cells_of_item = 4096, most_cells_of_ground = 64;
// Of a horizon: for a sector ahead, and for all directions.
constexpr std::size_t bins_ahead = 256, bins_around = 4096;

double distance_to(const Rectangle& box, Vec2 p) {
  const double dx = std::max({box.min.x - p.x, 0.0, p.x - box.max.x});
  const double dy = std::max({box.min.y - p.y, 0.0, p.y - box.max.y});
  return norm(Vec2{dx, dy});
}

// The line of a wall in the plan, with the air in front.
struct PlanLine {
  Vec2 point, normal;
  double height_of(Vec2 p) const { return dot(p - point, normal); }
};

// Walls that stand out by less from the plane of another one hide nothing of what it reflects.
constexpr double in_one_plane_m = 0.01;

// The part of a segment in front of a line; empty when it lies behind or along it.
std::optional<std::pair<Vec2, Vec2>> part_in_front(Vec2 a, Vec2 b, const PlanLine& line) {
  const double at_a = line.height_of(a), at_b = line.height_of(b);
  if (at_a <= in_one_plane_m && at_b <= in_one_plane_m) return std::nullopt;
  if (at_a < 0) a = a + (at_a / (at_a - at_b)) * (b - a);
  if (at_b < 0) b = b + (at_b / (at_b - at_a)) * (a - b);
  return std::pair{a, b};
}

// Directions of the plan between two rays from a point, as two half-planes where it is narrow.
class NarrowSector {
 public:
  explicit NarrowSector(const PlanSector& sector)
      : apex_(sector.apex), is_narrow_(sector.half_width < 0.5 * pi - 1e-3) {
    const double first = sector.middle - sector.half_width, last = sector.middle + sector.half_width;
    to_left_ = {-std::sin(first), std::cos(first)};
    to_right_ = {std::sin(last), -std::cos(last)};
  }
  bool meets_circle(Vec2 centre, double radius_m) const {
    if (!is_narrow_) return true;
    const Vec2 way = centre - apex_;
    return dot(way, to_left_) >= -radius_m && dot(way, to_right_) >= -radius_m;
  }

 private:
  Vec2 apex_, to_left_, to_right_;
  bool is_narrow_;
};

PlanSector sector_of(const Beam& beam) {
  return beam.is_everywhere() ? PlanSector{beam.apex().xy()}
                              : PlanSector::of(beam.apex().xy(), beam.opening().corners());
}

// True when the part of a surface cannot be seen.
bool is_hidden(const ConvexPolygon& part, const Reflector& reflector, const PlanHorizon& horizon) {
  const std::span<const Vec3> corners = part.corners();
  double top_z = corners[0].z;
  for (const Vec3 corner : corners) top_z = std::max(top_z, corner.z);
  if (!reflector.is_wall()) return horizon.hides(corners, top_z);
  const Vec2 side = (reflector.outline[1] - reflector.outline[0]).xy();
  const auto [first, last] = std::minmax_element(corners.begin(), corners.end(),
                                                 [&](Vec3 a, Vec3 b) { return dot(a.xy(), side) < dot(b.xy(), side); });
  return horizon.hides(first->xy(), last->xy(), top_z);
}

// Holds the sector up to `reach_m` from its apex.
Rectangle box_of(const PlanSector& sector, double reach_m) {
  Rectangle box;
  if (sector.half_width > 1.2) {
    box.extend(sector.apex - Vec2{reach_m, reach_m});
    box.extend(sector.apex + Vec2{reach_m, reach_m});
    return box;
  }
  box.extend(sector.apex);
  const double far_m = reach_m / std::cos(sector.half_width);
  for (const double angle : {sector.middle - sector.half_width, sector.middle + sector.half_width}) {
    box.extend(sector.apex + far_m * Vec2{std::cos(angle), std::sin(angle)});
  }
  return box;
}

}  // namespace

struct ImageTree::Node {
  Beam beam;
  ReflectionChain chain;
  std::optional<PlanLine> wall;  // the last one at which the rays were reflected
  bool hides = true;             // walls hide as plan_horizon.h says: only level floors so far, and no ceiling
  bool after_floor = false;
};

struct ImageTree::Search {
  Vec3 source;
  std::span<const Vec3> targets;
  ImageLimits limits;
};

struct ImageTree::Workspace {
  std::vector<std::uint8_t> seen;  // by item
  std::vector<std::uint32_t> items;
};

ImageTree::ImageTree(const Reflectors& reflectors, const RealEdges& edges) : reflectors_(reflectors), edges_(edges) {
  item_count_ = static_cast<std::uint32_t>(reflectors.all().size() + edges.all().size());
  Rectangle all;
  for (std::uint32_t item = 0; item < item_count_; ++item) {
    const Rectangle box = plan_box(item);
    all.extend(box.min);
    all.extend(box.max);
  }
  if (all.empty()) return;
  grid_ = make_cell_grid(all, cell_m, most_cells);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> placed;
  for (std::uint32_t item = 0; item < item_count_; ++item) {
    const Rectangle box = plan_box(item);
    const std::int32_t i_end = grid_.column(box.max.x), j_end = grid_.row(box.max.y);
    const std::int32_t i_begin = grid_.column(box.min.x), j_begin = grid_.row(box.min.y);
    const auto count = static_cast<std::size_t>(i_end - i_begin + 1) * static_cast<std::size_t>(j_end - j_begin + 1);
    const bool is_ground = !is_edge(item) && reflectors[item].kind == SurfaceKind::ground;
    if (count > (is_ground ? most_cells_of_ground : most_cells_of_item)) {
      everywhere_.push_back(item);
      continue;
    }
    for (std::int32_t j = j_begin; j <= j_end; ++j) {
      for (std::int32_t i = i_begin; i <= i_end; ++i) placed.emplace_back(grid_.index(i, j), item);
    }
  }
  cells_ = make_cell_lists(grid_.size(), placed);
}

bool ImageTree::is_edge(std::uint32_t item) const { return item >= reflectors_.all().size(); }

std::uint32_t ImageTree::edge_of(std::uint32_t item) const {
  return item - static_cast<std::uint32_t>(reflectors_.all().size());
}

Rectangle ImageTree::plan_box(std::uint32_t item) const {
  Rectangle box;
  if (!is_edge(item)) {
    for (const Vec3 corner : reflectors_[item].polygon()) box.extend(corner.xy());
    return box;
  }
  const EdgeSegment& edge = edges_[edge_of(item)];
  const Vec3 half = 0.5 * edge.length_m * edge.direction;
  box.extend((edge.midpoint - half).xy());
  box.extend((edge.midpoint + half).xy());
  return box;
}

void ImageTree::find_items(const Node& node, const Search& search, Workspace& work) const {
  work.seen.resize(item_count_);
  work.items = everywhere_;
  const Vec2 apex = node.beam.apex().xy();
  const PlanSector sector =
      node.beam.is_everywhere() ? PlanSector{apex} : PlanSector::of(apex, node.beam.opening().corners());
  const NarrowSector narrow(sector);
  const Rectangle box = box_of(sector, search.limits.max_length_m);
  const double radius_m = 0.7072 * grid_.step_m + cell_padding_m;
  for (std::int32_t j = grid_.row(box.min.y); j <= grid_.row(box.max.y); ++j) {
    for (std::int32_t i = grid_.column(box.min.x); i <= grid_.column(box.max.x); ++i) {
      const Vec2 centre = grid_.centre(i, j);
      if (!narrow.meets_circle(centre, radius_m)) continue;
      if (node.wall && node.wall->height_of(centre) < -radius_m) continue;
      const double way_m = norm(centre - apex) + distance_to(search.limits.goal, centre) - 2 * radius_m;
      if (way_m > search.limits.max_length_m) continue;
      const std::size_t cell = grid_.index(i, j);
      for (std::uint32_t k = cells_.offsets[cell]; k < cells_.offsets[cell + 1]; ++k) {
        const std::uint32_t item = cells_.items[k];
        if (work.seen[item] != 0) continue;
        work.seen[item] = 1;
        work.items.push_back(item);
      }
    }
  }
  for (const std::uint32_t item : work.items) work.seen[item] = 0;
  std::sort(work.items.begin(), work.items.end());
}

std::optional<PlanHorizon> ImageTree::horizon_of(const Node& node, const Search& search, const Workspace& work) const {
  if (!node.hides) return std::nullopt;
  std::vector<PlanHorizon::Wall> walls;
  for (const std::uint32_t item : work.items) {
    if (is_edge(item) || !reflectors_[item].occludes) continue;
    const std::span<const Vec3> outline = reflectors_[item].polygon();
    const Vec2 a = outline[0].xy(), b = outline[1].xy();
    const auto part = node.wall ? part_in_front(a, b, *node.wall) : std::optional(std::pair{a, b});
    if (part) walls.push_back({part->first, part->second, outline[2].z});
  }
  if (walls.empty()) return std::nullopt;
  const PlanSector sector = sector_of(node.beam);
  const std::size_t most_bins = sector.half_width < 1 ? bins_ahead : bins_around;
  const std::size_t bins = std::clamp<std::size_t>(2 * walls.size(), 16, most_bins);
  return PlanHorizon(sector, search.source.z, std::move(walls), bins);
}

bool ImageTree::may_light(const Node& node, const EdgeSegment& edge, const std::optional<PlanHorizon>& horizon) const {
  const Vec3 half = 0.5 * edge.length_m * edge.direction;
  const Vec3 begin = edge.midpoint - half, end = edge.midpoint + half;
  if (!node.beam.reaches_segment(begin, end)) return false;
  return !horizon || !horizon->hides(begin.xy(), end.xy(), std::max(begin.z, end.z));
}

std::optional<ImageTree::Node> ImageTree::child_of(const Node& node, std::uint32_t number,
                                                   const std::optional<PlanHorizon>& horizon) const {
  const Reflector& reflector = reflectors_[number];
  if (node.after_floor && reflector.is_floor()) return std::nullopt;
  const Vec3 apex = node.beam.apex();
  if (dot(apex - reflector.origin, reflector.normal) < least_height_m) return std::nullopt;
  const ConvexPolygon part = node.beam.lit_part(reflector.polygon());
  if (part.empty() || (horizon && is_hidden(part, reflector, *horizon))) return std::nullopt;
  Node child{Beam(mirrored(apex, reflector.origin, reflector.normal), part, reflector.normal), node.chain, node.wall,
             node.hides && (reflector.is_wall() || reflector.level_floor),
             reflector.is_floor() || (node.after_floor && !reflector.is_ceiling)};
  child.chain.push(number);
  if (reflector.is_wall()) child.wall = PlanLine{reflector.origin.xy(), reflector.normal.xy()};
  return child;
}

void ImageTree::expand(const Node& node, const Search& search, Workspace& work, std::vector<Node>& children,
                       LitItems& lit) const {
  const bool wants_edges = node.chain.length <= search.limits.reflections_before_edge;
  const bool goes_on = node.chain.length < search.limits.reflections;
  if (!wants_edges && !goes_on) return;
  find_items(node, search, work);
  const std::optional<PlanHorizon> horizon = horizon_of(node, search, work);
  for (const std::uint32_t item : work.items) {
    if (is_edge(item)) {
      const std::uint32_t edge = edge_of(item);
      if (wants_edges && may_light(node, edges_[edge], horizon)) lit.edges.push_back({edge, node.chain});
    } else if (goes_on) {
      const std::optional<Node> child = child_of(node, item, horizon);
      if (child) children.push_back(*child);
    }
  }
}

void ImageTree::look(const Node& node, const Search& search, LitItems& lit) const {
  ++lit.images;
  for (std::uint32_t t = 0; t < search.targets.size(); ++t) {
    const Vec3 target = search.targets[t];
    if (!node.beam.reaches(target)) continue;
    if (norm(target - node.beam.apex()) > search.limits.max_length_m) continue;
    lit.targets.push_back({t, node.chain});
  }
}

void ImageTree::descend(const Node& node, const Search& search, Workspace& work, LitItems& lit) const {
  look(node, search, lit);
  std::vector<Node> children;
  expand(node, search, work, children, lit);
  for (const Node& child : children) descend(child, search, work, lit);
}

LitItems ImageTree::light(Vec3 source, std::span<const Vec3> targets, const ImageLimits& limits,
                          Progress& progress) const {
  const Search search{source, targets, limits};
  LitItems lit;
  if (item_count_ == 0) return lit;
  const Node root{Beam(source), {}, std::nullopt, true, false};
  Workspace root_work;
  std::vector<Node> children;
  look(root, search, lit);
  expand(root, search, root_work, children, lit);
  std::vector<LitItems> parts(children.size());
  tbb::enumerable_thread_specific<Workspace> workspaces;
  parallel_blocks(children.size(), 1, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) descend(children[c], search, workspaces.local(), parts[c]);
  });
  for (const LitItems& part : parts) {
    lit.targets.insert(lit.targets.end(), part.targets.begin(), part.targets.end());
    lit.edges.insert(lit.edges.end(), part.edges.begin(), part.edges.end());
    lit.images += part.images;
  }
  return lit;
}

}  // namespace tesseray
