// SPDX-License-Identifier: GPL-3.0-or-later
// What a wall reflects whose material is written in numbers, as in a table of buildings, against the table of
// reflection coefficients (golden 01).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "core/io/readers/material_text.h"
#include "core/io/sources/text_values.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double frequency_hz = 850e6, distance_m = 10, height_m = 6;

// "5,24; 0,0462 S/m".
std::string written(double permittivity, double conductivity) {
  std::string text = shortest(permittivity) + "; " + shortest(conductivity) + " S/m";
  std::replace(text.begin(), text.end(), '.', ',');
  return text;
}

Scene wall_of(const Material& material) {
  Scene scene = testing::flat_ground(400, 40);
  scene.materials.push_back(material);
  scene.prisms = {testing::box_prism(1, {0, 0}, {400, 8}, 0, 12)};
  scene.prisms[0].material = 1;
  return scene;
}

// The power gain of the only ray that the wall alone reflects, over the free space of its length.
double reflectance(const Scene& scene, double incidence, Polarization polarization) {
  const testing::Environment street(scene, 5);
  const Vec3 antenna{50, 8 + distance_m, height_m};
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.polarization = polarization;
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.receiver_polarization = polarization;
  const Vec3 receiver = antenna + Vec3{2 * distance_m * std::tan(incidence), 0, 0};
  const auto result = street.launch(transmitter, testing::receivers_at({receiver}), options);
  const auto is_of_the_wall = [](const Ray& ray) { return ray.interactions == "T-R"; };
  EXPECT_EQ(std::count_if(result.rays.begin(), result.rays.end(), is_of_the_wall), 1);
  const auto ray = std::find_if(result.rays.begin(), result.rays.end(), is_of_the_wall);
  if (ray == result.rays.end()) return 0;
  const double length_m = 2 * distance_m / std::cos(incidence);
  return ray->path_gain * std::pow(4 * pi * length_m / wavelength_m(frequency_hz), 2);
}

TEST(WallInNumbers, ReflectsAsTheReferenceTableSays) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  int compared = 0;
  const GoldenTable table("01_fresnel.csv");
  for (const GoldenRow& row : table.rows()) {
    const double incidence = radians(row.number("theta_deg"));
    if (row.number("f_Hz") != frequency_hz || row.number("theta_deg") < 25 || row.number("theta_deg") > 82) continue;
    const std::string text = written(row.number("eps_r"), row.number("sigma"));
    const std::optional<ElectricProperties> numbers = parse_electric_properties(text);
    ASSERT_TRUE(numbers) << text;
    const std::optional<Material> material = material_named(material_name(*numbers));
    ASSERT_TRUE(material) << text;
    const Scene scene = wall_of(*material);
    // At equal heights the plane of incidence is level: a vertical field is TE, a level one TM.
    const double te = reflectance(scene, incidence, Polarization::vertical);
    const double tm = reflectance(scene, incidence, Polarization::horizontal);
    EXPECT_NEAR(te, row.number("R_TE"), 1e-9) << text << " at " << row.text("theta_deg");
    EXPECT_NEAR(tm, row.number("R_TM"), 1e-9) << text << " at " << row.text("theta_deg");
    ++compared;
  }
  EXPECT_GE(compared, 36);
}

}  // namespace
}  // namespace tesseray
