// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation/vegetation_loss.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr double cell_m = 16.0;
constexpr std::int64_t most_cells = std::int64_t{1} << 22;
// Where in its cell a reference point lies: off the round numbers on which vertices lie.
constexpr double reference_share_x = 0.4731, reference_share_y = 0.5287;

// Narrows [begin, end] to where start + s · slope lies between low and high.
void clip(double start, double slope, double low, double high, double& begin, double& end) {
  if (slope == 0) {
    if (start < low || start > high) end = begin;
    return;
  }
  const double scale = 1.0 / slope, a = (low - start) * scale, b = (high - start) * scale;
  begin = std::max(begin, std::min(a, b));
  end = std::min(end, std::max(a, b));
}

}  // namespace

struct VegetationPrisms::Line {
  Vec3 start, direction;  // unit
  Vec3 at(double way_m) const { return start + way_m * direction; }
};

VegetationPrisms::VegetationPrisms(const std::vector<VegetationArea>& areas) {
  Rectangle box;
  lowest_m_ = infinity;
  highest_m_ = -infinity;
  for (const VegetationArea& area : areas) {
    for (const Ring& ring : area.rings) {
      for (const Vec2 p : ring) box.extend(p);
    }
    lowest_m_ = std::min(lowest_m_, area.bottom_z);
    highest_m_ = std::max(highest_m_, area.top_z);
  }
  if (box.empty()) return;
  grid_ = make_cell_grid(box, cell_m, most_cells);
  add_areas(areas);
}

Vec2 VegetationPrisms::reference_point(std::int32_t i, std::int32_t j) const {
  return {grid_.origin.x + (i + reference_share_x) * grid_.step_m,
          grid_.origin.y + (j + reference_share_y) * grid_.step_m};
}

void VegetationPrisms::add_areas(const std::vector<VegetationArea>& areas) {
  std::vector<std::pair<std::size_t, AreaInCell>> found;  // with its cell
  for (const VegetationArea& area : areas) {
    std::vector<std::pair<std::size_t, Side>> sides;
    for (const Ring& ring : area.rings) {
      for (std::size_t v = 0; v < ring.size(); ++v) {
        const Side side{ring[v], ring[(v + 1) % ring.size()]};
        for_cells_near(grid_, side.begin, side.end,
                       [&](std::int32_t i, std::int32_t j) { sides.emplace_back(grid_.index(i, j), side); });
      }
    }
    std::stable_sort(sides.begin(), sides.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    // Row by row, so in the order of the cells' numbers.
    const Rectangle box = grown(bounds(area.rings), cell_padding_m);
    std::size_t next = 0;
    std::vector<Interval> inside;
    for (std::int32_t j = grid_.row(box.min.y); j <= grid_.row(box.max.y); ++j) {
      const Vec2 west{box.min.x - 1.0, reference_point(0, j).y};
      inside.clear();
      append_inside_intervals(area.rings, west, {1, 0}, box.max.x - box.min.x + 2.0, inside);
      for (std::int32_t i = grid_.column(box.min.x); i <= grid_.column(box.max.x); ++i) {
        const double place = reference_point(i, j).x - west.x;
        AreaInCell in_cell{area.bottom_z, area.top_z, static_cast<std::uint32_t>(sides_.size())};
        in_cell.has_reference_point = std::any_of(inside.begin(), inside.end(), [&](const Interval& interval) {
          return interval.low <= place && place < interval.high;
        });
        for (; next < sides.size() && sides[next].first == grid_.index(i, j); ++next) {
          sides_.push_back(sides[next].second);
        }
        in_cell.sides_end = static_cast<std::uint32_t>(sides_.size());
        if (in_cell.has_reference_point || in_cell.sides_end > in_cell.sides_begin) {
          found.emplace_back(grid_.index(i, j), in_cell);
        }
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  areas_of_cell_.assign(grid_.size() + 1, 0);
  top_of_cell_.assign(grid_.size(), -infinity);
  areas_in_cells_.reserve(found.size());
  for (const auto& [cell, area] : found) {
    ++areas_of_cell_[cell + 1];
    areas_in_cells_.push_back(area);
    top_of_cell_[cell] = std::max(top_of_cell_[cell], area.top_z);
  }
  for (std::size_t cell = 0; cell < grid_.size(); ++cell) areas_of_cell_[cell + 1] += areas_of_cell_[cell];
}

bool VegetationPrisms::has_in_plan(const AreaInCell& area, Vec2 reference, Vec2 point, Vec2 left) const {
  bool inside = area.has_reference_point;
  const Vec2 way = point - reference;
  for (std::uint32_t s = area.sides_begin; s < area.sides_end; ++s) {
    const Side& side = sides_[s];
    const Vec2 begin = side.begin - reference, end = side.end - reference;
    if ((cross(way, begin) > 0) == (cross(way, end) > 0)) continue;
    const Vec2 along = end - begin;
    const double point_side = cross(along, begin - way);
    const bool reference_left = cross(along, begin) < 0;
    const bool point_left = point_side < 0 || (point_side == 0 && cross(along, left) > 0);
    if (reference_left != point_left) inside = !inside;
  }
  return inside;
}

void VegetationPrisms::add_intervals(const AreaInCell& area, Vec2 reference, const Line& line, double begin_m,
                                     double end_m, std::vector<Interval>& inside) const {
  double low = begin_m, high = end_m;
  clip(line.start.z, line.direction.z, area.bottom_z, area.top_z, low, high);
  if (low >= high) return;
  // Where the way crosses the outline: sides are half-open, so that a vertex on the way counts once, as if the way lay
  // a little to the left.
  const std::uint32_t sides = area.sides_end - area.sides_begin;
  std::array<double, 32> few;
  std::vector<double> many(sides + 2 > few.size() ? sides + 2 : 0);
  double* const cuts = many.empty() ? few.data() : many.data();
  std::size_t count = 0;
  cuts[count++] = begin_m;
  const Vec2 start = line.start.xy(), direction = line.direction.xy();
  for (std::uint32_t s = area.sides_begin; s < area.sides_end; ++s) {
    const Vec2 begin = sides_[s].begin - start, end = sides_[s].end - start;
    if ((cross(direction, begin) > 0) == (cross(direction, end) > 0)) continue;
    const Vec2 along = end - begin;
    const double way_m = cross(begin, along) / cross(direction, along);
    if (way_m > begin_m && way_m < end_m) cuts[count++] = way_m;
  }
  cuts[count++] = end_m;
  if (count > 3) std::sort(cuts, cuts + count);
  // The longest piece between two crossings says which pieces are inside: a place about its middle is on no side but
  // one along the way, and on no vertex.
  constexpr double share_before = 0.4142135623730951;
  std::size_t longest = 0;
  for (std::size_t c = 1; c + 1 < count; ++c) {
    if (cuts[c + 1] - cuts[c] > cuts[longest + 1] - cuts[longest]) longest = c;
  }
  const Vec2 place = line.at(cuts[longest] + share_before * (cuts[longest + 1] - cuts[longest])).xy();
  const bool longest_is_inside = has_in_plan(area, reference, place, {-direction.y, direction.x});
  for (std::size_t c = 0; c + 1 < count; ++c) {
    if (((c ^ longest) & 1) == (longest_is_inside ? 1 : 0)) continue;
    const Interval piece{std::max(cuts[c], low), std::min(cuts[c + 1], high)};
    if (piece.low < piece.high) inside.push_back(piece);
  }
}

double VegetationPrisms::length_in_cell(std::int32_t i, std::int32_t j, const Line& line, double begin_m, double end_m,
                                        std::vector<Interval>& inside) const {
  const std::size_t cell = grid_.index(i, j);
  inside.clear();
  const Vec2 reference = reference_point(i, j);
  const std::uint32_t first = areas_of_cell_[cell], last = areas_of_cell_[cell + 1];
  for (std::uint32_t a = first; a < last; ++a) {
    add_intervals(areas_in_cells_[a], reference, line, begin_m, end_m, inside);
  }
  if (last - first > 1) {
    std::sort(inside.begin(), inside.end(), [](const Interval& x, const Interval& y) { return x.low < y.low; });
  }
  double sum = 0, reached = begin_m;
  for (const Interval& interval : inside) {
    sum += std::max(0.0, interval.high - std::max(interval.low, reached));
    reached = std::max(reached, interval.high);
  }
  return sum;
}

double VegetationPrisms::length_inside(Vec3 a, Vec3 b) const {
  if (empty() || (a.z >= highest_m_ && b.z >= highest_m_)) return 0;
  if (std::tie(b.x, b.y, b.z) < std::tie(a.x, a.y, a.z)) std::swap(a, b);
  const Vec3 way = b - a;
  const double length_m = norm(way);
  if (!(length_m > 0)) return 0;
  const Line line{a, (1.0 / length_m) * way};
  const Vec3 direction = line.direction;
  double begin_m = 0, end_m = length_m;
  const Rectangle box = grid_.square(0, 0, grid_.columns - 1, grid_.rows - 1);
  clip(a.x, direction.x, box.min.x, box.max.x, begin_m, end_m);
  clip(a.y, direction.y, box.min.y, box.max.y, begin_m, end_m);
  clip(a.z, direction.z, lowest_m_, highest_m_, begin_m, end_m);
  if (begin_m >= end_m) return 0;

  // From border to border of the cells, by counting: each step leads on however a border rounds.
  struct Axis {
    double next_m, step_m;  // to the next border, from border to border
    std::int32_t cell, step;
  };
  const auto axis = [&](double start, double slope, double origin, std::int32_t count) {
    const double place = (start + begin_m * slope - origin) / grid_.step_m;
    const std::int32_t cell = std::clamp(static_cast<std::int32_t>(place), 0, count - 1);
    if (slope == 0) return Axis{infinity, 0, cell, 0};
    const double border = origin + grid_.step_m * (slope > 0 ? cell + 1 : cell);
    return Axis{(border - start) / slope, grid_.step_m / std::fabs(slope), cell, slope > 0 ? 1 : -1};
  };
  Axis x = axis(a.x, direction.x, grid_.origin.x, grid_.columns);
  Axis y = axis(a.y, direction.y, grid_.origin.y, grid_.rows);
  std::vector<Interval> inside;
  double sum = 0;
  while (begin_m < end_m && x.cell >= 0 && y.cell >= 0 && x.cell < grid_.columns && y.cell < grid_.rows) {
    // Without branches: which border comes first is anyone's guess.
    const bool x_first = x.next_m < y.next_m;
    const double next_m = std::min(end_m, std::max(begin_m, x_first ? x.next_m : y.next_m));
    const double lowest_m = a.z + (direction.z > 0 ? begin_m : next_m) * direction.z;
    if (lowest_m < top_of_cell_[grid_.index(x.cell, y.cell)]) {
      sum += length_in_cell(x.cell, y.cell, line, begin_m, next_m, inside);
    }
    begin_m = next_m;
    x.cell += x_first ? x.step : 0;
    y.cell += x_first ? 0 : y.step;
    x.next_m += x_first ? x.step_m : 0.0;
    y.next_m += x_first ? 0.0 : y.step_m;
  }
  return sum;
}

VegetationLoss::VegetationLoss(const VegetationPrisms& prisms, VegetationModel model, double db_per_m,
                               double frequency_hz)
    : prisms_(&prisms) {
  if (prisms.empty() || model == VegetationModel::none) return;
  const double nepers_per_db = std::log(10.0) / 20.0;
  if (model == VegetationModel::per_metre) {
    rate_.nepers_per_m = nepers_per_db * db_per_m;
    return;
  }
  const WoodlandLoss woodland = p833_woodland_loss(frequency_hz);
  rate_.nepers_per_m = nepers_per_db * woodland.db_per_m;
  rate_.maximum_nepers = nepers_per_db * woodland.maximum_db;
}

}  // namespace tesseray
