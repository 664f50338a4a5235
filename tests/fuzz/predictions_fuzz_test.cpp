// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions that an earlier run kept.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/prediction/prediction_codec.h"
#include "tests/fuzz/mutations.h"

namespace tesseray {
namespace {

TransmitterPrediction small_prediction() {
  TransmitterPrediction prediction{.transmitter_id = 1};
  prediction.tiles.resize(40);
  prediction.receivers.resize(3);
  for (TargetPrediction& tile : prediction.tiles) tile.path_loss_db = 100;
  Ray ray;
  ray.interactions = "T-R-D";
  ray.elements = {4, 1'000'000};
  ray.points = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  prediction.rays = {ray, ray};
  return prediction;
}

TEST(PredictionsFuzz, AreReadOrRefused) {
  const std::vector<std::uint8_t> valid = encoded_prediction(small_prediction());
  testing::Mutations mutations(2);
  int read = 0;
  for (int round = 0; round < testing::fuzz_rounds(20'000); ++round) {
    const std::vector<std::uint8_t> bytes = mutations.of_bytes(valid);
    try {
      const TransmitterPrediction prediction = decoded_prediction(bytes, Transmitter{});
      ++read;
      EXPECT_NO_THROW(decoded_prediction(encoded_prediction(prediction), Transmitter{})) << round;
    } catch (const std::length_error&) {
    }
  }
  EXPECT_GT(read, 1'000);
}

}  // namespace
}  // namespace tesseray
