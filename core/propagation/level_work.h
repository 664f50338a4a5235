// SPDX-License-Identifier: GPL-3.0-or-later
// How much work is left of tubes that bounce together and of all that comes of them, as it shows on the way. Internal
// to core/propagation.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tesseray {

// Of a tube that goes on.
inline constexpr double seconds_of_child = 0.36e-6;

// What is before each of some groups of tubes, and after the last, of the usual seconds of the tubes themselves and of
// all that comes of them.
struct WorkAhead {
  std::vector<double> own, following;
};

// What progress of bounces is told by.
struct BouncePace {
  double times_usual = 1;  // as long as is usual
  double left_after = 0;   // seconds, when all of them are done
  // Usual seconds of all, where these are known otherwise: before anything has bounced, what tubes followed ahead tell
  // has no part in it (bounces_ahead.cpp). 0: are not.
  double foretold = 0;
};

class LevelWork {
 public:
  LevelWork(WorkAhead ahead, BouncePace pace) : ahead_(std::move(ahead)), pace_(pace) {}

  // Seconds of the groups from `first` on, before `last`, themselves.
  double own(std::size_t first, std::size_t last) const {
    return pace_.times_usual * own_.times() * (ahead_.own[last] - ahead_.own[first]);
  }
  // Before each of these groups, and after the last.
  std::span<const double> own_before(std::size_t first, std::size_t last) const {
    return std::span(ahead_.own).subspan(first, last - first + 1);
  }
  // Of all that is to be done when the groups before `last` have bounced themselves.
  double left_after(std::size_t last) const {
    const double own = ahead_.own.back() - ahead_.own[last], following = ahead_.following.back() - passed_on_;
    return pace_.left_after + pace_.times_usual * (own * own_.times() + following * following_.times());
  }
  // These groups took so many usual seconds themselves; returns the seconds.
  double take_own(std::size_t first, std::size_t last, double usual) {
    own_.add(ahead_.own[last] - ahead_.own[first], usual);
    return pace_.times_usual * usual;
  }
  // What the groups before `last` have brought is bounced next: how it goes on.
  BouncePace pass_on(std::size_t last) {
    passing_ = ahead_.following[last] - passed_on_;
    passed_on_ = ahead_.following[last];
    return {.times_usual = pace_.times_usual, .left_after = left_after(last)};
  }
  // That took so many seconds.
  void take_passed_on(double seconds) { following_.add(passing_, seconds / pace_.times_usual); }

 private:
  struct Expected {
    double expected = 0, taken = 0;
    void add(double more_expected, double more_taken) {
      expected += more_expected;
      taken += more_taken;
    }
    double times() const { return expected > 0 && taken > 0 ? taken / expected : 1; }
  };

  WorkAhead ahead_;
  BouncePace pace_;
  Expected own_, following_;
  double passed_on_ = 0, passing_ = 0;
};

}  // namespace tesseray
