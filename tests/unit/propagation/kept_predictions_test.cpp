// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions kept from one run for the next: taken over bit for bit where they hold, and not at all where they do not.
#include "core/prediction/kept_predictions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "core/physics/antenna_pattern.h"
#include "core/prediction/prediction_codec.h"
#include "tests/support/environment.h"
#include "tests/support/kept_warnings.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

class KeptPredictionsTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  static TransmitterPrediction predict(const Transmitter& transmitter, const RayLaunchingOptions& options) {
    const testing::Environment& town = testing::two_houses();
    return predict_path_loss(town.launch(transmitter, receivers(), options), transmitter, town.tiling, receivers(),
                             options);
  }
  static std::vector<Receiver> receivers() { return testing::receivers_at(testing::around_houses); }
  static RayLaunchingOptions all_outputs() {
    RayLaunchingOptions options;
    options.rays_per_receiver = 5;
    options.wideband = true;
    options.delay_profile_rays = 3;
    return options;
  }

  KeptPredictions kept(KeptPredictions::Limits limits = {.most_bytes = 1u << 30u}) const {
    return {folder_, key_, options_, limits};
  }
  void keep(const Transmitter& transmitter) { kept().keep(transmitter, predict(transmitter, options_), warnings_); }
  std::vector<TransmitterPrediction> found(const std::vector<Transmitter>& transmitters) {
    return kept().find(transmitters, warnings_);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("tesseray-kept-" + std::to_string(getpid()));
  std::uint64_t key_ = 7;
  RayLaunchingOptions options_ = all_outputs();
  const Transmitter transmitter_ = testing::test_transmitter(testing::antenna_between_houses);
  testing::KeptWarnings warnings_;
};

// Bit by bit, and what the bits leave out.
void expect_same(const TransmitterPrediction& a, const TransmitterPrediction& b) {
  EXPECT_EQ(encoded_prediction(a), encoded_prediction(b));
  EXPECT_EQ(a.transmitter_id, b.transmitter_id);
  ASSERT_EQ(a.tiles.size(), b.tiles.size());
  ASSERT_EQ(a.rays.size(), b.rays.size());
  for (std::size_t t = 0; t < a.tiles.size(); ++t) {
    if (!a.tiles[t].reached()) continue;
    EXPECT_EQ(a.tiles[t].received_power_dbm, b.tiles[t].received_power_dbm);
    EXPECT_EQ(a.tiles[t].field_dbuvm, b.tiles[t].field_dbuvm);
  }
  for (std::size_t r = 0; r < a.rays.size(); ++r) {
    EXPECT_EQ(a.rays[r].transmitter_id, b.rays[r].transmitter_id);
    EXPECT_EQ(a.rays[r].power_dbm, b.rays[r].power_dbm);
  }
  for (std::size_t r = 0; r < a.receivers.size(); ++r) {
    EXPECT_EQ(a.receivers_wideband.profile(r), b.receivers_wideband.profile(r));
  }
}

TEST_F(KeptPredictionsTest, AreWhatPredictingGives) {
  EXPECT_TRUE(found({transmitter_}).empty());
  keep(transmitter_);
  Transmitter renamed = transmitter_;
  renamed.transmitter_id = 12;
  renamed.name = "another name";
  const auto taken = found({renamed});
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_FALSE(taken[0].rays.empty());
  expect_same(taken[0], predict(renamed, options_));
  EXPECT_TRUE(warnings_.all.empty());
}

// A step of 20 dB holds from 30 to 50 dBm EIRP, with the least power of −130 dBm.
TEST_F(KeptPredictionsTest, ServeForOtherPowersThatLaunchTheSameRays) {
  options_.min_power_dbm = -130;
  Transmitter weak = transmitter_, strong = transmitter_, too_weak = transmitter_, too_strong = transmitter_;
  too_weak.erp_dbm = 27.8;
  weak.erp_dbm = 27.9;
  strong.erp_dbm = 47.8;
  too_strong.erp_dbm = 47.9;
  keep(weak);
  const auto taken = found({strong});
  ASSERT_EQ(taken.size(), 1u);
  expect_same(taken[0], predict(strong, options_));
  EXPECT_NEAR(static_cast<double>(taken[0].receivers[0].received_power_dbm),
              static_cast<double>(found({weak})[0].receivers[0].received_power_dbm) + 19.9, 1e-4);
  EXPECT_TRUE(found({too_weak, too_strong}).empty());
}

// The limit is in steps because the rays that a launch follows depend on it.
TEST_F(KeptPredictionsTest, OtherPowersBeyondTheStepLaunchOtherRays) {
  options_.min_power_dbm = -60;
  Transmitter weaker = transmitter_;
  weaker.erp_dbm = transmitter_.erp_dbm - 20;
  const auto strong = predict(transmitter_, options_), weak = predict(weaker, options_);
  EXPECT_NE(encoded_prediction(strong), encoded_prediction(weak));
}

TEST_F(KeptPredictionsTest, HoldForTheirTransmitterAlone) {
  Transmitter transmitter = transmitter_;
  transmitter.antenna = AntennaKind::beam;
  transmitter.antenna_details.beamwidth_deg = 80;
  keep(transmitter);
  ASSERT_EQ(found({transmitter}).size(), 1u);
  const std::vector<std::function<void(Transmitter&)>> changes = {
      [](Transmitter& t) { t.position.x += 0.01; },
      [](Transmitter& t) { t.position.y += 0.01; },
      [](Transmitter& t) { t.position.z += 0.01; },
      [](Transmitter& t) { t.height_above_ground_m += 0.01; },
      [](Transmitter& t) { t.frequency_hz += 1; },
      [](Transmitter& t) { t.antenna = AntennaKind::isotropic; },
      [](Transmitter& t) { t.antenna_details.beamwidth_deg = 81; },
      [](Transmitter& t) { t.azimuth_deg += 0.1; },
      [](Transmitter& t) { t.grid_azimuth_deg += 0.1; },
      [](Transmitter& t) { t.downtilt_deg += 0.1; },
      [](Transmitter& t) { t.polarization = Polarization::horizontal; },
      [](Transmitter& t) { t.diameter_m = 1; },
      [](Transmitter& t) {
        t.antenna_details.pattern =
            std::make_shared<AntennaPattern>(AntennaPattern{.horizontal = {{0, 0}, {180, 20}}, .vertical = {{0, 0}}});
      }};
  for (std::size_t c = 0; c < changes.size(); ++c) {
    Transmitter changed = transmitter;
    changes[c](changed);
    EXPECT_TRUE(found({changed}).empty()) << c;
  }
  key_ = 8;
  EXPECT_TRUE(found({transmitter}).empty());
}

TEST_F(KeptPredictionsTest, DamagedOnesAreToldOfAndLeftOut) {
  keep(transmitter_);
  const fs::path file = files().front();
  std::ifstream in(file, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  std::size_t spoilt = 0;
  const auto expect_left_out = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    EXPECT_TRUE(found({transmitter_}).empty()) << spoilt;
    ++spoilt;
  };
  for (const std::size_t at : {0ul, 4ul, 8ul, 16ul, 24ul, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    expect_left_out(bad);
  }
  for (const std::size_t size : {0ul, 10ul, 24ul, good.size() - 1}) expect_left_out(good.substr(0, size));
  EXPECT_EQ(warnings_.codes(), std::vector<std::string>(spoilt, "kept_prediction_damaged"));
  keep(transmitter_);
  EXPECT_EQ(found({transmitter_}).size(), 1u);
}

TEST_F(KeptPredictionsTest, ThoseUsedLongestAgoGoFirst) {
  std::vector<Transmitter> transmitters(3, transmitter_);
  std::vector<fs::path> file_of;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  for (std::size_t t = 0; t < 3; ++t) {
    transmitters[t].downtilt_deg = static_cast<double>(t);
    keep(transmitters[t]);
    for (const fs::path& file : files()) {
      if (std::find(file_of.begin(), file_of.end(), file) != file_of.end()) continue;
      file_of.push_back(file);
      fs::last_write_time(file, now - std::chrono::hours(10 - static_cast<int>(t)));
    }
  }
  ASSERT_EQ(file_of.size(), 3u);
  std::ofstream(folder_ / "of_a_user.txt") << "precious";
  const std::uint64_t size = fs::file_size(file_of[0]);
  kept({.most_bytes = 3 * size}).shrink();
  EXPECT_EQ(files().size(), 4u);
  EXPECT_EQ(found({transmitters[0]}).size(), 1u);  // used again
  kept({.most_bytes = 3 * size - 1}).shrink();
  EXPECT_FALSE(fs::exists(file_of[1]));
  EXPECT_EQ(found(transmitters).size(), 2u);
  kept({}).shrink();
  EXPECT_EQ(files(), std::vector<fs::path>{folder_ / "of_a_user.txt"});
  fs::remove(folder_ / "of_a_user.txt");
  keep(transmitters[0]);
  KeptPredictions beside_others = kept({.is_for_others = true});
  beside_others.keep(transmitters[1], predict(transmitters[1], options_), warnings_);
  EXPECT_EQ(files().size(), 2u);
  beside_others.shrink();
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(found(transmitters).size(), 1u);
  kept({}).shrink();
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(KeptPredictionsTest, ThatCannotBeKeptAreToldOfOnce) {
  std::ofstream(folder_) << "a file where the folder would be";
  KeptPredictions nowhere = kept();
  const TransmitterPrediction prediction = predict(transmitter_, options_);
  for (int i = 0; i < 3; ++i) nowhere.keep(transmitter_, prediction, warnings_);
  EXPECT_EQ(warnings_.codes(), std::vector<std::string>{"predictions_not_kept"});
  EXPECT_EQ(warnings_.all[0].message, "predictions are not kept for another run: " + folder_.string() + ": " +
                                          std::generic_category().message(ENOTDIR));
  EXPECT_TRUE(nowhere.find({transmitter_}, warnings_).empty());
  nowhere.shrink();
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

TEST_F(KeptPredictionsTest, LeaveTheDiskThatOthersNeed) {
  KeptPredictions modest = kept({.most_bytes = 1u << 30u, .left_free_bytes = std::uint64_t{1} << 62u});
  modest.keep(transmitter_, predict(transmitter_, options_), warnings_);
  EXPECT_EQ(warnings_.codes(), std::vector<std::string>{"predictions_not_kept"});
  const std::string begin = "predictions are not kept for another run: " + folder_.string() + ": only ",
                    end = " are free here, and 4194304.0 TiB are kept for the result. Free some space",
                    of_lasting = ", or give KEPT_PREDICTIONS 0";
  EXPECT_TRUE(warnings_.all[0].message.starts_with(begin)) << warnings_.all[0].message;
  EXPECT_TRUE(warnings_.all[0].message.ends_with(end + of_lasting)) << warnings_.all[0].message;
  EXPECT_FALSE(fs::exists(folder_));
  KeptPredictions passing = kept({.left_free_bytes = std::uint64_t{1} << 62u});
  passing.keep(transmitter_, predict(transmitter_, options_), warnings_);
  EXPECT_TRUE(warnings_.all[1].message.ends_with(end)) << warnings_.all[1].message;
}

}  // namespace
}  // namespace tesseray
