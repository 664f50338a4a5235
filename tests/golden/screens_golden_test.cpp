// SPDX-License-Identifier: GPL-3.0-or-later
// Knife edges against tables 04 (J, multiple edges), 13 (rooftop profiles) and 15 (double screens, UTD chains).
#include <cmath>
#include <complex>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "core/base/units.h"
#include "core/physics/diffraction.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_contours.h"
#include "tests/golden/physics_golden.h"
#include "tests/golden/spread_of_errors.h"
#include "tests/support/exact_knife_edges.h"

namespace tesseray {
namespace {

std::vector<Vec2> profile_of(const GoldenRow& row) {
  const std::vector<double> x = row.list("x_m"), z = row.list("z_m");
  std::vector<Vec2> profile;
  for (std::size_t i = 0; i < x.size(); ++i) profile.push_back({x[i], z[i]});
  return profile;
}

double loss_db(Complex factor) { return -decibels(squared_norm(factor)); }

TEST(KnifeEdgeGolden, SingleEdge) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("04a_knife_edge_J.csv");
  for (const GoldenRow& row : table.rows()) {
    const double nu = row.number("nu");
    expect_near(knife_edge_factor(nu), row.complex("Fd"), 1e-9, "nu " + row.text("nu"));
    EXPECT_NEAR(knife_edge_loss_db(nu), row.number("J_exact_dB"), 1e-6) << nu;
    EXPECT_NEAR(approximate_knife_edge_loss_db(nu), row.number("J_approx_dB"), 1e-9) << nu;
  }
}

TEST(KnifeEdgeGolden, TwoEdges) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("04b_multi_edge.csv");
  int double_edges = 0;
  for (const GoldenRow& row : table.rows()) {
    const std::vector<Vec2> profile = profile_of(row);
    const double wavelength = wavelength_m(row.number("f_Hz"));
    const std::string what = row.text("x_m") + " " + row.text("z_m");
    if (row.number("N") != 2.0) continue;
    const Complex exact = row.complex("A");
    expect_near(double_knife_edge_factor(profile, wavelength), exact, 1e-6 * norm(exact), what);
    ++double_edges;
  }
  EXPECT_GE(double_edges, 10);
}

TEST(KnifeEdgeGolden, DeygoutWithSpacingCorrection) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("04c_deygout_Tc.csv");
  for (const GoldenRow& row : table.rows()) {
    const std::vector<Vec2> profile = profile_of(row);
    const double wavelength = wavelength_m(row.number("f_Hz"));
    EXPECT_NEAR(deygout_loss_db(profile, wavelength), row.number("deygout_Tc_dB"), 1e-6)
        << row.text("x_m") << " " << row.text("z_m");
  }
}

TEST(KnifeEdgeGolden, RooftopProfiles) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  std::ifstream in(GoldenTable::folder() / "13_rooftop_profiles.json");
  const nlohmann::json document = nlohmann::json::parse(in);
  EXPECT_GE(document["cases"].size(), 10u);
  for (const nlohmann::json& test_case : document["cases"]) {
    const std::string name = test_case["name"];
    const auto points = [](const nlohmann::json& list) {
      std::vector<Vec2> result;
      for (const nlohmann::json& point : list) result.push_back({point[0], point[1]});
      return result;
    };
    nlohmann::json row = {test_case["tx"]};
    for (const nlohmann::json& edge : test_case["edges"]) row.push_back(edge);
    row.push_back(test_case["rx"]);
    const std::vector<Vec2> all = points(row);
    const std::vector<Vec2> hull = points(test_case["hull"]);
    const double wavelength = wavelength_m(test_case["f_Hz"]);
    EXPECT_NEAR(deygout_loss_db(all, wavelength), test_case["deygout_Tc_all_dB"], 1e-6) << name;
    if (hull.size() == 4 && test_case["exact_hull_dB"].is_number()) {
      EXPECT_NEAR(loss_db(double_knife_edge_factor(hull, wavelength)), test_case["exact_hull_dB"], 1e-5) << name;
    }
    if (all.size() == 4 && test_case["exact_all_dB"].is_number()) {
      EXPECT_NEAR(loss_db(double_knife_edge_factor(all, wavelength)), test_case["exact_all_dB"], 1e-5) << name;
    }
  }
}

// Reproducible numbers.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : generator_(seed) {}
  double operator()(double least, double most) {
    return least + (most - least) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 generator_;
};

std::vector<Vec2> chosen_of(const std::vector<Vec2>& profile, double wavelength) {
  const ScreenChoice choice = choose_screens(profile, wavelength);
  std::vector<Vec2> chosen;
  for (const std::uint32_t index : std::span(choice.indices).first(choice.count)) chosen.push_back(profile[index]);
  return chosen;
}

double loss_of_chosen_db(const std::vector<Vec2>& profile, double wavelength) {
  return loss_db(multiple_screen_factor(chosen_of(profile, wavelength), wavelength));
}

// With all edges the chain is the exact integral itself, for profiles whose edges all reach near the path; with the
// chosen ones it is that of all edges but for the ripple of those below the path, which are left out.
TEST(MultipleScreensGolden, AreExactAndTheChosenOnesNearlySo) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  testing::SpreadOfErrors errors;
  const GoldenTable screens("04b_multi_edge.csv");
  for (const GoldenRow& row : screens.rows()) {
    errors.add(loss_of_chosen_db(profile_of(row), wavelength_m(row.number("f_Hz"))) - row.number("loss_exact_dB"));
  }
  const GoldenTable pairs("15_utd_double_screen.csv");
  for (const GoldenRow& row : pairs.rows()) {
    const std::vector<Vec2> profile = profile_of(row);
    const double wavelength = wavelength_m(row.number("f_Hz"));
    EXPECT_NEAR(loss_db(multiple_screen_factor(profile, wavelength)), row.number("exact_dB"), 1e-3);
    errors.add(loss_of_chosen_db(profile, wavelength) - row.number("exact_dB"));
  }
  std::ifstream in(GoldenTable::folder() / "13_rooftop_profiles.json");
  const nlohmann::json document = nlohmann::json::parse(in);
  for (const nlohmann::json& test_case : document["cases"]) {
    if (!test_case.contains("exact_all_dB") || !test_case["exact_all_dB"].is_number()) continue;
    std::vector<Vec2> profile{{test_case["tx"][0], test_case["tx"][1]}};
    for (const nlohmann::json& edge : test_case["edges"]) profile.push_back({edge[0], edge[1]});
    profile.push_back({test_case["rx"][0], test_case["rx"][1]});
    const double loss = loss_of_chosen_db(profile, wavelength_m(test_case["f_Hz"]));
    const double error = loss - test_case["exact_all_dB"].get<double>();
    errors.add(error);
    // What a strict hull loses on twin roof edges is not lost.
    const std::string name = test_case["name"];
    if (name.starts_with("two_low")) {
      EXPECT_NEAR(error, 0, 0.01);
    }
  }
  EXPECT_GE(errors.size(), 50u);
  EXPECT_LT(std::fabs(errors.mean()), 0.1);
  EXPECT_LT(errors.spread(), 0.4);
  EXPECT_LT(errors.most(), 1.1);
}

TEST(MultipleScreens, EquallySpacedAtGrazingLeaveOneOverNPlusOne) {
  for (const std::size_t edges : {0u, 1u, 2u, 5u, 10u, 16u}) {
    std::vector<Vec2> profile;
    for (std::size_t i = 0; i < edges + 2; ++i) profile.push_back({50.0 * static_cast<double>(i), 20.0});
    EXPECT_EQ(chosen_of(profile, 0.35), profile) << "edges on the string stay";
    EXPECT_NEAR(norm(multiple_screen_factor(profile, 0.35)) * static_cast<double>(edges + 1), 1.0, 1e-4) << edges;
  }
}

TEST(MultipleScreens, AreReciprocalAndOneIsTheKnifeEdge) {
  const std::vector<Vec2> one{{0, 10}, {120, 22}, {180, 1.5}};
  const double nu = fresnel_parameter(22 - (10 - 8.5 * 120.0 / 180.0), 120, 60, 0.16);
  const Complex single = multiple_screen_factor(one, 0.16);
  EXPECT_NEAR(norm(single - knife_edge_factor(nu)), 0.0, 1e-5 * norm(single));

  const std::vector<Vec2> there{{0, 30}, {200, 24}, {215, 24}, {400, 27}, {420, 25}, {470, 1.5}};
  std::vector<Vec2> back;
  for (auto point = there.rbegin(); point != there.rend(); ++point) back.push_back({470 - point->x, point->y});
  const Complex forth = multiple_screen_factor(there, 0.16);
  EXPECT_NEAR(norm(forth - multiple_screen_factor(back, 0.16)), 0.0, 1e-4 * norm(forth));
}

// Edges near each other, far from both ends. What is expected of the rows of houses a wide-angle split-step solution
// over 16 screens gives.
TEST(MultipleScreens, MayStandCloseOnALongPath) {
  const double wavelength = wavelength_m(900e6);
  std::vector<Vec2> rows{{0, 30}};
  for (int row = 0; row < 8; ++row) {
    rows.push_back({5000 + 25.0 * row, 12});
    rows.push_back({5010 + 25.0 * row, 12});
  }
  rows.push_back({10000, 12});
  EXPECT_NEAR(loss_db(multiple_screen_factor(rows, wavelength)), 3.1, 0.2);
  for (const double apart_m : {100.0, 30.0, 10.0, 3.0}) {
    for (const double height_m : {0.0, 10.0, 40.0}) {
      const std::vector<Vec2> pair{{0, 20}, {8000, 20 + height_m}, {8000 + apart_m, 20 + height_m}, {20000, 20}};
      const double exact_db = loss_db(double_knife_edge_factor(pair, wavelength));
      EXPECT_NEAR(loss_db(multiple_screen_factor(pair, wavelength)), exact_db, 0.4) << apart_m << " m " << height_m;
    }
  }
}

// Of two edges that stand close together one may be hardly lower than the other, before it or behind it: it is no less
// open above.
TEST(MultipleScreens, MayBeHardlyLowerThanOneNextToThem) {
  std::mt19937 generator(5);
  const auto uniform = [&](double from, double to) { return from + (to - from) * (generator() / 4294967296.0); };
  std::size_t compared = 0;
  while (compared < 2000) {
    const double wavelength = wavelength_m(1e6 * std::pow(10, uniform(2.6, 3.45)));
    const double length_m = std::pow(10, uniform(1.8, 3.6)), gap_m = std::pow(10, uniform(-0.8, 1.3));
    const double second_m = uniform(0.2, 0.8) * length_m, first_m = second_m - gap_m;
    if (first_m < 1) continue;
    const double zone_m = std::sqrt(0.5 * wavelength * second_m * (length_m - second_m) / length_m);
    const double height_m = uniform(-1.2, 2) * zone_m;
    const double lower_m = uniform(-0.3, 1.4) * std::sqrt(0.5 * wavelength * gap_m);
    const std::vector<Vec2> profile{{0, 0}, {first_m, height_m - lower_m}, {second_m, height_m}, {length_m, 0}};
    ScreenChoice choice = choose_screens(std::span(profile), wavelength, height_m < 0 ? -1.5 : -0.78);
    drop_cancelling(std::span(profile), wavelength, choice);
    if (choice.count < 4) continue;
    const double expected_db = loss_db(double_knife_edge_factor(profile, wavelength));
    const std::vector<Vec2> turned{
        {0, 0}, {length_m - second_m, height_m}, {length_m - first_m, height_m - lower_m}, {length_m, 0}};
    const auto where = ::testing::Message() << length_m << " m, " << gap_m << " m apart, " << lower_m << " m lower";
    // Nearer they act as one.
    const double within_db = gap_m < length_m / 1300 ? 0.4 : 0.2;
    EXPECT_NEAR(loss_db(multiple_screen_factor(profile, wavelength)), expected_db, within_db) << where;
    EXPECT_NEAR(loss_db(multiple_screen_factor(turned, wavelength)), expected_db, within_db) << where;
    ++compared;
  }
}

// What is carried along in vectors is what one thread carries along, to the bit; and nothing overflows where the path
// bends away over edges far from its ends, so that weights grow.
TEST(MultipleScreens, AreTheSameInVectorsAndInTurn) {
  Uniform uniform(3);
  double most_loss_db = 0;
  for (const double frequency_hz : {0.1e9, 0.85e9, 28e9}) {
    const double wavelength = wavelength_m(frequency_hz);
    for (int turn = 0; turn < 2000; ++turn) {
      const double length = 100 * std::pow(100.0, uniform(0, 1)), base = uniform(5, 20);
      std::vector<Vec2> profile{{0, uniform(2, 40)}};
      for (double x = uniform(5, 25); x < length - 5; x += uniform(5, 45)) {
        profile.push_back({x, base + uniform(0, 5) * uniform(0, 5)});
      }
      profile.push_back({length, 1.5});
      const std::vector<Vec2> chosen = chosen_of(profile, wavelength);
      const Complex factor = multiple_screen_factor(chosen, wavelength);
      ASSERT_EQ(factor, multiple_screen_factors(LoopsInTurn(), chosen, wavelength, {}).factor);
      ASSERT_LT(norm(factor), 1.5);
      most_loss_db = std::max(most_loss_db, loss_db(factor));
    }
  }
  EXPECT_GT(most_loss_db, 150);
}

// What comes from below the transmitter is what comes from a transmitter there.
TEST(MultipleScreens, SendWhatAnImageSends) {
  Uniform uniform(11);
  std::vector<double> errors;
  for (const double frequency_hz : {0.15e9, 0.9e9, 3.5e9}) {
    const double wavelength = wavelength_m(frequency_hz), wave_number = 2 * pi / wavelength;
    for (int turn = 0; turn < 1000; ++turn) {
      const double length = 100 * std::pow(30.0, uniform(0, 1)), below_m = 20 * std::pow(uniform(0, 1), 2);
      std::vector<Vec2> profile{{0, uniform(2, 30)}};
      for (double x = uniform(10, 80); x < length - 10; x += uniform(10, 90)) {
        profile.push_back({x, uniform(4, 14)});
      }
      profile.push_back({length, 1.5});
      const std::vector<Vec2> chosen = chosen_of(profile, wavelength);
      if (chosen.size() < 3) continue;
      std::vector<Vec2> lowered = chosen;
      lowered[0].y -= below_m;
      const ScreenFactors factors = multiple_screen_factors(chosen, wavelength, {.transmitter_image_below_m = below_m});
      ASSERT_EQ(factors.factor, multiple_screen_factor(chosen, wavelength));
      ASSERT_EQ(factors.transmitter_image_ratio,
                multiple_screen_factors(LoopsInTurn(), chosen, wavelength, {.transmitter_image_below_m = below_m})
                    .transmitter_image_ratio);
      // Phases against the straight lines become phases against the way to the first edge: paraxial both.
      const auto longer_m = [](const std::vector<Vec2>& path) {
        const double whole = path.back().y - path[0].y, first = path[1].y - path[0].y;
        return whole * whole / (2 * (path.back().x - path[0].x)) - first * first / (2 * path[1].x);
      };
      const Complex expected = exp_j(-wave_number * (longer_m(lowered) - longer_m(chosen))) *
                               (multiple_screen_factor(lowered, wavelength) / factors.factor);
      errors.push_back(norm(factors.transmitter_image_ratio - expected));
    }
  }
  std::sort(errors.begin(), errors.end());
  ASSERT_GT(errors.size(), 2000u);
  EXPECT_LT(errors[errors.size() * 99 / 100], 2e-3);
  EXPECT_LT(errors.back(), 0.03);
}

// A plane cut into links is the plane: two rays of opposite signs.
TEST(MultipleScreens, StandOnAPlaneThatReflects) {
  const double wavelength = 0.5, wave_number = 2 * pi / wavelength, length = 900;
  for (const std::size_t edges : {2u, 3u, 6u, 14u}) {
    ProfileGrounds grounds;
    std::vector<Vec2> profile{{0, 0}};
    for (std::size_t i = 0; i < edges; ++i) {
      profile.push_back({200 + 500 * static_cast<double>(i) / static_cast<double>(edges - 1), 0});
      if (i > 0) grounds.set_behind(i, {0, {-1, 0}});
    }
    profile.push_back({length, 0});
    for (const auto& [from_m, to_m] : {Vec2{1.5, 1.5}, Vec2{6, 2}, Vec2{2, 12}}) {
      Complex field;
      for (const double from_z : {from_m, -from_m}) {
        for (const double to_z : {to_m, -to_m}) {
          std::vector<Vec2> path = profile;
          path.front().y = from_z;
          path.back().y = to_z;
          const double longer_m = (to_z - from_z) * (to_z - from_z) / (2 * length);
          const Complex part =
              exp_j(-wave_number * longer_m) * multiple_screen_factors(path, wavelength, grounds).factor;
          field = field + (from_z * to_z > 0 ? part : -part);
        }
      }
      const double twice_sine = 2 * std::sin(wave_number * from_m * to_m / length);
      EXPECT_NEAR(norm(field) / twice_sine, 1, 2e-3) << edges << " " << from_m << " " << to_m;
    }
  }
}

// The integral itself over two screens with ground between them, in steps: along contours that turn by 45°, all parts
// of the integrand fall.
Complex two_screens_over_ground(std::span<const Vec2> profile, double wavelength, const GroundUnderLink& ground) {
  constexpr int steps = 400;
  const double wave_number = 2 * pi / wavelength;
  const double before = profile[1].x - profile[0].x, between = profile[2].x - profile[1].x,
               behind = profile[3].x - profile[2].x, length = profile[3].x - profile[0].x;
  const std::complex<double> j(0, 1), turn = std::polar(1.0, -0.25 * pi),
                                      reflection(ground.reflection.re, ground.reflection.im);
  const double step = 6 / std::sqrt(0.5 * wave_number * (1 / between + 1 / std::max(before, behind))) / steps;
  const auto link = [&](std::complex<double> rise, double link_m) {
    return std::exp(-j * wave_number * rise * rise / (2.0 * link_m));
  };
  std::vector<std::complex<double>> over_first(steps), over_second(steps);
  for (int i = 0; i < steps; ++i) {
    const std::complex<double> h = (i + 0.5) * step * turn;
    over_first[static_cast<std::size_t>(i)] = link(profile[1].y + h - profile[0].y, before);
    over_second[static_cast<std::size_t>(i)] = link(profile[3].y - profile[2].y - h, behind);
  }
  std::complex<double> sum = 0;
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < steps; ++k) {
      const std::complex<double> first = (i + 0.5) * step * turn, second = (k + 0.5) * step * turn;
      const double rise = profile[2].y - profile[1].y;
      // In the frame of the chord, in which the image is a mirrored place.
      const std::complex<double> tilt = std::exp(-j * wave_number * (rise / between) * (second - first));
      const std::complex<double> kernel =
          link(second - first, between) + reflection * link(second + first + ground.image_below_m, between);
      sum += over_first[static_cast<std::size_t>(i)] * tilt * kernel * over_second[static_cast<std::size_t>(k)];
    }
  }
  const double rise = profile[2].y - profile[1].y, whole = profile[3].y - profile[0].y;
  sum *= std::exp(-j * wave_number * (rise * rise / (2 * between) - whole * whole / (2 * length)));
  // Each opening: dh √(jk/2πr), and the whole over free space.
  sum *= step * step * turn * turn * (j * wave_number / (2 * pi)) * std::sqrt(length / (before * between * behind));
  return {sum.real(), sum.imag()};
}

TEST(MultipleScreens, ReflectWhatTheGroundBetweenThemDoes) {
  Uniform uniform(11);
  for (int turn = 0; turn < 12; ++turn) {
    const double before = uniform(30, 300), between = uniform(30, 300), behind = uniform(30, 300);
    const std::vector<Vec2> profile{{0, uniform(-3, 1)},
                                    {before, uniform(0, 1)},
                                    {before + between, uniform(0, 1)},
                                    {before + between + behind, uniform(-3, 1)}};
    const double wavelength = uniform(0.1, 2), below_m = uniform(0, 1.5) * std::sqrt(wavelength * between);
    const GroundUnderLink ground{below_m, {uniform(-1, 0), uniform(-0.3, 0.3)}};
    ProfileGrounds grounds;
    grounds.set_behind(1, ground);
    const Complex factor = multiple_screen_factors(profile, wavelength, grounds).factor;
    const Complex expected = two_screens_over_ground(profile, wavelength, ground);
    EXPECT_NEAR(norm(factor - expected) / norm(expected), 0, 2e-3) << turn;
    // It makes a difference, and the same from either end.
    EXPECT_GT(norm(factor - multiple_screen_factor(profile, wavelength)), 0.01 * norm(factor));
    std::vector<Vec2> back;
    for (const Vec2 point : profile) back.insert(back.begin(), {profile.back().x - point.x, point.y});
    EXPECT_NEAR(norm(factor - multiple_screen_factors(back, wavelength, grounds).factor), 0, 1e-4 * norm(factor));
  }
}

// The same chain with the target at its image's place.
TEST(MultipleScreens, BringWhatComesToAnImage) {
  Uniform uniform(12);
  for (int turn = 0; turn < 200; ++turn) {
    const double wavelength = uniform(0.1, 2), wave_number = 2 * pi / wavelength, below_m = uniform(0.5, 8);
    std::vector<Vec2> profile{{0, 0}};
    ProfileGrounds grounds;
    const int edges = 2 + static_cast<int>(uniform(0, 5));
    for (int i = 1; i <= edges; ++i) {
      profile.push_back({profile.back().x + uniform(30, 120), uniform(0, 2)});
      if (i < edges) grounds.set_behind(static_cast<std::size_t>(i), {uniform(0, 2), {-0.8, 0.1}});
    }
    profile.push_back({profile.back().x + uniform(50, 400), 0});
    grounds.target_image_below_m = below_m;
    const ScreenFactors factors = multiple_screen_factors(profile, wavelength, grounds);
    ASSERT_EQ(factors.target_image_ratio,
              multiple_screen_factors(LoopsInTurn(), profile, wavelength, grounds).target_image_ratio);
    std::vector<Vec2> lowered = profile;
    lowered.back().y -= below_m;
    grounds.target_image_below_m = 0;
    const auto longer_m = [](const std::vector<Vec2>& path) {
      const Vec2 last = path[path.size() - 2];
      const double whole = path.back().y - path[0].y, leg = path.back().y - last.y;
      return whole * whole / (2 * (path.back().x - path[0].x)) - leg * leg / (2 * (path.back().x - last.x));
    };
    const Complex expected = exp_j(-wave_number * (longer_m(lowered) - longer_m(profile))) *
                             (multiple_screen_factors(lowered, wavelength, grounds).factor / factors.factor);
    EXPECT_NEAR(norm(factors.target_image_ratio - expected), 0, 3e-3) << turn;
  }
}

TEST(MultipleScreens, LowAndSurplusEdgesAreLeftOut) {
  std::vector<Vec2> profile{{0, 30}};
  for (int i = 1; i <= 60; ++i) profile.push_back({20.0 * i, i % 3 == 0 ? 22.0 + 0.1 * (i % 7) : 9.0});
  profile.push_back({1230, 1.5});
  const std::vector<Vec2> chosen = chosen_of(profile, 0.08);
  EXPECT_LE(chosen.size(), most_screens + 2);
  EXPECT_EQ(chosen.front(), profile.front());
  EXPECT_EQ(chosen.back(), profile.back());
  for (std::size_t i = 1; i + 1 < chosen.size(); ++i) EXPECT_GT(chosen[i].y, 20.0);
}

// One screen of the chain: an absorbing half-plane standing along −y below the edge, seen in the plane x–y.
struct Screen {
  WedgeIncidence incidence;
  double observer_angle = 0;
};

Screen screen_between(Vec2 from, Vec2 edge, Vec2 to) {
  Wedge half_plane;
  half_plane.exterior_angle = 2.0 * pi;
  half_plane.eps_0 = half_plane.eps_n = Complex{1.0, 0.0};  // as air: reflects nothing
  half_plane.round_as_screen = true;
  half_plane.tangent_0 = {0, -1, 0};  // the face hangs down from the edge
  half_plane.normal_0 = {-1, 0, 0};   // and its air side looks back
  half_plane.direction = {0, 0, -1};
  const Vec2 way = edge - from, onward = to - edge;
  Screen screen;
  screen.incidence = wedge_incidence(half_plane, normalized(Vec3{way.x, way.y, 0}));
  const double angle = std::atan2(-onward.x, -onward.y);
  screen.observer_angle = angle < 0 ? angle + 2.0 * pi : angle;
  EXPECT_FALSE(screen.incidence.from_other_face);
  return screen;
}

WedgeDiffraction coefficient(const Screen& screen, double distance_m, double wave_number) {
  return wedge_coefficients<accurate>(screen.incidence, screen.observer_angle,
                                      {std::cos(screen.observer_angle), std::sin(screen.observer_angle)},
                                      {distance_m, distance_m, distance_m}, wave_number);
}

TEST(DoubleScreenGolden, ChainsOfWedges) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("15_utd_double_screen.csv");
  for (const GoldenRow& row : table.rows()) {
    const std::vector<Vec2> p = profile_of(row);
    const double wavelength = wavelength_m(row.number("f_Hz")), k = 2.0 * pi / wavelength;
    EXPECT_NEAR(loss_db(double_knife_edge_factor(p, wavelength)), row.number("exact_dB"), 1e-6) << row.text("x_m");

    const double s0 = norm(p[1] - p[0]), s1 = norm(p[2] - p[1]), s2 = norm(p[3] - p[2]);
    const Screen first = screen_between(p[0], p[1], p[2]), second = screen_between(p[1], p[2], p[3]);
    const double spreading = 1.0 / std::sqrt(s0 * s1 * s2 * (s0 + s1 + s2));
    const double free_space = 1.0 / norm(p[3] - p[0]);
    const double distance_1_m = distance_parameter_m(s0, s1, 1.0);
    const Complex d1 = coefficient(first, distance_1_m, k).soft;
    for (const bool from_first_edge : {true, false}) {
      const double distance_2_m =
          from_first_edge ? distance_parameter_m(s1, s2, 1.0) : distance_parameter_m(s0 + s1, s2, 1.0);
      const std::string column = from_first_edge ? "utdA" : "utdB";
      const Complex plain = spreading * (d1 * coefficient(second, distance_2_m, k).soft);
      EXPECT_NEAR(loss_db((1.0 / free_space) * plain), row.number(column + "_dB"), 1e-6) << row.text("x_m");
    }
  }
}

}  // namespace
}  // namespace tesseray
