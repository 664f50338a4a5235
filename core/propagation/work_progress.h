// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of work of which it shows only on the way how much there is.
#pragma once

#include <atomic>

#include "core/base/progress.h"

namespace tesseray {

// Tells which part is done of what is done and what is then taken to be left. Never less than was told before: where
// more turns out to be left, it waits.
class WorkProgress {
 public:
  explicit WorkProgress(Progress& whole) : whole_(whole) {}

  // Some of the work, which counts as done when this ends. `left`: what is to be done after it.
  class Piece final : public Progress {
   public:
    Piece(WorkProgress& all, double work, double left) : all_(all), work_(work), left_(left) {}
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() override { all_.done_ += work_; }

    void advance(double fraction) override { all_.tell(all_.done_ + work_ * fraction, work_ * (1 - fraction) + left_); }
    void warn(const Warning& warning) override { all_.whole_.warn(warning); }
    bool is_cancelled() const override { return all_.whole_.is_cancelled(); }

   private:
    WorkProgress& all_;
    const double work_, left_;
  };

  double done() const { return done_; }
  // So much more has been done than its pieces said.
  void correct(double more) { done_ += more; }
  void throw_if_cancelled() const { whole_.throw_if_cancelled(); }

 private:
  void tell(double done, double left) {
    const double part = done > 0 ? done / (done + left) : 0;
    double told = told_;
    while (told < part && !told_.compare_exchange_weak(told, part)) {
    }
    if (told < part) whole_.advance(part);
  }

  Progress& whole_;
  double done_ = 0;
  std::atomic<double> told_{0};
};

}  // namespace tesseray
