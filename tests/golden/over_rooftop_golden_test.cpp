// SPDX-License-Identifier: GPL-3.0-or-later
// The default of OVER_ROOFTOP on scenes whose roof edges stand as in the tables 04c, 13 and 15: against the exact
// solution for absorbing screens, and, where edges bend the ray so far that they are wedges, against that with
// Bromwich's integral in place of those edges' screens. The last test keeps the table in docs/validation.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "tests/golden/golden_table.h"
#include "tests/golden/spread_of_errors.h"
#include "tests/support/environment.h"
#include "tests/support/exact_knife_edges.h"
#include "tests/support/exact_wedge.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

constexpr double permittivity = 5.24, conductivity = 0.05;  // S/m
constexpr double metal = 1e9;                               // S/m
// An edge is a screen up to the first bend, a wedge from the second on, and between them some of both (in dB).
constexpr double gentle_deg = 10, steep_deg = 20;
// A roof absorbs up to the first angle at which the ray runs over it, and reflects from the second on.
constexpr double grazing_deg = 2.5, reflecting_deg = 7.5;

double share_between(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

// The ends and, between them, the upper edges of houses or of walls so thin that each is one edge.
struct Profile {
  std::string name;
  double frequency_hz = 0, exact_db = 0;
  Vec2 from, to;
  std::vector<Prism> prisms;
  double wavelength() const { return wavelength_m(frequency_hz); }
};

Prism wall(std::size_t number, double begin_x, double end_x, double top_z) {
  return testing::box_prism(static_cast<std::int64_t>(number) + 1, {begin_x, 0}, {end_x, 40}, 0, top_z);
}

// The tables 04c and 15.
std::vector<Profile> walls_of(const std::string& table, const std::string& loss_column) {
  std::vector<Profile> profiles;
  const GoldenTable golden(table);
  for (const GoldenRow& row : golden.rows()) {
    const std::vector<double> x = row.list("x_m"), z = row.list("z_m");
    Profile profile{row.text("x_m") + " " + row.text("z_m"),
                    row.number("f_Hz"),
                    row.number(loss_column),
                    {x.front(), z.front()},
                    {x.back(), z.back()},
                    {}};
    constexpr double half_m = 0.005;
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      profile.prisms.push_back(wall(i, x[i] - half_m, x[i] + half_m, z[i]));
    }
    profiles.push_back(profile);
  }
  return profiles;
}

// Table 13, as far as an exact loss is given.
std::vector<Profile> houses_of_table() {
  std::ifstream in(GoldenTable::folder() / "13_rooftop_profiles.json");
  const nlohmann::json document = nlohmann::json::parse(in);
  std::vector<Profile> profiles;
  for (const nlohmann::json& row : document["cases"]) {
    if (!row.contains("exact_all_dB") || !row["exact_all_dB"].is_number()) continue;
    Profile profile{
        row["name"], row["f_Hz"], row["exact_all_dB"], {row["tx"][0], row["tx"][1]}, {row["rx"][0], row["rx"][1]}, {}};
    for (const nlohmann::json& house : row["boxes"]) {
      profile.prisms.push_back(wall(profile.prisms.size(), house[0], house[1], house[2]));
    }
    profiles.push_back(profile);
  }
  return profiles;
}

struct Loss {
  double horizontal_db = 0, vertical_db = 0;
  std::vector<Vec2> path;  // with its ends
};

// By what a launch calls for a target that roofs hide, and for one in sight.
Loss default_loss(const Profile& profile, double sigma = conductivity) {
  constexpr double before_m = 10, middle_m = 20;
  const double length = profile.to.x - profile.from.x;
  Scene scene = testing::with_material(testing::flat_ground(length + 2 * before_m, 2 * middle_m), permittivity, sigma);
  scene.prisms = profile.prisms;
  bool in_sight = true;
  for (Prism& prism : scene.prisms) {
    for (Vec2& corner : prism.rings.front()) {
      const double line = profile.from.y + (profile.to.y - profile.from.y) * (corner.x - profile.from.x) / length;
      in_sight = in_sight && prism.top_z < line;
      corner.x += before_m - profile.from.x;
    }
  }
  const OverRooftopPaths paths(scene);
  const std::vector<Complex> permittivities(scene.materials.size(),
                                            relative_permittivity({permittivity, sigma}, profile.frequency_hz));
  const RooftopRays rays{.from = {before_m, middle_m, profile.from.y},
                         .wavelength_m = profile.wavelength(),
                         .permittivities = permittivities};
  const RooftopTarget target{.point = {before_m + length, middle_m, profile.to.y}};
  const auto loss_db = [](Complex factor) { return -decibels(squared_norm(factor)); };
  OverRooftopPaths::Workspace work;
  if (in_sight) {
    const double left_db =
        loss_db(paths.left_in_sight(rays, target, OverRooftopPaths::WayInSight::straight, work).factor);
    return {left_db, left_db, {profile.from, profile.to}};
  }
  RooftopPath path;
  EXPECT_TRUE(paths.find(rays, target, OverRooftop::screens, work, path)) << profile.name;
  Loss loss{loss_db(path.horizontal), loss_db(path.vertical), {profile.from}};
  for (const Vec3 edge : path.edges) loss.path.push_back({edge.x - before_m + profile.from.x, edge.z});
  loss.path.push_back(profile.to);
  return loss;
}

// The other way round.
Vec2 mirrored(Vec2 point) { return {-point.x, point.y}; }

// Downward, rad.
double fall_of(Vec2 from, Vec2 to) { return std::atan2(from.y - to.y, to.x - from.x); }

// How a building's edge diffracts between its neighbours: with a level roof behind the edge over which the ray falls,
// or one that falls with the ray where it comes from below. As if alone between those, over free space, dB.
struct EdgeLoss {
  double bend_deg = 0, horizontal_db = 0, vertical_db = 0;
  double screen_db = 0,
         across_db = 0;  // as a screen by heights and distances over the ground plan, and across the line
};

EdgeLoss exact_edge_loss(Vec2 before, Vec2 edge, Vec2 after, double frequency_hz, double sigma = conductivity) {
  if (std::fabs(fall_of(before, edge)) > std::fabs(fall_of(edge, after))) {
    return exact_edge_loss(mirrored(after), mirrored(edge), mirrored(before), frequency_hz, sigma);
  }
  const double fall = fall_of(before, edge), bend = fall_of(edge, after) - fall;
  const double wavelength = wavelength_m(frequency_hz), wave_number = 2 * pi / wavelength;
  WedgeGeometry wedge{.source_m = norm(edge - before), .observer_m = norm(after - edge)};
  wedge.n = fall < 0 ? 1.5 - fall / pi : 1.5;
  wedge.source_angle = std::max(fall, 0.0);
  wedge.observer_angle = pi + wedge.source_angle + bend;
  const Complex material = relative_permittivity({permittivity, sigma}, frequency_hz);
  const std::complex<double> eps(material.re, material.im);
  const auto reflection = [&](double grazing, bool is_horizontal) {
    const double sine = std::sin(grazing);
    const std::complex<double> root = std::sqrt(eps - std::cos(grazing) * std::cos(grazing)),
                               into = is_horizontal ? sine : eps * sine;
    return (into - root) / (into + root);
  };
  const double reflects = share_between(degrees(wedge.source_angle), grazing_deg, reflecting_deg);
  const auto loss_db = [&](bool is_horizontal) {
    double sum_db = 0;
    for (const bool roof_reflects : {false, true}) {
      const double share = roof_reflects ? reflects : 1 - reflects;
      if (share == 0) continue;
      const FaceReflections reflections{roof_reflects ? reflection(wedge.source_angle, is_horizontal) : 0,
                                        reflection(wedge.n * pi - wedge.observer_angle, is_horizontal)};
      const std::complex<double> field = exact_wedge_field(wedge, reflections, wave_number);
      sum_db -= share * decibels(std::norm(norm(after - before) * field));
    }
    return sum_db;
  };
  const double straight = before.y + (after.y - before.y) * (edge.x - before.x) / (after.x - before.x);
  const double slope = std::cos(fall_of(before, after)), clearance = edge.y - straight;
  const double along_m = (edge.x - before.x) / slope + clearance * std::sin(fall_of(after, before));
  const auto screen_db = [&](double clearance_m, double from_m, double length_m) {
    return knife_edge_loss_db(fresnel_parameter(clearance_m, from_m, length_m - from_m, wavelength));
  };
  return {degrees(bend), loss_db(true), loss_db(false), screen_db(clearance, edge.x - before.x, after.x - before.x),
          screen_db(clearance * slope, along_m, norm(after - before))};
}

// What the edges of a path take beyond their screens by heights and distances over the ground plan.
EdgeLoss beyond_screens(const std::vector<Vec2>& path, double frequency_hz) {
  EdgeLoss sum;
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const EdgeLoss edge = exact_edge_loss(path[i - 1], path[i], path[i + 1], frequency_hz);
    const double share = share_between(edge.bend_deg, gentle_deg, steep_deg);
    const double by_screen_db = (1 - share) * (edge.across_db - edge.screen_db);
    sum.horizontal_db += by_screen_db + (share > 0 ? share * (edge.horizontal_db - edge.screen_db) : 0);
    sum.vertical_db += by_screen_db + (share > 0 ? share * (edge.vertical_db - edge.screen_db) : 0);
    sum.bend_deg = std::max(sum.bend_deg, edge.bend_deg);
  }
  return sum;
}

// Bromwich's integral itself.
TEST(ExactWedgeGolden, IsThatOfTheTable) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const double wave_number = 2 * pi / wavelength_m(850e6);
  const GoldenTable table("03c_wedge_point_source_exact.csv");
  for (const GoldenRow& row : table.rows()) {
    const WedgeGeometry wedge{row.number("n"),
                              row.number("rS_m"),
                              row.number("rR_m"),
                              row.number("Z_m"),
                              radians(row.number("phip_deg")),
                              radians(row.number("phi_deg"))};
    const double sign = row.text("bc") == "s" ? -1 : 1;
    const std::complex<double> field = exact_wedge_field(wedge, {sign, sign}, wave_number);
    const Complex expected = row.complex("exd");
    EXPECT_LT(
        std::abs(field - std::complex<double>(expected.re, expected.im)) * (row.number("sp_m") + row.number("s_m")),
        1e-10);
  }
}

// One house seen over its rear edge alone, from so near that the front one is far below the line.
Profile one_house(double frequency_hz, double before_m, double rise_deg, double behind_m, double bend_deg) {
  constexpr double edge_x = 100, top_z = 100;
  const double rise = radians(rise_deg), fall = radians(rise_deg + bend_deg);
  return {"one house",
          frequency_hz,
          0,
          {edge_x - before_m * std::cos(rise), top_z + before_m * std::sin(rise)},
          {edge_x + behind_m * std::cos(fall), top_z - behind_m * std::sin(fall)},
          {wall(0, edge_x - 0.005, edge_x + 0.005, top_z)}};
}

// The place of a house's rear edge.
Vec2 edge_of(const Profile&) { return {100, 100}; }

constexpr double rises_deg[] = {0.5, 4, 8, 20, 40};

TEST(OverRooftopGolden, SteepEdgesAreThoseOfTheExactWedge) {
  for (const double sigma : {conductivity, metal}) {
    for (const double frequency_hz : {450e6, 3.5e9}) {
      for (const double rise_deg : rises_deg) {
        for (const double bend_deg : {20.1, 30.0, 45.0}) {
          const Profile profile = one_house(frequency_hz, 90, rise_deg, 30, bend_deg);
          const Loss loss = default_loss(profile, sigma);
          const EdgeLoss exact = exact_edge_loss(profile.from, edge_of(profile), profile.to, frequency_hz, sigma);
          const std::string what = std::to_string(rise_deg) + " " + std::to_string(bend_deg);
          EXPECT_NEAR(loss.horizontal_db, exact.horizontal_db, 0.01) << what;
          EXPECT_NEAR(loss.vertical_db, exact.vertical_db, 0.01) << what;
        }
      }
    }
  }
}

// With the angle by which an edge bends the ray, and with that at which the ray comes over the roof.
TEST(OverRooftopGolden, NothingSteps) {
  constexpr double step_deg = 0.05, most_db = 0.17;
  const auto expect_no_step = [](const Loss& loss, const Loss& before, double rise_deg, double bend_deg) {
    EXPECT_NEAR(loss.horizontal_db, before.horizontal_db, most_db) << rise_deg << " " << bend_deg;
    EXPECT_NEAR(loss.vertical_db, before.vertical_db, most_db) << rise_deg << " " << bend_deg;
  };
  for (const double frequency_hz : {450e6, 3.5e9}) {
    const auto loss = [&](double rise_deg, double bend_deg) {
      return default_loss(one_house(frequency_hz, 90, rise_deg, 30, bend_deg));
    };
    for (const double rise_deg : rises_deg) {
      Loss before = loss(rise_deg, 5);
      for (double bend_deg = 5 + step_deg; bend_deg < 30; bend_deg += step_deg) {
        const Loss here = loss(rise_deg, bend_deg);
        expect_no_step(here, before, rise_deg, bend_deg);
        before = here;
      }
    }
    for (const double bend_deg : {12.0, 30.0}) {
      Loss before = loss(0.5, bend_deg);
      for (double rise_deg = 0.5 + step_deg; rise_deg < 15; rise_deg += step_deg) {
        const Loss here = loss(rise_deg, bend_deg);
        expect_no_step(here, before, rise_deg, bend_deg);
        before = here;
      }
    }
  }
}

// Where the straight line falls steeply, edges that hardly bend the ray are screens across it.
TEST(OverRooftopGolden, ScreensAreTurnedWithTheLine) {
  for (const double frequency_hz : {450e6, 3.5e9}) {
    for (const double rise_deg : {20.0, 40.0, 60.0}) {
      for (const double bend_deg : {2.0, 5.0, 9.9}) {
        const Profile profile = one_house(frequency_hz, 90, rise_deg, 30, bend_deg);
        const Loss loss = default_loss(profile);
        const EdgeLoss exact = exact_edge_loss(profile.from, edge_of(profile), profile.to, frequency_hz);
        EXPECT_EQ(loss.horizontal_db, loss.vertical_db);
        EXPECT_NEAR(loss.vertical_db, 0.5 * (exact.horizontal_db + exact.vertical_db), 0.8)
            << rise_deg << " " << bend_deg;
      }
    }
  }
}

std::string text_of(const testing::SpreadOfErrors& errors) {
  return testing::fixed(errors.mean(), 1) + " ± " + testing::fixed(errors.spread(), 1) + ", " +
         testing::fixed(errors.most(), 1);
}

// Against the table, and against the table with what exact wedges take in place of their screens.
struct TableErrors {
  testing::SpreadOfErrors from_screens, from_wedges;
};

// A table's profiles in one polarisation.
struct Group {
  TableErrors gentle, steep, all;
  void add(double error_db, double beyond_db, double bend_deg) {
    for (TableErrors* errors : {&all, bend_deg <= gentle_deg ? &gentle : &steep}) {
      errors->from_screens.add(error_db);
      errors->from_wedges.add(error_db - beyond_db);
    }
  }
};

// What is asked of the default.
void expect_near_exact(const testing::SpreadOfErrors& errors) {
  EXPECT_LT(std::fabs(errors.mean()), 0.5);
  EXPECT_LT(errors.spread(), 1.0);
}

TEST(OverRooftopGolden, KeepsTheValidationPage) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const std::pair<std::string, std::vector<Profile>> tables[] = {
      {"04c", walls_of("04c_deygout_Tc.csv", "loss_exact_dB")},
      {"13", houses_of_table()},
      {"15", walls_of("15_utd_double_screen.csv", "exact_dB")}};
  for (const auto& [name, profiles] : tables) {
    SCOPED_TRACE(name);
    Group horizontal, vertical;
    for (const Profile& profile : profiles) {
      const Loss loss = default_loss(profile);
      const EdgeLoss beyond = beyond_screens(loss.path, profile.frequency_hz);
      horizontal.add(loss.horizontal_db - profile.exact_db, beyond.horizontal_db, beyond.bend_deg);
      vertical.add(loss.vertical_db - profile.exact_db, beyond.vertical_db, beyond.bend_deg);
    }
    for (const auto& [polarization, group] : {std::pair("vertical", vertical), std::pair("horizontal", horizontal)}) {
      SCOPED_TRACE(polarization);
      expect_near_exact(group.gentle.from_screens);
      expect_near_exact(group.steep.from_wedges);
      for (const auto& [bends, errors] :
           {std::pair("up to 10°", group.gentle), std::pair("more", group.steep), std::pair("any", group.all)}) {
        testing::expect_in_validation_page({name, polarization, bends, std::to_string(errors.from_screens.size()),
                                            text_of(errors.from_screens), text_of(errors.from_wedges)});
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
