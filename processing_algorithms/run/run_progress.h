// SPDX-License-Identifier: GPL-3.0-or-later
// The progress of a run: stages timed, warnings kept, and both shown to whoever watches.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/io/sources/passwords.h"

namespace tesseray {

// Where progress is shown. Called by one thread at a time.
class ProgressDisplay {
 public:
  ProgressDisplay() = default;
  virtual ~ProgressDisplay() = default;
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // `fraction` of `stage` is done; `eta_s` is the time the stage still needs, once that can be told.
  virtual void show(std::string_view stage, double fraction, std::optional<double> eta_s) = 0;
  virtual void stage_done(std::string_view stage, double seconds) = 0;
  virtual void warning(const Warning& warning) = 0;
  virtual void error(const Error& error) = 0;
};

enum class ProgressStyle { bar, json, none };
// On standard error: a bar with stage and remaining time (lines when it is no terminal), one JSON object per line, or
// warnings and errors alone.
std::unique_ptr<ProgressDisplay> make_progress_display(ProgressStyle style);

class RunProgress : public Progress {
 public:
  // `is_cancelled` is asked from any thread. Warnings are told without `passwords`.
  RunProgress(ProgressDisplay& display, std::function<bool()> is_cancelled, KnownPasswords passwords = {});

  void begin_stage(std::string_view stage) override;
  void advance(double fraction) override;
  void warn(const Warning& warning) override;
  bool is_cancelled() const override { return is_cancelled_(); }

  // Ends the last stage.
  void finish();
  // In the order in which the stages began; a stage that began twice has the sum.
  const std::vector<std::pair<std::string, double>>& seconds_per_stage() const { return seconds_per_stage_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  using Clock = std::chrono::steady_clock;
  void end_stage();
  void show(Clock::time_point now);

  ProgressDisplay& display_;
  std::function<bool()> is_cancelled_;
  KnownPasswords passwords_;
  std::mutex mutex_;
  std::string stage_;
  Clock::time_point stage_began_, last_shown_;
  double fraction_ = 0;
  std::vector<std::pair<std::string, double>> seconds_per_stage_;
  std::vector<Warning> warnings_;
};

}  // namespace tesseray
