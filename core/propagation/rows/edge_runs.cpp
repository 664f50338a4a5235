// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/edge_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/tiling/walls.h"

namespace tesseray {
namespace {

constexpr double same_place_m = 1e-6, same_direction = 1e-9;

Vec3 begin_of(const EdgeSegment& edge) { return edge.midpoint - 0.5 * edge.length_m * edge.direction; }
Vec3 end_of(const EdgeSegment& edge) { return edge.midpoint + 0.5 * edge.length_m * edge.direction; }

// True when the two are parts of one edge, with a common end.
bool goes_on(const EdgeSegment& edge, const EdgeSegment& next) {
  const auto alike = [](Vec3 a, Vec3 b) { return norm(a - b) <= same_direction; };
  const double gap_m = std::fmin(norm(begin_of(next) - end_of(edge)), norm(begin_of(edge) - end_of(next)));
  return gap_m <= same_place_m && alike(edge.direction, next.direction) && alike(edge.tangent_0, next.tangent_0) &&
         alike(edge.tangent_n, next.tangent_n);
}

// A run's line, and the faces on its two sides.
struct RunLine {
  std::uint32_t run = 0;  // its number
  Vec3 begin, end, direction, tangent_0, tangent_n;

  double length_m() const { return norm(end - begin); }
};

// Runs by where they begin, so that those that go on with one another are found.
class RunLines {
 public:
  // Where one begins nearer than this to another's end it goes on with it.
  explicit RunLines(double gap_m) : gap_m_(gap_m) {}

  std::size_t add(const RunLine& line) {
    by_cell_.emplace(cell_of(line.begin), lines_.size());
    lines_.push_back(line);
    return lines_.size() - 1;
  }
  std::size_t size() const { return lines_.size(); }
  const RunLine& operator[](std::size_t number) const { return lines_[number]; }

  // Calls visit(next) for each that goes on with a run, one behind the other. Each ends farther along that run's
  // direction than the one before, so that there is a last one.
  template <class Visit>
  void for_all_behind(std::size_t number, const Visit& visit) const {
    for (auto next = behind(number, lines_[number]); next; next = behind(*next, lines_[number])) visit(*next);
  }

 private:
  static constexpr double as_straight = 0.9986;  // cos 3°

  std::array<std::int64_t, 2> cell_of(Vec3 place) const {
    return {std::llround(place.x / gap_m_), std::llround(place.y / gap_m_)};
  }
  std::optional<std::size_t> behind(std::size_t number, const RunLine& line) const {
    const RunLine& run = lines_[number];
    const auto [x, y] = cell_of(run.end);
    std::optional<std::size_t> nearest;
    double least_m = gap_m_;
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        const auto [first, last] = by_cell_.equal_range({x + dx, y + dy});
        for (auto other = first; other != last; ++other) {
          const RunLine& next = lines_[other->second];
          const bool is_straight = dot(next.direction, line.direction) > as_straight &&
                                   dot(next.tangent_0, line.tangent_0) > as_straight &&
                                   dot(next.tangent_n, line.tangent_n) > as_straight;
          const double off_m = norm(next.begin - run.end);
          const bool goes_on = dot(next.end - run.end, line.direction) > 0;
          if (!goes_on || !is_straight || !(off_m < least_m)) continue;
          least_m = off_m;
          nearest = other->second;
        }
      }
    }
    return nearest;
  }

  double gap_m_;
  std::vector<RunLine> lines_;
  std::multimap<std::array<std::int64_t, 2>, std::size_t> by_cell_;
};

// The lines of all runs of a kind. line_of: by number of the run.
RunLines lines_of(EdgeKind kind, double gap_m, const std::vector<EdgeSegment>& edges, const std::vector<EdgeRun>& runs,
                  std::vector<std::size_t>& line_of) {
  RunLines lines(gap_m);
  line_of.assign(edges.size(), 0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].kind != kind || runs[e].number != e) continue;
    const Vec3 half = runs[e].half_length_m * edges[e].direction;
    line_of[e] = lines.add({runs[e].number, runs[e].midpoint - half, runs[e].midpoint + half, edges[e].direction,
                            edges[e].tangent_0, edges[e].tangent_n});
  }
  return lines;
}

// The lengths by which neighbours go on with the runs of roof edges.
void add_neighbours(const std::vector<EdgeSegment>& edges, std::vector<EdgeRun>& runs) {
  constexpr double gap_m = 0.25;
  std::vector<std::size_t> line_of;
  const RunLines lines = lines_of(EdgeKind::roof, gap_m, edges, runs, line_of);
  std::vector<double> before(lines.size(), 0.0), after(lines.size(), 0.0);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    lines.for_all_behind(line, [&](std::size_t next) {
      before[next] = std::max(before[next], lines[line].length_m() + after[line]);
      after[line] += lines[next].length_m();
    });
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].kind != EdgeKind::roof) continue;
    runs[e].before_m = before[line_of[runs[e].number]];
    runs[e].after_m = after[line_of[runs[e].number]];
  }
}

// Makes one run of the upright edges of parts that stand on each other. Each part keeps its own line, should the parts
// differ by what touches: a step or a gap that small is none.
void join_upright(const std::vector<EdgeSegment>& edges, std::vector<EdgeRun>& runs) {
  std::vector<std::size_t> line_of;
  const RunLines lines = lines_of(EdgeKind::corner, touch_m, edges, runs, line_of);
  std::vector<std::size_t> lowest(lines.size()), highest(lines.size());
  for (std::size_t line = 0; line < lines.size(); ++line) lowest[line] = highest[line] = line;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    lines.for_all_behind(line, [&](std::size_t next) {
      highest[line] = next;
      if (lines[line].begin.z < lines[lowest[next]].begin.z) lowest[next] = line;
    });
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].kind != EdgeKind::corner) continue;
    const std::size_t line = line_of[runs[e].number];
    if (lowest[line] == line && highest[line] == line) continue;
    const double low_z = lines[lowest[line]].begin.z, high_z = lines[highest[line]].end.z;
    runs[e].midpoint.z = 0.5 * (low_z + high_z);
    runs[e].half_length_m = 0.5 * (high_z - low_z);
    runs[e].number = lines[lowest[line]].run;
  }
}

}  // namespace

std::vector<EdgeRun> edge_runs(const Tiling& tiling) {
  const std::vector<EdgeSegment>& edges = tiling.edges;
  std::vector<EdgeRun> runs(edges.size());
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first;
    while (last + 1 < edges.size() && goes_on(edges[last], edges[last + 1])) ++last;
    // Segments may follow each other against their direction.
    const double length_m =
        norm(edges[last].midpoint - edges[first].midpoint) + 0.5 * (edges[first].length_m + edges[last].length_m);
    const bool forward = dot(edges[last].midpoint - edges[first].midpoint, edges[first].direction) >= 0;
    const Vec3 begin = begin_of(edges[forward ? first : last]);
    const EdgeRun run{.midpoint = begin + 0.5 * length_m * edges[first].direction,
                      .half_length_m = 0.5 * length_m,
                      .number = static_cast<std::uint32_t>(first)};
    for (std::size_t e = first; e <= last; ++e) runs[e] = run;
    first = last + 1;
  }
  add_neighbours(edges, runs);
  join_upright(edges, runs);
  return runs;
}

}  // namespace tesseray
