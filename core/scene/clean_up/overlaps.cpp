// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/overlaps.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/base/infinity.h"
#include "core/base/parallel.h"
#include "core/scene/footprints/clean_footprint.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/issue_text.h"
#include "core/scene/landscape/terrain_surface.h"

namespace tesseray {
namespace {

// Heights in common that are less than this are the inexactness of stacked parts.
constexpr double least_common_height_m = 0.01;
constexpr std::size_t prisms_per_block = 128;

// Solids on the ground reach down into it.
double low_z(const Prism& prism) { return prism.on_ground ? -infinity : prism.bottom_z; }

bool share_heights(const Prism& a, const Prism& b) {
  return std::min(a.top_z, b.top_z) - std::max(low_z(a), low_z(b)) > least_common_height_m;
}

// The ring from its lowest vertex on, so that copies that start elsewhere are equal.
Ring canonical(const Ring& ring) {
  Ring result = ring;
  const auto first = std::min_element(result.begin(), result.end(),
                                      [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::rotate(result.begin(), first, result.end());
  return result;
}

std::uint64_t shape_hash(const Prism& prism) {
  StableHash hash;
  for (const Ring& ring : prism.rings) {
    for (const Vec2 p : canonical(ring)) {
      hash.add(p.x);
      hash.add(p.y);
    }
  }
  hash.add(low_z(prism));
  hash.add(prism.top_z);
  return hash.value();
}

bool is_copy(const Prism& a, const Prism& b) {
  return a.top_z == b.top_z && low_z(a) == low_z(b) &&
         std::equal(a.rings.begin(), a.rings.end(), b.rings.begin(), b.rings.end(),
                    [](const Ring& p, const Ring& q) { return canonical(p) == canonical(q); });
}

std::vector<Prism> without_copies(std::vector<Prism> prisms, IssueLog& log) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> kept_by_shape;
  std::vector<Prism> kept;
  kept.reserve(prisms.size());
  for (Prism& prism : prisms) {
    std::vector<std::size_t>& alike = kept_by_shape[shape_hash(prism)];
    const auto copy = std::find_if(alike.begin(), alike.end(), [&](std::size_t i) { return is_copy(kept[i], prism); });
    if (copy != alike.end()) {
      log.add(Issue::Action::dropped, "duplicate",
              "an exact copy of feature " + std::to_string(kept[*copy].source_feature) + " is left out",
              prism.source_feature, prism.rings);
      continue;
    }
    alike.push_back(kept.size());
    kept.push_back(std::move(prism));
  }
  return kept;
}

struct Overlaps {
  std::vector<std::uint32_t> higher;  // the prisms that cut this one
  std::size_t thin = 0;               // overlaps too thin to be cut, and the deepest of them
  double thin_depth_m = 0;
};

// How far the sides of `a` reach into `b`, judged at the middle of each run inside, m.
double depth_of_sides(const Rings& a, const Rings& b, std::vector<Interval>& inside) {
  double deepest = 0;
  for (const Ring& ring : a) {
    Vec2 from = ring.back();
    for (const Vec2 to : ring) {
      const double length = norm(to - from);
      const Vec2 direction = (1.0 / length) * (to - from);
      inside.clear();
      append_inside_intervals(b, from, direction, length, inside);
      for (const Interval& run : inside) {
        deepest = std::max(deepest, distance_to_sides(b, from + run.middle() * direction));
      }
      from = to;
    }
  }
  return deepest;
}

double depth_of_point(Vec2 p, const Rings& rings) { return contains(rings, p) ? distance_to_sides(rings, p) : 0; }

// How deep two polygons reach into each other, m: cheap, and zero or nearly so for neighbours with a shared wall. The
// inner points find polygons that all but coincide.
double common_depth(const Rings& a, const Rings& b, std::vector<Interval>& inside) {
  return std::max({depth_of_sides(a, b, inside), depth_of_sides(b, a, inside), depth_of_point(interior_point(a), b),
                   depth_of_point(interior_point(b), a)});
}

class OverlapResolver {
 public:
  OverlapResolver(std::vector<Prism> prisms, const Terrain& terrain, IssueLog& log, Progress& progress)
      : terrain_(terrain), log_(log), progress_(progress) {
    scene_.prisms = std::move(prisms);
  }

  std::vector<Prism> run() {
    rank();
    find_overlaps();
    report_thin();
    cut();
    return numbered();
  }

 private:
  // Position in the order of precedence: higher roofs first, then larger footprints.
  void rank() {
    const std::vector<Prism>& prisms = scene_.prisms;
    std::vector<double> areas;
    areas.reserve(prisms.size());
    for (const Prism& prism : prisms) areas.push_back(area(prism.rings));
    for (std::uint32_t i = 0; i < prisms.size(); ++i) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (prisms[a].top_z != prisms[b].top_z) return prisms[a].top_z > prisms[b].top_z;
      return areas[a] > areas[b];
    });
    rank_.resize(prisms.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  void find_overlaps() {
    const PrismIndex index(scene_);
    overlaps_.resize(scene_.prisms.size());
    parallel_blocks(overlaps_.size(), prisms_per_block, progress_, [&](std::size_t begin, std::size_t end) {
      PolygonOverlay overlay;
      for (std::size_t i = begin; i < end; ++i) find_overlaps_of(static_cast<std::uint32_t>(i), index, overlay);
    });
  }

  void find_overlaps_of(std::uint32_t i, const PrismIndex& index, PolygonOverlay& overlay) {
    const Prism& prism = scene_.prisms[i];
    std::vector<Interval> inside;
    for (const std::uint32_t j : index.candidates(index.bounds(i))) {
      if (rank_[j] >= rank_[i] || !share_heights(prism, scene_.prisms[j])) continue;
      const Rectangle &a = index.bounds(i), &b = index.bounds(j);
      const double width = std::min(a.max.x, b.max.x) - std::max(a.min.x, b.min.x);
      const double depth = std::min(a.max.y, b.max.y) - std::max(a.min.y, b.min.y);
      if (width <= coordinate_step_m || depth <= coordinate_step_m) continue;
      const double reach = common_depth(prism.rings, scene_.prisms[j].rings, inside);
      if (reach >= 0.5 * overlap_width_m && is_thick(overlay.intersection(prism.rings, scene_.prisms[j].rings))) {
        overlaps_[i].higher.push_back(j);
      } else if (reach > 2 * coordinate_step_m) {
        ++overlaps_[i].thin;
        overlaps_[i].thin_depth_m = std::max(overlaps_[i].thin_depth_m, reach);
      }
    }
  }

  static bool is_thick(const std::vector<Rings>& common) {
    return std::any_of(common.begin(), common.end(),
                       [](const Rings& rings) { return mean_width(rings) >= overlap_width_m; });
  }

  void report_thin() {
    std::size_t count = 0;
    double deepest = 0;
    for (const Overlaps& overlaps : overlaps_) {
      count += overlaps.thin;
      deepest = std::max(deepest, overlaps.thin_depth_m);
    }
    if (count == 0) return;
    char depth[32];
    std::snprintf(depth, sizeof(depth), "%.0f mm", 1000 * deepest);
    log_.add(Issue::Action::assumed, "thin_overlap",
             std::to_string(count) + (count == 1 ? " pair of neighbours overlaps" : " pairs of neighbours overlap") +
                 " by thin strips, up to " + depth + " deep; taken as shared walls");
  }

  // In the order of precedence, so that what cuts is itself final.
  void cut() {
    PolygonOverlay overlay;
    pieces_.resize(scene_.prisms.size());
    for (const std::uint32_t i : order_) {
      pieces_[i] = {scene_.prisms[i]};
      if (overlaps_[i].higher.empty()) continue;
      std::vector<std::uint32_t> higher = overlaps_[i].higher;
      std::sort(higher.begin(), higher.end(), [this](auto a, auto b) { return rank_[a] < rank_[b]; });
      double cut_area = 0;
      for (const std::uint32_t j : higher) {
        for (const Prism& cutter : pieces_[j]) {
          std::vector<Prism> left;
          for (const Prism& piece : pieces_[i]) cut_area += cut_piece(piece, cutter, overlay, left);
          pieces_[i] = std::move(left);
        }
      }
      report_cut(i, higher, cut_area);
    }
  }

  // Appends what `cutter` leaves of `piece` and returns the area of footprint that was cut.
  double cut_piece(const Prism& piece, const Prism& cutter, PolygonOverlay& overlay, std::vector<Prism>& left) {
    std::vector<Rings> common;
    if (share_heights(piece, cutter) && touch(bounds(piece.rings), bounds(cutter.rings))) {
      common = overlay.intersection(piece.rings, cutter.rings);
      std::erase_if(common, [](const Rings& rings) { return mean_width(rings) < overlap_width_m; });
    }
    if (common.empty()) {
      left.push_back(piece);
      return 0;
    }
    for (Rings& rings : overlay.difference(piece.rings, cutter.rings)) add_piece(piece, std::move(rings), left);
    double cut_area = 0;
    for (const Rings& rings : common) {
      cut_area += area(rings);
      // What is below a raised cutter, and what is above a low one, stays.
      if (low_z(cutter) - piece.bottom_z > least_common_height_m) {
        Prism below = piece;
        below.top_z = cutter.bottom_z;
        add_piece(below, rings, left);
      }
      if (piece.top_z - cutter.top_z > least_common_height_m) {
        Prism above = piece;
        above.bottom_z = cutter.top_z;
        above.on_ground = false;
        add_piece(above, rings, left);
      }
    }
    return cut_area;
  }

  void add_piece(const Prism& piece, Rings rings, std::vector<Prism>& left) const {
    if (is_sliver(rings)) return;
    Prism part = piece;
    part.rings = std::move(rings);
    if (part.on_ground) {
      part.bottom_z = std::floor(lowest_height_under(terrain_, part.rings) / coordinate_step_m) * coordinate_step_m;
      if (part.bottom_z >= part.top_z) return;
    }
    left.push_back(std::move(part));
  }

  void report_cut(std::uint32_t i, const std::vector<std::uint32_t>& higher, double cut_area) {
    if (cut_area == 0) return;
    const Prism& prism = scene_.prisms[i];
    std::set<std::int64_t> features;
    for (const std::uint32_t j : higher) features.insert(scene_.prisms[j].source_feature);
    std::string named;
    for (const std::int64_t feature : features) named += (named.empty() ? "" : ", ") + std::to_string(feature);
    const std::string overlap = "shares " + square_metres(cut_area) + " of " + square_metres(area(prism.rings)) +
                                " with higher feature(s) " + named;
    if (pieces_[i].empty()) {
      log_.add(Issue::Action::dropped, "inside_higher", overlap + "; nothing of it is left", prism.source_feature,
               prism.rings);
    } else {
      log_.add(Issue::Action::repaired, "overlap", overlap + "; cut back there", prism.source_feature, prism.rings);
    }
  }

  // The first piece keeps its part number, further ones come after all parts of the building.
  std::vector<Prism> numbered() {
    std::map<std::int64_t, std::uint32_t> next_part;
    for (const Prism& prism : scene_.prisms) next_part[prism.building_id] = prism.part + 1;
    std::vector<Prism> result;
    for (std::vector<Prism>& pieces : pieces_) {
      for (std::size_t k = 0; k < pieces.size(); ++k) {
        if (k > 0) pieces[k].part = next_part[pieces[k].building_id]++;
        result.push_back(std::move(pieces[k]));
      }
    }
    std::stable_sort(result.begin(), result.end(), [](const Prism& a, const Prism& b) {
      return a.building_id != b.building_id ? a.building_id < b.building_id : a.part < b.part;
    });
    return result;
  }

  Scene scene_;
  const Terrain& terrain_;
  IssueLog& log_;
  Progress& progress_;
  std::vector<std::uint32_t> order_, rank_;
  std::vector<Overlaps> overlaps_;
  std::vector<std::vector<Prism>> pieces_;
};

}  // namespace

std::vector<Prism> without_overlaps(std::vector<Prism> prisms, const Terrain& terrain, IssueLog& log,
                                    Progress& progress) {
  return OverlapResolver(without_copies(std::move(prisms), log), terrain, log, progress).run();
}

}  // namespace tesseray
