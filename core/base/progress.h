// SPDX-License-Identifier: GPL-3.0-or-later
// How a stage tells how far it is, warns, and learns that it is cancelled.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace tesseray {

// Something that the user should know but that stops nothing.
struct Warning {
  std::string code;
  std::string message;
};

// Stages call these from any thread. The default does nothing: `no_progress()` is one of it.
class Progress {
 public:
  Progress() = default;
  virtual ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  virtual void begin_stage(std::string_view /*stage*/) {}
  // The done part of the current stage, 0 … 1.
  virtual void advance(double /*fraction*/) {}
  virtual void warn(const Warning& /*warning*/) {}
  virtual bool is_cancelled() const { return false; }

  // Throws Error(ErrorKind::cancelled) when the user cancelled. Cheap: call it once per block of work.
  void throw_if_cancelled() const {
    if (is_cancelled()) throw Error(ErrorKind::cancelled, "cancelled", "cancelled; nothing half-written stays");
  }
};

Progress& no_progress();

// What a piece of work within a stage advances: from one fraction of the whole to another.
class PartOfStage final : public Progress {
 public:
  PartOfStage(Progress& whole, double begin, double end) : whole_(whole), begin_(begin), end_(end) {}

  void advance(double fraction) override { whole_.advance(begin_ + (end_ - begin_) * fraction); }
  void warn(const Warning& warning) override { whole_.warn(warning); }
  bool is_cancelled() const override { return whole_.is_cancelled(); }

 private:
  Progress& whole_;
  double begin_, end_;
};

}  // namespace tesseray
