// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the stages that no run from outside reaches: transmitters that fail, and estimates.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

#include "core/base/parallel.h"
#include "processing_algorithms/stages/predict_each.h"
#include "processing_algorithms/stages/visibility_stage.h"
#include "tests/support/environment.h"

namespace tesseray {
namespace {

std::vector<Transmitter> transmitters() {
  std::vector<Transmitter> three(3);
  for (std::size_t t = 0; t < three.size(); ++t) {
    three[t].transmitter_id = static_cast<std::int64_t>(t) + 1;
    three[t].name = std::string(1, static_cast<char>('A' + t));
  }
  return three;
}

TEST(PredictEach, OneThatFailsStopsNoOther) {
  const Predictions predictions = predict_each(
      transmitters(),
      [](const Transmitter& transmitter, Progress&) {
        if (transmitter.name == "B") throw Error(ErrorKind::internal, "broken", "no field at B");
        return TransmitterPrediction{.transmitter_id = transmitter.transmitter_id};
      },
      no_progress());
  ASSERT_EQ(predictions.of_transmitters.size(), 2u);
  EXPECT_EQ(predictions.of_transmitters[1].transmitter_id, 3);
  ASSERT_EQ(predictions.failed.size(), 1u);
  EXPECT_EQ(predictions.failed[0].first, "B");
  EXPECT_NE(predictions.failed[0].second.find("no field at B"), std::string::npos);
}

TEST(PredictEach, WhenAllFailTheFirstErrorIsTold) {
  try {
    predict_each(
        transmitters(),
        [](const Transmitter& transmitter, Progress&) -> TransmitterPrediction {
          throw Error(ErrorKind::internal, "broken", "no field at " + transmitter.name);
        },
        no_progress());
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "no field at A");
  }
}

TEST(PredictEach, CancelAndLackOfMemoryStopAll) {
  const auto fail_with = [](auto error) {
    int calls = 0;
    try {
      predict_each(
          transmitters(),
          [&](const Transmitter&, Progress&) -> TransmitterPrediction {
            ++calls;
            throw error;
          },
          no_progress());
    } catch (const std::exception&) {
    }
    return calls;
  };
  EXPECT_EQ(fail_with(Error(ErrorKind::cancelled, "cancelled", "cancelled")), 1);
  EXPECT_EQ(fail_with(Error(ErrorKind::resources, "disk_full", "full")), 1);
  EXPECT_EQ(fail_with(std::bad_alloc()), 1);
  EXPECT_EQ(fail_with(std::runtime_error("odd")), 3);
}

std::vector<Transmitter> many_transmitters() {
  std::vector<Transmitter> many(100);
  for (std::size_t t = 0; t < many.size(); ++t) {
    many[t].transmitter_id = static_cast<std::int64_t>(t) + 1;
    many[t].name = std::to_string(t + 1);
  }
  return many;
}

TEST(PredictEach, SeveralAtOnceComeInTheirOrder) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 6);
  tbb::task_arena arena(6);
  std::atomic<int> under_way{0}, most{0};
  const Predictions predictions = arena.execute([&] {
    return predict_each(
        many_transmitters(),
        [&](const Transmitter& transmitter, Progress&) {
          const int now = ++under_way;
          for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
          }
          // Shared by all threads, as a launch is.
          std::atomic<std::int64_t> sum{0};
          parallel_blocks(64, 1, no_progress(), [&](std::size_t, std::size_t) {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            ++sum;
          });
          --under_way;
          if (transmitter.transmitter_id % 10 == 0) throw Error(ErrorKind::internal, "broken", "every tenth");
          TransmitterPrediction prediction{.transmitter_id = transmitter.transmitter_id};
          prediction.tiles.resize(static_cast<std::size_t>(sum));
          return prediction;
        },
        no_progress(), 3);
  });
  EXPECT_LE(most, 3);
  ASSERT_EQ(predictions.of_transmitters.size(), 90u);
  ASSERT_EQ(predictions.failed.size(), 10u);
  std::int64_t before = 0;
  for (const TransmitterPrediction& prediction : predictions.of_transmitters) {
    EXPECT_GT(prediction.transmitter_id, before);
    EXPECT_EQ(prediction.tiles.size(), 64u);
    before = prediction.transmitter_id;
  }
  for (std::size_t f = 0; f < 10; ++f) EXPECT_EQ(predictions.failed[f].first, std::to_string(10 * (f + 1)));
}

TEST(PredictEach, OneThatStopsAllCancelsThoseUnderWay) {
  // Two threads on any machine.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  std::atomic<int> calls{0};
  const auto predict_all = [&] {
    predict_each(
        many_transmitters(),
        [&](const Transmitter& transmitter, Progress& progress) -> TransmitterPrediction {
          ++calls;
          if (transmitter.name == "2") throw Error(ErrorKind::resources, "disk_full", "full");
          if (transmitter.name != "1") return {.transmitter_id = transmitter.transmitter_id};
          while (calls < 2) std::this_thread::yield();
          while (true) progress.throw_if_cancelled();
        },
        no_progress(), 2);
  };
  try {
    arena.execute(predict_all);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "disk_full");
  }
  EXPECT_LT(calls, 100);
}

TEST(PredictEach, ThoseBegunWithAreNotPredictedAgain) {
  std::vector<TransmitterPrediction> begun(1);
  begun[0].transmitter_id = 2;
  begun[0].receivers.resize(7);
  std::vector<std::string> called;
  const auto predict = [&](const Transmitter& transmitter, Progress&) -> TransmitterPrediction {
    called.push_back(transmitter.name);
    if (transmitter.name == "A") throw Error(ErrorKind::internal, "broken", "no field at A");
    return {.transmitter_id = transmitter.transmitter_id};
  };
  const Predictions predictions = predict_each(transmitters(), predict, no_progress(), 1, begun);
  EXPECT_EQ(called, (std::vector<std::string>{"A", "C"}));
  ASSERT_EQ(predictions.of_transmitters.size(), 2u);
  EXPECT_EQ(predictions.of_transmitters[0].transmitter_id, 2);
  EXPECT_EQ(predictions.of_transmitters[0].receivers.size(), 7u);
  EXPECT_EQ(predictions.of_transmitters[1].transmitter_id, 3);
  EXPECT_EQ(predictions.failed.size(), 1u);
}

class Fractions final : public Progress {
 public:
  void advance(double fraction) override { fractions.push_back(fraction); }
  std::vector<double> fractions;
};

// What three transmitters tell one after the other, each in two halves.
std::vector<double> fractions_of_three(const std::function<double(const Transmitter&)>& work) {
  Fractions progress;
  predict_each(
      transmitters(),
      [](const Transmitter&, Progress& part) {
        part.advance(0.5);
        part.advance(1.0);
        return TransmitterPrediction();
      },
      progress, 1, {}, work);
  return progress.fractions;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
}

TEST(PredictEach, ProgressIsOfTheWholeStage) {
  expect_near(fractions_of_three({}), {0.5 / 3, 1.0 / 3, 1.5 / 3, 2.0 / 3, 2.5 / 3, 1.0});
}

TEST(PredictEach, WhatTakesLongerTakesMoreOfTheProgress) {
  const auto work = [](const Transmitter& transmitter) { return transmitter.name == "B" ? 6.0 : 1.0; };
  expect_near(fractions_of_three(work), {0.0625, 0.125, 0.5, 0.875, 0.9375, 1.0});
}

// A square of flat ground with a wall-like building across its middle.
Scene walled_square() {
  Scene scene;
  scene.extent = {{0, 0}, {400, 400}};
  scene.terrain.south_west = {-50, -50};
  scene.terrain.step_x = scene.terrain.step_y = 500;
  scene.terrain.columns = scene.terrain.rows = 2;
  scene.terrain.height_m.assign(4, 0.0f);
  for (int row = 0; row < 8; ++row) {
    Prism prism;
    prism.building_id = row + 1;
    const double south = 10 + 50 * row;
    prism.rings = {{{60, south}, {340, south}, {340, south + 20}, {60, south + 20}}};
    prism.bottom_z = 0;
    prism.top_z = 12 + row;
    scene.prisms.push_back(prism);
  }
  return scene;
}

TEST(VisibilityEstimate, IsNearTheRealNumberOfEntries) {
  const Scene scene = walled_square();
  const Tiling tiling = tile_scene(scene, {}, no_progress());
  const Occlusion occlusion(scene);
  // The last as rarely as in a large city, and mostly edges in a row.
  for (const double distance_m : {1e6, 120.0, 15.0}) {
    SCOPED_TRACE(distance_m);
    const VisibilityOptions options{.max_distance_m = distance_m};
    const std::unique_ptr<Visibility> visibility = compute_visibility(occlusion, tiling, options, no_progress());
    double entries = 0;
    for (std::uint32_t e = 0; e < visibility->element_count(); ++e) entries += visibility->row_length(e);
    ASSERT_GT(entries, 10'000);
    const auto estimate = static_cast<double>(estimated_visibility_entries(occlusion, tiling, options));
    EXPECT_NEAR(estimate / entries, 1.0, 0.05);
  }
}

// As many as there is room for, with the tubes of each: of 4 threads, by a budget that is that of so many and a half.
TEST(TransmittersAtOnce, FitWithTheirTubes) {
  const testing::Environment town(walled_square(), 10);
  const RayLauncher launcher(town.scene, town.tiling, town.occlusion, *town.visibility, {}, {});
  launcher.prepare(no_progress());
  constexpr int threads = 4;
  constexpr std::uint64_t mebibyte = 1u << 20;
  tbb::task_arena arena(threads);
  const std::uint64_t of_one = launcher.bytes_of_launch(threads) + launcher.bytes_of_tubes();
  ASSERT_GT(launcher.bytes_of_tubes(), 100 * mebibyte);
  const auto at_once = [&](std::uint64_t left_bytes) {
    constexpr std::uint64_t enough = std::uint64_t{1} << 40;
    const std::uint64_t held = enough - MemoryBudget{enough}.left_bytes();
    const MemoryBudget budget{held + launcher.bytes_besides_launches() + left_bytes};
    return arena.execute([&] { return transmitters_at_once(budget, launcher, town.tiling.tiles.size(), 3); });
  };
  EXPECT_EQ(at_once(of_one / 2), 1u);  // tubes may need far less
  EXPECT_EQ(at_once(of_one + of_one / 2), 1u);
  EXPECT_EQ(at_once(2 * of_one + of_one / 2), 2u);
  EXPECT_EQ(at_once(100 * of_one), 3u);
}

TEST(TransmittersAtOnce, AreRefusedWithWhatMakesThemFit) {
  const testing::Environment town(walled_square(), 10);
  const RayLauncher launcher(town.scene, town.tiling, town.occlusion, *town.visibility, {}, {});
  try {
    transmitters_at_once(MemoryBudget{1}, launcher, town.tiling.tiles.size(), 3);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_NE(error.hint().find("TILE_AREA"), std::string::npos);
    EXPECT_NE(error.hint().find("fewer RECEIVERS"), std::string::npos);
  }
}

}  // namespace
}  // namespace tesseray
