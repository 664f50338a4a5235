// SPDX-License-Identifier: GPL-3.0-or-later
// Single reflections and single diffractions in a small city: the launcher against the definition of the discrete
// scheme, pair by pair, and the scheme against exact images and Keller points. The tests keep the tables in
// docs/validation.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "core/base/units.h"
#include "core/propagation/rows/row_targets.h"
#include "tests/support/environment.h"
#include "tests/support/image_oracle.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;
using testing::ExactPath;
using testing::ImageOracle;

constexpr double frequency_hz = 850e6;
constexpr double same_length_m = 1e-5;
// Weaker paths are rounding: along a face the diffracted field is zero.
constexpr double least_gain = 1e-16;
constexpr double on_face = 1e-9;  // rad

enum class Interaction { reflection, diffraction };

RayLaunchingOptions one(Interaction interaction) {
  return interaction == Interaction::reflection ? testing::without_scattering(1, 0, 1)
                                                : testing::without_scattering(0, 1, 1);
}

// In a street, over a roof, and above all roofs.
std::vector<Vec3> antennas(const Scene& scene) {
  const PrismIndex index(scene);
  // The middle, or the first place of a grid about it, that is a street (a roof of 12 m).
  const auto first_place = [&](Vec2 corner, const auto& is_fit) {
    const Vec2 middle{125, 125};
    if (is_fit(index.surface_height(middle))) return middle;
    for (int row = 0; row < 20; ++row) {
      for (int column = 0; column < 20; ++column) {
        const Vec2 p = corner + Vec2{3.0 * column, 3.0 * row};
        if (is_fit(index.surface_height(p))) return p;
      }
    }
    return corner;
  };
  const Vec2 street = first_place({94.9, 94.7}, [](double height) { return height <= 0; });
  const Vec2 roof = first_place({95.3, 94.8}, [](double height) { return height >= 12; });
  return {{street.x, street.y, 6}, {roof.x, roof.y, index.surface_height(roof) + 3}, {41.3, 52.7, 50}};
}

// What an antenna lights first: what it sees, and edge segments of which it sees an end and not the middle.
struct FirstLevel {
  FirstLevel(const Environment& city, Vec3 antenna) : seen(visible_from(city.occlusion, city.tiling, antenna)) {
    const auto tiles = static_cast<std::uint32_t>(city.tiling.tiles.size());
    for (std::uint32_t e = 0; e < city.tiling.edges.size(); ++e) {
      const EdgeSegment& edge = city.tiling.edges[e];
      const Vec3 to_end = (0.5 * edge.length_m - 0.01) * edge.direction;
      const auto sees = [&](Vec3 place) { return city.occlusion.is_free(antenna, place); };
      if (sees(lifted_point(edge)) || !(sees(lifted_point(edge) + to_end) || sees(lifted_point(edge) - to_end))) {
        continue;
      }
      seen.push_back(tiles + e);
      in_part.insert(tiles + e);
    }
    std::sort(seen.begin(), seen.end());
  }
  std::vector<std::uint32_t> seen;
  std::set<std::uint32_t> in_part;
};

// Whether nothing is in the way from `from` to a point by a place before a surface or an edge.
bool is_free_by(const Occlusion& occlusion, Vec3 from, Vec3 place, Vec3 into_the_air, Vec3 to) {
  const Vec3 in_air = place + lift_m * into_the_air;
  return occlusion.is_free(from, in_air) && occlusion.is_free(in_air, to);
}

// What rays come from to a tile: its row, and to ground what a receiver over it sees, but for ground.
std::vector<std::uint32_t> senders_to(const Environment& city, const Visibility& visibility, std::uint32_t target,
                                      Vec3 point) {
  std::vector<std::uint32_t> row;
  visibility.read_row(target, row);
  if (city.tiling.tiles[target].kind != SurfaceKind::ground) return row;
  for (const std::uint32_t element : visible_from(city.occlusion, city.tiling, point, {.max_distance_m = 300})) {
    const bool is_ground = element < city.tiling.tiles.size() && city.tiling.tiles[element].kind == SurfaceKind::ground;
    if (!is_ground) row.push_back(element);
  }
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  return row;
}

// The discrete rays from `antenna` to a tile's target point, by the definition of the scheme: those that middles see,
// and to the ground those that the target point sees, too, and of all these those whose very way is free.
struct DiscreteRays {
  std::vector<double> lengths;
  // Of these, where the field may be exactly zero: diffracted along a face, or where the seen part of an edge ends.
  std::size_t may_be_nothing = 0;
};

DiscreteRays discrete_rays(const Environment& city, const Visibility& visibility, const FirstLevel& first_level,
                           Interaction interaction, Vec3 antenna, std::uint32_t target) {
  const Vec3 point = target_point(city.tiling.tiles[target], 1.5);
  const std::vector<std::uint32_t> senders = senders_to(city, visibility, target, point);
  std::vector<std::uint32_t> common;
  std::set_intersection(senders.begin(), senders.end(), first_level.seen.begin(), first_level.seen.end(),
                        std::back_inserter(common));
  const auto tiles = static_cast<std::uint32_t>(city.tiling.tiles.size());
  const bool on_ground = city.tiling.tiles[target].kind == SurfaceKind::ground;
  DiscreteRays rays;
  for (const std::uint32_t element : common) {
    if (interaction == Interaction::reflection && element < tiles) {
      const Tile& tile = city.tiling.tiles[element];
      const double from = dot(antenna - tile.centroid, tile.normal), to = dot(point - tile.centroid, tile.normal);
      if (from < 1e-3 || to < 1e-3) continue;
      const Vec3 image = mirrored(antenna, tile.centroid, tile.normal);
      const Vec3 hit = image + (from / (from + to)) * (point - image);
      const double u = dot(hit - tile.centroid, tile.half_u) / squared_norm(tile.half_u);
      const double v = dot(hit - tile.centroid, tile.half_v) / squared_norm(tile.half_v);
      if (!(u > -1 && u <= 1 && v > -1 && v <= 1)) continue;
      if (on_ground && !is_free_by(city.occlusion, antenna, hit, tile.normal, point)) continue;
      rays.lengths.push_back(norm(point - image));
    } else if (interaction == Interaction::diffraction && element >= tiles) {
      const EdgeSegment& edge = city.tiling.edges[element - tiles];
      const double z = keller_point(antenna, point, edge.midpoint, edge.direction);
      if (!(z > -edge.length_m / 2 && z <= edge.length_m / 2)) continue;
      const Vec3 hit = edge.midpoint + z * edge.direction;
      const auto angle_of = [&](Vec3 p) {
        const double angle = std::atan2(dot(p - hit, edge.normal_0), dot(p - hit, edge.tangent_0));
        return angle < -on_face ? angle + 2 * pi : angle;
      };
      const double from = angle_of(antenna), to = angle_of(point);
      if (std::fmax(from, to) > edge.wedge_angle + on_face) continue;
      if (on_ground && !is_free_by(city.occlusion, antenna, hit, bisector(edge), point)) continue;
      bool sees_all = true;
      if (first_level.in_part.contains(element)) {
        // Between places so far apart it is not asked.
        const double end_m = edge.length_m / 2 - 0.01, beside_m = 2 * std::max(edge.length_m / 64, 0.05);
        const auto sees = [&](double at) {
          const Vec3 place = lifted_point(edge) + std::clamp(at, -end_m, end_m) * edge.direction;
          return city.occlusion.is_free(antenna, place);
        };
        const bool here = sees(z), before = sees(z - beside_m), behind = sees(z + beside_m);
        if (!here && !before && !behind) continue;
        sees_all = here && before && behind;
      }
      rays.lengths.push_back(norm(hit - antenna) + norm(point - hit));
      const bool along_face = std::fmin(from, to) < on_face || std::fmax(from, to) > edge.wedge_angle - on_face;
      if (along_face || !sees_all) ++rays.may_be_nothing;
    }
  }
  return rays;
}

// Found against exact paths over many targets.
struct Score {
  std::size_t exact = 0, missed = 0, extra = 0, targets = 0;
  double sum_db = 0, squares_db = 0;

  void compare(std::vector<double> found, const std::vector<ExactPath>& paths) {
    exact += paths.size();
    for (const ExactPath& path : paths) {
      const auto match = std::find_if(found.begin(), found.end(),
                                      [&](double length) { return std::fabs(length - path.length_m) < same_length_m; });
      if (match == found.end()) {
        ++missed;
      } else {
        found.erase(match);
      }
    }
    extra += found.size();
  }
  // Targets that both have; a target that only one has shows in the paths.
  void compare_power(double gain, const std::vector<ExactPath>& paths) {
    double exact_gain = 0;
    for (const ExactPath& path : paths) exact_gain += path.path_gain;
    if (gain < least_gain || exact_gain < least_gain) return;
    const double error = decibels(gain / exact_gain);
    sum_db += error;
    squares_db += error * error;
    ++targets;
  }
  double missed_percent() const { return 100.0 * static_cast<double>(missed) / static_cast<double>(exact); }
  double extra_percent() const { return 100.0 * static_cast<double>(extra) / static_cast<double>(exact); }
  double mean_db() const { return sum_db / static_cast<double>(targets); }
  double rms_db() const { return std::sqrt(squares_db / static_cast<double>(targets)); }
  void expect_in_validation_page(const std::string& what, double side_m) const {
    testing::expect_in_validation_page({what, testing::fixed(side_m, 1), std::to_string(exact),
                                        testing::fixed(missed_percent(), 1), testing::fixed(extra_percent(), 1),
                                        testing::fixed(mean_db(), 1), testing::fixed(rms_db(), 1)});
  }
};

// Walls and roofs, about so many, spread over the city.
std::vector<std::uint32_t> targets_of(const Environment& city, std::size_t about) {
  std::vector<std::uint32_t> all, some;
  for (std::uint32_t t = 0; t < city.tiling.tiles.size(); ++t) {
    if (city.tiling.tiles[t].kind != SurfaceKind::ground) all.push_back(t);
  }
  const std::size_t step = std::max<std::size_t>(1, all.size() / about);
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

std::vector<ExactPath> exact_paths(const ImageOracle& oracle, Interaction interaction, Vec3 antenna, Vec3 target,
                                   Vec3 seen_at) {
  return interaction == Interaction::reflection ? oracle.reflections(antenna, target, seen_at)
                                                : oracle.diffractions(antenna, target, seen_at);
}

class CityPaths : public ::testing::TestWithParam<Interaction> {};
INSTANTIATE_TEST_SUITE_P(Each, CityPaths, ::testing::Values(Interaction::reflection, Interaction::diffraction),
                         [](const auto& one) {
                           return one.param == Interaction::reflection ? "Reflection" : "Diffraction";
                         });

// The interval search, the rows' layout and the sums lose nothing and add nothing to the scheme's definition.
TEST_P(CityPaths, LauncherIsTheSchemePairByPair) {
  const Environment city(testing::synthetic_city(testing::small_city()), 10);
  for (const bool parents : {false, true}) {
    const auto rows_of_parents = with_parents_edge_rows(*city.visibility, city.tiling);
    const Visibility& visibility = parents ? *rows_of_parents : *city.visibility;
    for (const Vec3 antenna : antennas(city.scene)) {
      const FirstLevel first_level(city, antenna);
      const auto launch = [&](const RayLaunchingOptions& options) {
        return RayLauncher(city.scene, city.tiling, city.occlusion, visibility, {}, options)
            .launch(testing::test_transmitter(antenna), no_progress());
      };
      // Above all powers: the direct rays alone, with what the ground reflects of them.
      RayLaunchingOptions direct_alone = one(GetParam());
      direct_alone.min_power_dbm = 0;
      const auto direct = launch(direct_alone), all = launch(one(GetParam()));
      std::size_t rays = 0;
      for (std::uint32_t t = 0; t < city.tiling.tiles.size(); ++t) {
        const DiscreteRays expected = discrete_rays(city, visibility, first_level, GetParam(), antenna, t);
        // Rays at a ground tile bring their ground-reflected companions, unless these would leave an edge below it.
        const bool on_ground = city.tiling.tiles[t].kind == SurfaceKind::ground;
        const std::size_t found = all.tiles[t].rays - direct.tiles[t].rays;
        ASSERT_GE(found, expected.lengths.size() - expected.may_be_nothing) << "tile " << t;
        ASSERT_LE(found, (on_ground ? 2 : 1) * expected.lengths.size()) << "tile " << t;
        rays += expected.lengths.size();
      }
      EXPECT_GT(rays, 100u);
    }
  }
}

// What the three antennas are called in the table.
constexpr std::array<const char*, 3> antenna_names{"street", "rooftop", "macro"};

std::string line_name(std::size_t antenna, Interaction interaction, const char* suffix) {
  std::string name = antenna_names.at(antenna);
  return name.append(interaction == Interaction::reflection ? ", R" : ", D").append(suffix);
}

Score score_tiles(const Environment& city, const Visibility& visibility, const ImageOracle& oracle,
                  Interaction interaction, Vec3 antenna) {
  const FirstLevel first_level(city, antenna);
  const auto launch = [&](const RayLaunchingOptions& options) {
    return RayLauncher(city.scene, city.tiling, city.occlusion, visibility, {}, options)
        .launch(testing::test_transmitter(antenna), no_progress());
  };
  const auto direct = launch(testing::direct_only()), all = launch(one(interaction));
  Score score;
  for (const std::uint32_t t : targets_of(city, 1000)) {
    const Tile& tile = city.tiling.tiles[t];
    const auto exact = exact_paths(oracle, interaction, antenna, tile.centroid, lifted_point(tile));
    score.compare(discrete_rays(city, visibility, first_level, interaction, antenna, t).lengths, exact);
    score.compare_power(all.tiles[t].gain.value() - direct.tiles[t].gain.value(), exact);
  }
  return score;
}

TEST_P(CityPaths, TilesAsTargetsAgainstExactPaths) {
  for (const double side_m : {10.0, 5.0, 2.5}) {
    const Environment city(testing::synthetic_city(testing::small_city()), side_m);
    const ImageOracle oracle(city.scene, city.occlusion, frequency_hz);
    const auto rows_of_parents = with_parents_edge_rows(*city.visibility, city.tiling);
    const std::vector<Vec3> places = antennas(city.scene);
    for (std::size_t a = 0; a < places.size(); ++a) {
      const Score own = score_tiles(city, *city.visibility, oracle, GetParam(), places[a]);
      const std::string name = line_name(a, GetParam(), "");
      own.expect_in_validation_page(name, side_m);
      EXPECT_LT(std::fabs(own.mean_db()), 1.0) << name;
      EXPECT_LT(own.rms_db(), 6.0) << name;
      EXPECT_LT(own.missed_percent(), 35.0) << name;
      EXPECT_LT(own.extra_percent(), 20.0) << name;
      if (GetParam() == Interaction::reflection) continue;
      const Score parents = score_tiles(city, *rows_of_parents, oracle, GetParam(), places[a]);
      parents.expect_in_validation_page(line_name(a, GetParam(), ", parents' rows"), side_m);
      // Rows from the segments' own midpoints are the improvement over the paper.
      EXPECT_GT(parents.missed_percent(), 2 * own.missed_percent()) << name;
      EXPECT_GT(std::fabs(parents.mean_db()), std::fabs(own.mean_db())) << name;
      EXPECT_GT(parents.rms_db(), own.rms_db()) << name;
    }
  }
}

// An empty relation: single bounces from point to point need only what the two points see.
class NoRows final : public Visibility {
 public:
  explicit NoRows(const Tiling& tiling) : tiling_(tiling) {}
  std::uint32_t tile_count() const override { return static_cast<std::uint32_t>(tiling_.tiles.size()); }
  std::uint32_t edge_count() const override { return static_cast<std::uint32_t>(tiling_.edges.size()); }
  void read_row(std::uint32_t /*element*/, std::vector<std::uint32_t>& row) const override { row.clear(); }
  std::uint32_t row_length(std::uint32_t /*element*/) const override { return 0; }
  std::uint32_t visible_tiles(std::uint32_t /*element*/) const override { return 0; }

 private:
  const Tiling& tiling_;
};

// Half a metre before walls, above roofs, and 2 m above the ground.
std::vector<Vec3> receiver_points(const Scene& scene) {
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  std::vector<Vec3> points;
  for (const Tile& tile : tiling.tiles) points.push_back(target_point(tile, 1.5) + 0.5 * tile.normal);
  return points;
}

Score score_points(const RayLauncher& launcher, const ImageOracle& oracle, Interaction interaction, Vec3 antenna) {
  const auto result = launcher.launch(testing::test_transmitter(antenna), no_progress());
  const std::vector<Receiver>& receivers = launcher.receivers();
  std::vector<std::vector<double>> lengths(receivers.size());
  std::vector<double> gains(receivers.size(), 0.0);
  for (const Ray& ray : result.rays) {
    if (ray.interactions == "T") continue;
    const auto r = static_cast<std::size_t>(ray.target_id) - 1;
    lengths[r].push_back(ray.delay_ns * 1e-9 * speed_of_light);
    gains[r] += power_ratio(ray.power_dbm);
  }
  Score score;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const Vec3 point = receivers[r].position;
    const auto exact = exact_paths(oracle, interaction, antenna, point, point);
    score.compare(lengths[r], exact);
    score.compare_power(gains[r], exact);
  }
  return score;
}

TEST_P(CityPaths, ReceiverPointsAgainstExactPaths) {
  const Scene scene = testing::synthetic_city(testing::small_city());
  const Occlusion occlusion(scene);
  const ImageOracle oracle(scene, occlusion, frequency_hz);
  const std::vector<Receiver> receivers = testing::receivers_at(receiver_points(scene));
  std::vector<std::vector<Score>> scores;
  for (const double side_m : {10.0, 5.0, 2.5}) {
    TilingOptions options;
    options.tile_area_m2 = side_m * side_m;
    options.min_wall_width_m = options.min_wall_area_m2 = 0;
    const Tiling tiling = tile_scene(scene, options, no_progress());
    const NoRows rows(tiling);
    const RayLauncher launcher(scene, tiling, occlusion, rows, receivers, one(GetParam()));
    const std::vector<Vec3> places = antennas(scene);
    scores.emplace_back();
    for (std::size_t a = 0; a < places.size(); ++a) {
      scores.back().push_back(score_points(launcher, oracle, GetParam(), places[a]));
      scores.back().back().expect_in_validation_page(line_name(a, GetParam(), ", points"), side_m);
    }
  }
  for (std::size_t a = 0; a < antenna_names.size(); ++a) {
    const Score &coarse = scores.front()[a], &fine = scores.back()[a];
    EXPECT_LE(fine.missed_percent(), coarse.missed_percent()) << antenna_names.at(a);
    EXPECT_LT(fine.missed_percent(), 3.0) << antenna_names.at(a);
    EXPECT_LT(fine.extra_percent(), 4.0) << antenna_names.at(a);
    // A ray that is missed counts by what is left: in sight of both faces of a corner what it sends is weak.
    EXPECT_LT(std::fabs(fine.mean_db()), 0.55) << antenna_names.at(a);
    EXPECT_LT(fine.rms_db(), 4.3) << antenna_names.at(a);
  }
}

}  // namespace
}  // namespace tesseray
