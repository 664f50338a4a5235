// SPDX-License-Identifier: GPL-3.0-or-later
// What is left of work, and what of it is told, where more or less turns out to be there than was expected.
#include "core/propagation/level_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/propagation/work_progress.h"

namespace tesseray {
namespace {

class KeptProgress final : public Progress {
 public:
  void advance(double fraction) override { told.push_back(fraction); }
  std::vector<double> told;
};

TEST(WorkProgress, TellsThePartThatIsDoneOfWhatIsDoneAndLeft) {
  KeptProgress kept;
  WorkProgress work(kept);
  {
    WorkProgress::Piece piece(work, 2, 8);
    piece.advance(0.5);
    piece.advance(1);
  }
  WorkProgress::Piece(work, 3, 5).advance(1);
  EXPECT_EQ(kept.told, (std::vector<double>{0.1, 0.2, 0.5}));
  EXPECT_EQ(work.done(), 5);
}

TEST(WorkProgress, WaitsWhereMoreIsLeftThanWasSaid) {
  KeptProgress kept;
  WorkProgress work(kept);
  WorkProgress::Piece(work, 5, 5).advance(1);
  work.correct(-1);
  {
    WorkProgress::Piece more(work, 6, 10);
    more.advance(0.5);
    EXPECT_EQ(kept.told, std::vector<double>{0.5});
    more.advance(1);
  }
  EXPECT_EQ(kept.told, std::vector<double>{0.5});
  WorkProgress::Piece(work, 10, 0).advance(1);
  EXPECT_EQ(kept.told, (std::vector<double>{0.5, 1}));
}

TEST(WorkProgress, WhatHasNoLengthIsNotTold) {
  KeptProgress kept;
  WorkProgress work(kept);
  WorkProgress::Piece(work, 0, 0).advance(1);
  EXPECT_TRUE(kept.told.empty());
}

LevelWork four_groups(const BouncePace& pace) { return {{{0, 1, 2, 3, 4}, {0, 10, 20, 30, 40}}, pace}; }

TEST(LevelWork, AsExpectedBeforeAnythingIsDone) {
  const LevelWork work = four_groups({.times_usual = 2, .left_after = 5});
  EXPECT_EQ(work.own(1, 3), 4);
  EXPECT_EQ(work.left_after(1), 5 + 2 * (3 + 40));
}

TEST(LevelWork, TheRestTakesAsManyTimesAsLongAsWhatIsDone) {
  LevelWork work = four_groups({.times_usual = 2, .left_after = 5});
  EXPECT_EQ(work.take_own(0, 2, 6), 12);
  EXPECT_EQ(work.own(2, 3), 2 * 3);
  EXPECT_EQ(work.left_after(2), 5 + 2 * (3 * 2 + 40));
}

TEST(LevelWork, WhatIsPassedOnIsLeftNoMore) {
  LevelWork work = four_groups({.times_usual = 2, .left_after = 5});
  work.take_own(0, 2, 2);
  const BouncePace onward = work.pass_on(2);
  EXPECT_EQ(onward.times_usual, 2);
  EXPECT_EQ(onward.foretold, 0);
  EXPECT_EQ(onward.left_after, 5 + 2 * (2 + 20));
  // Half of what was expected: so is the rest.
  work.take_passed_on(20);
  EXPECT_EQ(work.left_after(4), 5 + 2 * 10);
}

}  // namespace
}  // namespace tesseray
