// SPDX-License-Identifier: GPL-3.0-or-later
// Free space, units, noise and vegetation against tables 08 and 10.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/units.h"
#include "core/physics/link_metrics.h"
#include "core/physics/vegetation.h"
#include "tests/golden/physics_golden.h"

namespace tesseray {
namespace {

TEST(UnitsGolden, FreeSpaceAndFieldStrength) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const GoldenTable table("08_free_space_units.csv");
  for (const GoldenRow& row : table.rows()) {
    const double frequency_hz = row.number("f_Hz");
    EXPECT_NEAR(wavelength_m(frequency_hz), row.number("lambda_m"), 1e-11 * wavelength_m(frequency_hz));
    const double loss = free_space_loss_db(row.number("d_m"), frequency_hz);
    EXPECT_NEAR(loss, row.number("Lfs_dB"), 1e-9);
    const double eirp_dbm = row.number("ERP_dBm") + half_wave_dipole_gain_dbi;
    EXPECT_NEAR(eirp_dbm, row.number("EIRP_dBm"), 1e-9);
    const double received_dbm = eirp_dbm - loss;
    EXPECT_NEAR(received_dbm, row.number("Pr_iso_dBm"), 1e-9);
    EXPECT_NEAR(field_dbuvm(received_dbm, frequency_hz), row.number("E_dBuVm"), 1e-9);
    EXPECT_NEAR(row.number("ERP_dBm") - received_dbm, row.number("PL_iso_dB"), 1e-9);
  }
}

nlohmann::json link_metrics_table() {
  std::ifstream in(GoldenTable::folder() / "10_link_metrics.json");
  return nlohmann::json::parse(in);
}

TEST(LinkMetricsGolden, NoiseAndInterference) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const nlohmann::json table = link_metrics_table();
  EXPECT_GE(table["noise"].size(), 15u);
  for (const nlohmann::json& noise : table["noise"]) {
    EXPECT_NEAR(noise_dbm(noise["B_Hz"], noise["NF_dB"]), noise["N_dBm"], 1e-9);
  }
  EXPECT_GE(table["sinr"].size(), 1u);
  for (const nlohmann::json& link : table["sinr"]) {
    const std::vector<double> interferers = link["I_dBm"];
    const double noise = noise_dbm(link["B_Hz"], link["NF_dB"]);
    EXPECT_NEAR(sinr_db(link["S_dBm"], interferers, noise), link["SINR_dB"], 1e-9);
    EXPECT_NEAR(sinr_db(link["S_dBm"], {}, noise), link["SNR_dB"], 1e-9);
  }
}

TEST(VegetationGolden, BothModels) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const nlohmann::json table = link_metrics_table();
  EXPECT_GE(table["vegetation"].size(), 8u);
  for (const nlohmann::json& wood : table["vegetation"]) {
    const double megahertz = wood["f_MHz"], length_m = wood["d_m"];
    EXPECT_NEAR(specific_vegetation_loss_db(length_m), wood["ded_rl_dB"], 1e-9);
    EXPECT_NEAR(saturating_vegetation_loss_db(length_m, 0.2, 0.18 * std::pow(megahertz, 0.752)),
                wood["P833_woodland_dB"], 1e-9);
  }
}

}  // namespace
}  // namespace tesseray
