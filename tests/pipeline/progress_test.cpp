// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/base/parallel.h"
#include "processing_algorithms/run/run_progress.h"

namespace tesseray {
namespace {

class Recorder final : public ProgressDisplay {
 public:
  void show(std::string_view stage, double fraction, std::optional<double> eta_s) override {
    shown.emplace_back(stage, fraction);
    if (eta_s) etas_s.push_back(*eta_s);
  }
  void stage_done(std::string_view stage, double) override { done.emplace_back(stage); }
  void warning(const Warning& warning) override { warnings.push_back(warning.code); }
  void error(const Error&) override {}

  std::vector<std::pair<std::string, double>> shown;
  std::vector<double> etas_s;
  std::vector<std::string> done, warnings;
};

bool never() { return false; }

TEST(RunProgress, StagesAreTimedAndSummedByName) {
  Recorder recorder;
  RunProgress progress(recorder, never);
  for (const char* stage : {"reading", "tiling", "reading"}) {
    progress.begin_stage(stage);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  progress.finish();
  progress.finish();
  ASSERT_EQ(progress.seconds_per_stage().size(), 2u);
  EXPECT_EQ(progress.seconds_per_stage()[0].first, "reading");
  EXPECT_GE(progress.seconds_per_stage()[0].second, 0.04);
  EXPECT_GE(progress.seconds_per_stage()[1].second, 0.02);
  EXPECT_EQ(recorder.done, (std::vector<std::string>{"reading", "tiling", "reading"}));
}

TEST(RunProgress, NeverGoesBackWithinAStage) {
  Recorder recorder;
  RunProgress progress(recorder, never);
  progress.begin_stage("visibility");
  parallel_blocks(2000, 1, progress,
                  [](std::size_t, std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(500)); });
  progress.finish();
  EXPECT_GT(recorder.shown.size(), 2u);
  EXPECT_TRUE(std::is_sorted(recorder.shown.begin(), recorder.shown.end()));
}

TEST(RunProgress, RemainingTimeIsExtrapolated) {
  Recorder recorder;
  RunProgress progress(recorder, never);
  progress.begin_stage("visibility");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  progress.advance(0.25);
  ASSERT_EQ(recorder.etas_s.size(), 1u);
  EXPECT_GE(recorder.etas_s[0], 3 * 0.4);
  EXPECT_LT(recorder.etas_s[0], 3 * 4.0);
}

TEST(RunProgress, WarningsAreShownAndKept) {
  Recorder recorder;
  RunProgress progress(recorder, never);
  progress.warn({"missing_height", "3 buildings"});
  EXPECT_EQ(recorder.warnings, std::vector<std::string>{"missing_height"});
  EXPECT_EQ(progress.warnings()[0].message, "3 buildings");
}

TEST(RunProgress, CancelStopsParallelWork) {
  Recorder recorder;
  std::atomic<bool> cancelled{false};
  RunProgress progress(recorder, [&] { return cancelled.load(); });
  std::atomic<int> blocks{0};
  const auto work = [&](std::size_t, std::size_t) {
    if (++blocks == 10) cancelled = true;
  };
  EXPECT_THROW(parallel_blocks(100'000, 1, progress, work), Error);
  EXPECT_LT(blocks.load(), 1000);
}

}  // namespace
}  // namespace tesseray
