// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/run_progress.h"

#include <algorithm>

namespace tesseray {

RunProgress::RunProgress(ProgressDisplay& display, std::function<bool()> is_cancelled, KnownPasswords passwords)
    : display_(display), is_cancelled_(std::move(is_cancelled)), passwords_(std::move(passwords)) {}

void RunProgress::begin_stage(std::string_view stage) {
  const std::lock_guard lock(mutex_);
  if (stage == stage_) return;
  end_stage();
  stage_ = stage;
  fraction_ = 0;
  stage_began_ = Clock::now();
  show(stage_began_);
}

void RunProgress::advance(double fraction) {
  // Whoever finds another thread at it leaves the news to that one.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || stage_.empty()) return;
  // Blocks end in any order.
  fraction_ = std::clamp(fraction, fraction_, 1.0);
  const Clock::time_point now = Clock::now();
  if (now - last_shown_ >= std::chrono::milliseconds(100)) show(now);
}

void RunProgress::warn(const Warning& warning) {
  const std::lock_guard lock(mutex_);
  warnings_.push_back({warning.code, passwords_.hidden_in(warning.message)});
  display_.warning(warnings_.back());
}

void RunProgress::finish() {
  const std::lock_guard lock(mutex_);
  end_stage();
}

void RunProgress::end_stage() {
  if (stage_.empty()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - stage_began_).count();
  const auto known = std::find_if(seconds_per_stage_.begin(), seconds_per_stage_.end(),
                                  [&](const auto& entry) { return entry.first == stage_; });
  if (known == seconds_per_stage_.end())
    seconds_per_stage_.emplace_back(stage_, seconds);
  else
    known->second += seconds;
  display_.stage_done(stage_, seconds);
  stage_.clear();
}

void RunProgress::show(Clock::time_point now) {
  last_shown_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - stage_began_).count();
  // Before that, an extrapolation jumps about.
  const bool can_tell = fraction_ > 0.01 && elapsed_s > 0.3;
  display_.show(stage_, fraction_, can_tell ? std::optional(elapsed_s * (1 - fraction_) / fraction_) : std::nullopt);
}

}  // namespace tesseray
