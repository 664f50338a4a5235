// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/prediction_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace tesseray {
namespace {

// Every field of another value, so that two that are swapped are seen.
TargetPrediction target_prediction(float from) {
  TargetPrediction target;
  for (float* number : {&target.path_loss_db, &target.basic_loss_db, &target.first_delay_ns, &target.mean_delay_ns,
                        &target.delay_spread_ns, &target.angle_spread_deg, &target.arrival_azimuth_deg,
                        &target.clutter_loss_db, &target.receiver_gain_dbi}) {
    *number = from += 0.3f;
  }
  target.ray_count = 7;
  target.mechanism = Mechanism::through_building;
  target.line_of_sight = true;
  return target;
}

Transmitter its_transmitter() {
  Transmitter transmitter;
  transmitter.transmitter_id = -3;
  transmitter.erp_dbm = 33;
  transmitter.frequency_hz = 9e8;
  return transmitter;
}

TransmitterPrediction prediction_of_all_kinds() {
  TransmitterPrediction prediction{.transmitter_id = -3};
  prediction.tiles = {target_prediction(100), TargetPrediction(), target_prediction(-50)};
  prediction.receivers = {target_prediction(7)};
  Ray ray;
  ray.transmitter_id = -3;
  ray.target_id = 12;
  ray.interactions = "T-R-D";
  ray.elements = {4, 1'000'000};
  ray.points = {{1, 2, 3}, {4, 5, 6}, {7, 8, 1e-300}};
  ray.mechanism = Mechanism::diffraction;
  double from = 0.1;
  for (double* number : {&ray.path_gain, &ray.delay_ns, &ray.departure_azimuth_deg, &ray.departure_elevation_deg,
                         &ray.arrival_azimuth_deg, &ray.arrival_elevation_deg, &ray.phase_deg}) {
    *number = from += 0.1;
  }
  Ray another = ray;
  another.elements.clear();
  prediction.rays = {ray, another};
  prediction.pruning = {.scattering_sources = 32,
                        .tubes = 16,
                        .roulette = 1e-3,
                        .scattered = 1e-4,
                        .then_diffracted = 1e-5,
                        .of_all_scattered = 1e-6};
  WidebandTable table(1, true, 2);
  table.add(0, {.path_gain = 1e-9, .strongest_gain = 1e-9, .excess_length_m = 3, .look = {0, 0.98, 0.2}});
  std::vector<ArrivalSums> sums(1);
  sums[0].gain.add(1e-9);
  prediction.tiles_wideband = WidebandPredictions(
      table, 0, sums,
      [](std::size_t) {
        return Vec3{3, 4, 0};
      },
      its_transmitter(), 0);
  set_power(its_transmitter(), prediction);
  return prediction;
}

template <class Number>
bool same_bits(Number a, Number b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

void expect_same(const TargetPrediction& a, const TargetPrediction& b) {
  for (const auto member :
       {&TargetPrediction::path_loss_db, &TargetPrediction::basic_loss_db, &TargetPrediction::received_power_dbm,
        &TargetPrediction::field_dbuvm, &TargetPrediction::first_delay_ns, &TargetPrediction::mean_delay_ns,
        &TargetPrediction::delay_spread_ns, &TargetPrediction::angle_spread_deg, &TargetPrediction::arrival_azimuth_deg,
        &TargetPrediction::clutter_loss_db, &TargetPrediction::receiver_gain_dbi}) {
    EXPECT_TRUE(same_bits(a.*member, b.*member));
  }
  EXPECT_EQ(a.ray_count, b.ray_count);
  EXPECT_EQ(a.mechanism, b.mechanism);
  EXPECT_EQ(a.line_of_sight, b.line_of_sight);
  EXPECT_EQ(a.in_near_field, b.in_near_field);
}

TEST(PredictionCodec, GivesBackEveryField) {
  const TransmitterPrediction before = prediction_of_all_kinds();
  const TransmitterPrediction after = decoded_prediction(encoded_prediction(before), its_transmitter());
  EXPECT_EQ(after.transmitter_id, -3);
  ASSERT_EQ(after.tiles.size(), 3u);
  for (std::size_t t = 0; t < 3; ++t) expect_same(after.tiles[t], before.tiles[t]);
  ASSERT_EQ(after.receivers.size(), 1u);
  expect_same(after.receivers[0], before.receivers[0]);
  ASSERT_EQ(after.rays.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    const Ray &a = after.rays[r], &b = before.rays[r];
    EXPECT_EQ(a.transmitter_id, b.transmitter_id);
    EXPECT_EQ(a.target_id, b.target_id);
    EXPECT_EQ(a.interactions, b.interactions);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.mechanism, b.mechanism);
    for (const auto member :
         {&Ray::path_gain, &Ray::power_dbm, &Ray::delay_ns, &Ray::departure_azimuth_deg, &Ray::departure_elevation_deg,
          &Ray::arrival_azimuth_deg, &Ray::arrival_elevation_deg, &Ray::phase_deg}) {
      EXPECT_TRUE(same_bits(a.*member, b.*member));
    }
  }
  EXPECT_EQ(after.pruning.scattering_sources, 32u);
  EXPECT_EQ(after.pruning.tubes, 16u);
  EXPECT_EQ(after.pruning.roulette, 1e-3);
  EXPECT_EQ(after.pruning.scattered, 1e-4);
  EXPECT_EQ(after.pruning.then_diffracted, 1e-5);
  EXPECT_EQ(after.pruning.of_all_scattered, 1e-6);
  ASSERT_TRUE(after.tiles_wideband.has_angles() && after.tiles_wideband.has_profiles());
  EXPECT_TRUE(same_bits(after.tiles_wideband.angles(0), before.tiles_wideband.angles(0)));
  EXPECT_EQ(after.tiles_wideband.profile(0), before.tiles_wideband.profile(0));
  EXPECT_FALSE(before.tiles_wideband.profile(0).empty());
  EXPECT_FALSE(after.receivers_wideband.has_angles());
}

// A target that rays reach with less power than the sums can hold has no power, no delay and no profile.
TEST(WidebandPredictions, WithoutPowerThereIsNoProfile) {
  WidebandTable table(1, true, 2);
  table.add(0, {.path_gain = 1e-40, .strongest_gain = 1e-40, .excess_length_m = 3, .look = {0, 0.98, 0.2}});
  const std::vector<ArrivalSums> sums(1);
  const WidebandPredictions predictions(
      table, 0, sums,
      [](std::size_t) {
        return Vec3{3, 4, 0};
      },
      its_transmitter(), 0);
  EXPECT_TRUE(predictions.profile(0).empty());
}

TEST(PredictionCodec, RefusesBytesThatAreNotAWholePrediction) {
  std::vector<std::uint8_t> bytes = encoded_prediction(prediction_of_all_kinds());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decoded_prediction({bytes.data(), size}, its_transmitter()), std::length_error) << size;
  }
  bytes.push_back(0);
  EXPECT_THROW(decoded_prediction(bytes, its_transmitter()), std::length_error);
}

}  // namespace
}  // namespace tesseray
