// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/material.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/physics/vegetation.h"

namespace tesseray {
namespace {

TEST(Material, TableOfTheRecommendation) {
  std::set<std::string_view> names;
  for (const ItuMaterial& material : itu_materials()) {
    names.insert(material.name);
    EXPECT_LT(material.law.minimum_ghz, material.law.maximum_ghz);
    EXPECT_GE(material.law.a, 1.0) << material.name;
  }
  EXPECT_EQ(names.size(), 18u);
  ASSERT_NE(find_itu_material("glass"), nullptr);
  EXPECT_EQ(find_itu_material("glass")->law.a, 6.31);
  EXPECT_EQ(find_itu_material("Glass"), nullptr);
}

TEST(Material, ClampsToTheValidRange) {
  const MaterialPowerLaw& concrete = find_itu_material("concrete")->law;
  EXPECT_TRUE(is_clamped(concrete, 450e6));
  EXPECT_FALSE(is_clamped(concrete, 1e9));
  EXPECT_FALSE(is_clamped(concrete, 3.5e9));
  EXPECT_TRUE(is_clamped(concrete, 101e9));
  EXPECT_EQ(electric_properties(concrete, 450e6).conductivity, 0.0462);
  EXPECT_NEAR(electric_properties(concrete, 10e9).conductivity, 0.0462 * std::pow(10.0, 0.7822), 1e-12);
  // The true frequency counts in σ/(ωε₀): half the frequency, twice the loss.
  const ElectricProperties properties = electric_properties(concrete, 450e6);
  EXPECT_NEAR(relative_permittivity(properties, 450e6).im, 2.0 * relative_permittivity(properties, 900e6).im, 1e-12);
}

TEST(Material, DefaultLawHasNoDispersion) {
  const ElectricProperties properties = electric_properties(MaterialPowerLaw{}, 123e6);
  EXPECT_EQ(properties.permittivity, 5.0);
  EXPECT_EQ(properties.conductivity, 0.01);
}

TEST(Vegetation, SaturatesAndStartsAtZero) {
  EXPECT_EQ(saturating_vegetation_loss_db(0.0, 0.2, 20.0), 0.0);
  EXPECT_NEAR(saturating_vegetation_loss_db(1e6, 0.2, 20.0), 20.0, 1e-9);
  EXPECT_NEAR(saturating_vegetation_loss_db(1e-3, 0.2, 20.0), 0.2e-3, 1e-8);
  EXPECT_EQ(saturating_vegetation_loss_db(10.0, 0.2, 0.0), 0.0);
}

}  // namespace
}  // namespace tesseray
