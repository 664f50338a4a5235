// SPDX-License-Identifier: GPL-3.0-or-later
// The packed R-tree against SQLite's own check, its own queries after later edits, and brute force.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/io/results/rtree.h"
#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

class PackedRtree : public ::testing::TestWithParam<int> {
 protected:
  PackedRtree() : file_(folder_ / "rtree.db") {
    std::ofstream{file_};
    std::mt19937 random(static_cast<std::uint32_t>(GetParam()));
    std::uniform_real_distribution<double> place(1.8e6, 1.81e6), size(0, 30);
    for (int i = 0; i < GetParam(); ++i) {
      const Vec2 min{place(random), 5e6 + place(random)};
      boxes_.push_back({min, min + Vec2{size(random), size(random)}});
    }
    SqliteDatabase database(file_, SqliteDatabase::Access::staged);
    database.execute("CREATE VIRTUAL TABLE boxes USING rtree(id, minx, maxx, miny, maxy)");
    RtreeBuilder builder(database, "boxes");
    for (std::size_t i = 0; i < boxes_.size(); ++i) builder.add(static_cast<std::int64_t>(i) + 1, boxes_[i]);
    builder.finish();
  }

  TemporaryFolder folder_;
  std::string file_;
  std::vector<Rectangle> boxes_;
};

TEST_P(PackedRtree, IsSoundForSqlite) {
  Sql sql(file_);
  EXPECT_EQ(sql.value("SELECT rtreecheck('boxes')"), "ok");
  EXPECT_EQ(sql.value("SELECT count(*) FROM boxes"), std::to_string(GetParam()));
}

TEST_P(PackedRtree, FindsWhatBruteForceFinds) {
  Sql sql(file_);
  std::mt19937 random(99);
  std::uniform_real_distribution<double> place(1.8e6, 1.81e6);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec2 min{place(random), 5e6 + place(random)};
    const Vec2 max = min + Vec2{700, 900};
    // SQLite keeps 32-bit bounds rounded outward, half a metre at these coordinates: the index may find more, never
    // less, and nothing farther than that.
    std::vector<std::string> certain, possible;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const auto meets = [&](double margin) {
        const Rectangle& b = boxes_[i];
        return b.max.x >= min.x - margin && b.min.x <= max.x + margin && b.max.y >= min.y - margin &&
               b.min.y <= max.y + margin;
      };
      if (meets(0)) certain.push_back(std::to_string(i + 1));
      if (meets(1)) possible.push_back(std::to_string(i + 1));
    }
    const std::string where = " WHERE maxx >= " + std::to_string(min.x) + " AND minx <= " + std::to_string(max.x) +
                              " AND maxy >= " + std::to_string(min.y) + " AND miny <= " + std::to_string(max.y);
    const std::vector<std::string> found = sql.column("SELECT id FROM boxes" + where + " ORDER BY id");
    const auto number_order = [](const std::string& a, const std::string& b) { return std::stoll(a) < std::stoll(b); };
    EXPECT_TRUE(std::includes(found.begin(), found.end(), certain.begin(), certain.end(), number_order));
    EXPECT_TRUE(std::includes(possible.begin(), possible.end(), found.begin(), found.end(), number_order));
  }
}

TEST_P(PackedRtree, StaysSoundWhenRowsComeAndGo) {
  Sql sql(file_);
  for (int i = 0; i < 300; ++i) {
    sql.rows("INSERT INTO boxes VALUES (" + std::to_string(1'000'000 + i) + ", 1800000, 1800001, 6800000, 6800001)");
  }
  sql.rows("DELETE FROM boxes WHERE id % 3 = 0 AND id < 1000000");
  EXPECT_EQ(sql.value("SELECT rtreecheck('boxes')"), "ok");
  EXPECT_EQ(sql.value("SELECT count(*) FROM boxes"), std::to_string(GetParam() - GetParam() / 3 + 300));
}

// Around the capacity of a node (51), of a level, and of several.
INSTANTIATE_TEST_SUITE_P(Sizes, PackedRtree, ::testing::Values(0, 1, 50, 51, 52, 102, 2600, 2601, 2602, 7000, 140000));

}  // namespace
}  // namespace tesseray::testing
