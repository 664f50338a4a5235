// SPDX-License-Identifier: GPL-3.0-or-later
// Free space, units and link metrics against tables 08 and 10.
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

TEST(LinkMetricsGolden, DelaysAndAngles) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const nlohmann::json table = link_metrics_table();
  EXPECT_GE(table["pdp"].size(), 6u);
  for (const nlohmann::json& profile : table["pdp"]) {
    std::vector<PathSample> paths;
    for (std::size_t i = 0; i < profile["delay_s"].size(); ++i) {
      paths.push_back({power_ratio(profile["power_dB"][i]), profile["delay_s"][i], radians(profile["az_deg"][i]),
                       radians(profile["el_deg"][i])});
    }
    const double threshold_db =
        profile["thr_dB"].is_null() ? std::numeric_limits<double>::infinity() : profile["thr_dB"].get<double>();
    const ChannelMetrics metrics = channel_metrics(paths, threshold_db);
    const std::string name = profile["name"];
    EXPECT_EQ(metrics.path_count, profile["n"].get<int>()) << name;
    EXPECT_NEAR(decibels(metrics.total_power), profile["total_dB"], 1e-9) << name;
    EXPECT_NEAR(metrics.mean_excess_delay_s, profile["mean_excess_s"], 1e-15) << name;
    EXPECT_NEAR(metrics.delay_spread_s, profile["rms_ds_s"], 1e-15) << name;
    EXPECT_NEAR(decibels(metrics.k_factor), profile["K_dB"], 1e-9) << name;
    EXPECT_NEAR(degrees(metrics.azimuth_spread), profile["AS_fleury_deg"], 1e-9) << name;
    EXPECT_NEAR(degrees(metrics.azimuth_spread_38901), profile["AS_38901_deg"], 1e-9) << name;
    EXPECT_NEAR(metrics.direction_spread, profile["AS3D_fleury_rad"], 1e-9) << name;
    EXPECT_NEAR(metrics.coherence_bandwidth_hz, profile["coh_bw_50_Hz"], 1e-9 * profile["coh_bw_50_Hz"].get<double>())
        << name;
  }
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

TEST(VegetationGolden, ThreeModels) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const nlohmann::json table = link_metrics_table();
  EXPECT_GE(table["vegetation"].size(), 8u);
  for (const nlohmann::json& wood : table["vegetation"]) {
    const double megahertz = wood["f_MHz"], length_m = wood["d_m"];
    EXPECT_NEAR(specific_vegetation_loss_db(length_m), wood["ded_rl_dB"], 1e-9);
    EXPECT_NEAR(weissberger_loss_db(length_m, megahertz * 1e6), wood["weissberger_dB"], 1e-9);
    EXPECT_NEAR(saturating_vegetation_loss_db(length_m, 0.2, 0.18 * std::pow(megahertz, 0.752)),
                wood["P833_woodland_dB"], 1e-9);
  }
}

}  // namespace
}  // namespace tesseray
