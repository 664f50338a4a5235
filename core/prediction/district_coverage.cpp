// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/district_coverage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/parallel.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double area_of(const std::vector<Rings>& polygons) {
  return std::accumulate(polygons.begin(), polygons.end(), 0.0,
                         [](double sum, const Rings& rings) { return sum + area(rings); });
}

Rectangle bounds_of(const std::vector<Rings>& polygons) {
  Rectangle box;
  for (const Rings& rings : polygons) {
    for (const Vec2 p : rings.front()) box.extend(p);
  }
  return box;
}

double sum_of_areas(std::span<const GroundPiece> pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), 0.0,
                         [](double sum, const GroundPiece& piece) { return sum + piece.area_m2; });
}

// Tiles from west to east, so that those of a district are among few.
class TilesByWest {
 public:
  explicit TilesByWest(std::span<const GroundTile> tiles) {
    for (std::uint32_t t = 0; t < tiles.size(); ++t) {
      boxes_.push_back({bounds(tiles[t].outline), t});
      width_ = std::max(width_, boxes_.back().box.max.x - boxes_.back().box.min.x);
    }
    std::sort(boxes_.begin(), boxes_.end(), [](const TileBox& a, const TileBox& b) {
      return a.box.min.x < b.box.min.x || (a.box.min.x == b.box.min.x && a.tile < b.tile);
    });
  }

  // Those whose boxes touch `area`, by number.
  std::vector<std::uint32_t> touching(const Rectangle& area) const {
    std::vector<std::uint32_t> found;
    const auto is_before = [](const TileBox& tile, double west) { return tile.box.min.x < west; };
    auto next = std::lower_bound(boxes_.begin(), boxes_.end(), area.min.x - width_, is_before);
    for (; next != boxes_.end() && next->box.min.x <= area.max.x; ++next) {
      if (touch(next->box, area)) found.push_back(next->tile);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  struct TileBox {
    Rectangle box;
    std::uint32_t tile = 0;
  };
  std::vector<TileBox> boxes_;
  double width_ = 0;
};

std::vector<GroundPiece> ground_of(const District& district, std::span<const GroundTile> tiles,
                                   const TilesByWest& by_west) {
  std::vector<GroundPiece> pieces;
  const Rectangle box = bounds_of(district.polygons);
  if (box.empty()) return pieces;
  const CommonArea common(district.polygons);
  for (const std::uint32_t tile : by_west.touching(box)) {
    const double area_m2 = common.with(tiles[tile].outline);
    if (area_m2 > 0) pieces.push_back({tile, area_m2});
  }
  return pieces;
}

// What arrives on each tile.
class PowerOnTiles {
 public:
  PowerOnTiles(std::span<const GroundTile> tiles, std::span<const PredictedTarget> targets,
               std::span<const PredictedTransmitter> transmitters)
      : of_transmitters_(transmitters.size(), std::vector<double>(tiles.size(), nothing)),
        strongest_(tiles.size(), nothing),
        servers_(tiles.size()) {
    std::unordered_map<std::int64_t, std::size_t> number_of_tile;
    for (std::size_t t = 0; t < tiles.size(); ++t) number_of_tile.emplace(tiles[t].tile_id, t);
    const TransmitterNumbers numbers(transmitters);
    for (const PredictedTarget& target : targets) {
      const std::uint32_t transmitter = numbers.of(target.transmitter_id);
      const auto tile = number_of_tile.find(target.tile_id);
      if (tile == number_of_tile.end()) continue;
      double& power = of_transmitters_[transmitter][tile->second];
      power = std::fmax(power, target.received_power_dbm);
    }
    for (const ServedPlace& place : best_servers(targets, transmitters, {})) {
      const auto tile = number_of_tile.find(place.tile_id);
      if (tile == number_of_tile.end()) continue;
      strongest_[tile->second] = place.received_power_dbm;
      servers_[tile->second] = place.server;
    }
  }

  // By tile; NaN where nothing arrives.
  std::span<const double> of(std::size_t transmitter) const { return of_transmitters_[transmitter]; }
  std::span<const double> strongest() const { return strongest_; }

  // Ground that each transmitter serves.
  std::vector<double> served_m2(std::span<const GroundPiece> pieces) const {
    std::vector<double> served(of_transmitters_.size(), 0.0);
    for (const GroundPiece& piece : pieces) {
      if (const auto server = servers_[piece.tile]) served[*server] += piece.area_m2;
    }
    return served;
  }

 private:
  std::vector<std::vector<double>> of_transmitters_;
  std::vector<double> strongest_;
  std::vector<std::optional<std::uint32_t>> servers_;
};

// The least power that, together with weaker ones, is on `fraction` of the ground. `weakest_first`: pieces by power.
double power_quantile(std::span<const std::pair<double, double>> weakest_first, double ground_m2, double fraction) {
  double below_m2 = 0;
  for (const auto& [power_dbm, area_m2] : weakest_first) {
    below_m2 += area_m2;
    if (below_m2 >= fraction * ground_m2) return std::isinf(power_dbm) ? nothing : power_dbm;
  }
  return nothing;
}

// Which districts may overlap: those that have pieces of a tile in common, and boxes that touch.
class DistrictsSharingTiles {
 public:
  DistrictsSharingTiles(std::span<const District> districts, std::span<const std::vector<GroundPiece>> pieces)
      : pieces_(pieces) {
    for (std::uint32_t d = 0; d < districts.size(); ++d) {
      boxes_.push_back(bounds_of(districts[d].polygons));
      for (const GroundPiece& piece : pieces[d]) districts_of_tile_[piece.tile].push_back(d);
    }
  }

  // Those of greater numbers that may overlap a district, each once, by number.
  std::vector<std::uint32_t> after(std::uint32_t district) const {
    std::vector<std::uint32_t> found;
    std::unordered_set<std::uint32_t> seen;
    for (const GroundPiece& piece : pieces_[district]) {
      const std::vector<std::uint32_t>& of_tile = districts_of_tile_.at(piece.tile);
      for (auto other = std::upper_bound(of_tile.begin(), of_tile.end(), district); other != of_tile.end(); ++other) {
        if (touch(boxes_[*other], boxes_[district]) && seen.insert(*other).second) found.push_back(*other);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::span<const std::vector<GroundPiece>> pieces_;
  std::vector<Rectangle> boxes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> districts_of_tile_;  // in ascending order
};

double common_area(const District& a, const District& b, PolygonOverlay& overlay) {
  double area_m2 = 0;
  for (const Rings& one : a.polygons) {
    for (const Rings& other : b.polygons) {
      if (touch(bounds(one), bounds(other))) area_m2 += area_of(overlay.intersection(one, other));
    }
  }
  return area_m2;
}

}  // namespace

std::vector<std::vector<GroundPiece>> ground_of_districts(std::span<const District> districts,
                                                          std::span<const GroundTile> tiles, Progress& progress) {
  const TilesByWest by_west(tiles);
  std::vector<std::vector<GroundPiece>> pieces(districts.size());
  parallel_blocks(districts.size(), 1, progress, [&](std::size_t begin, std::size_t /*end*/) {
    pieces[begin] = ground_of(districts[begin], tiles, by_west);
  });
  return pieces;
}

std::vector<DistrictOverlap> overlaps_of_districts(std::span<const District> districts,
                                                   std::span<const std::vector<GroundPiece>> pieces, std::size_t most) {
  constexpr double least_overlap_m2 = 1;
  const DistrictsSharingTiles sharing(districts, pieces);
  PolygonOverlay overlay;
  std::vector<DistrictOverlap> overlaps;
  for (std::uint32_t d = 0; d < districts.size(); ++d) {
    for (const std::uint32_t other : sharing.after(d)) {
      if (overlaps.size() == most) return overlaps;
      const double area_m2 = common_area(districts[d], districts[other], overlay);
      if (area_m2 > least_overlap_m2) overlaps.push_back({d, other, area_m2});
    }
  }
  return overlaps;
}

PowerOnGround power_on_ground(std::span<const GroundPiece> pieces, std::span<const double> powers_dbm,
                              std::span<const double> thresholds_dbm) {
  PowerOnGround ground;
  ground.covered_m2.assign(thresholds_dbm.size(), 0.0);
  std::vector<std::pair<double, double>> weakest_first;
  double weighted = 0;
  for (const GroundPiece& piece : pieces) {
    const double power_dbm = powers_dbm[piece.tile];
    weakest_first.emplace_back(std::isnan(power_dbm) ? -HUGE_VAL : power_dbm, piece.area_m2);
    if (std::isnan(power_dbm)) continue;
    ground.reached_m2 += piece.area_m2;
    weighted += piece.area_m2 * power_dbm;
    for (std::size_t i = 0; i < thresholds_dbm.size(); ++i) {
      if (power_dbm >= thresholds_dbm[i]) ground.covered_m2[i] += piece.area_m2;
    }
  }
  if (ground.reached_m2 > 0) ground.mean_dbm = weighted / ground.reached_m2;
  std::sort(weakest_first.begin(), weakest_first.end());
  const double ground_m2 = sum_of_areas(pieces);
  ground.median_dbm = power_quantile(weakest_first, ground_m2, 0.5);
  ground.p10_dbm = power_quantile(weakest_first, ground_m2, 0.1);
  return ground;
}

CoverageByDistrict coverage_by_district(std::span<const District> districts, std::span<const GroundTile> tiles,
                                        std::span<const std::vector<GroundPiece>> pieces,
                                        std::span<const PredictedTarget> targets,
                                        std::span<const PredictedTransmitter> transmitters,
                                        std::span<const double> thresholds_dbm) {
  const PowerOnTiles powers(tiles, targets, transmitters);
  CoverageByDistrict coverage;
  for (std::uint32_t d = 0; d < districts.size(); ++d) {
    if (pieces[d].empty()) continue;
    const std::vector<double> served_m2 = powers.served_m2(pieces[d]);
    DistrictCoverage row{.district = d,
                         .district_m2 = area_of(districts[d].polygons),
                         .ground_m2 = sum_of_areas(pieces[d]),
                         .power = power_on_ground(pieces[d], powers.strongest(), thresholds_dbm)};
    for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
      if (served_m2[t] > 0) ++row.servers;
      if (served_m2[t] > row.best_server_m2) {
        row.best_server = t;
        row.best_server_m2 = served_m2[t];
      }
      PowerOnGround alone = power_on_ground(pieces[d], powers.of(t), thresholds_dbm);
      if (alone.reached_m2 > 0) {
        coverage.transmitters.push_back({d, t, row.ground_m2, served_m2[t], std::move(alone)});
      }
    }
    if ((row.population = districts[d].population)) {
      for (const double covered_m2 : row.power.covered_m2) {
        row.covered_population.push_back(*row.population * (covered_m2 / row.ground_m2));  // all of them on all of it
      }
    }
    coverage.districts.push_back(std::move(row));
  }
  coverage.strongest_dbm.assign(powers.strongest().begin(), powers.strongest().end());
  return coverage;
}

}  // namespace tesseray
