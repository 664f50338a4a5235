// SPDX-License-Identifier: GPL-3.0-or-later
// result_hash: the same for any number of threads and any file, another one for any other bit.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <set>

#include "gis_files.h"
#include "writer_case.h"

namespace tesseray::testing {
namespace {

TEST(ResultHashOfFiles, IsTheSameForAnyNumberOfThreads) {
  TemporaryFolder folder;
  const WriterCase city = large_case(150, 100);
  std::set<std::string> hashes;
  std::set<std::vector<std::vector<std::string>>> contents;
  for (const std::size_t threads : {1u, 2u, 7u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::string file = folder / (std::to_string(threads) + ".gpkg");
    hashes.insert(city.write(file));
    contents.insert(Sql(file).rows("SELECT fid, tile_id, path_loss_db, hex(geom) FROM path_loss"));
    EXPECT_EQ(Sql(file).value("SELECT result_hash FROM tesseray_runs"), *hashes.begin());
  }
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_EQ(contents.size(), 1u);
}

TEST(ResultHashOfFiles, IsTheSameForAnyFileNameFormatAndRun) {
  TemporaryFolder folder;
  const WriterCase c;
  const std::string hash = c.write(folder / "a.gpkg");
  EXPECT_EQ(c.write(folder / "b.gpkg"), hash);
  EXPECT_EQ(c.write(folder / "c.sqlite"), hash);
  EXPECT_EQ(c.write(folder / "a.gpkg", true), hash);
}

TEST(ResultHashOfFiles, ChangesWithTheSmallestChange) {
  TemporaryFolder folder;
  std::set<std::string> hashes;
  int count = 0;
  const auto write = [&](const auto& change) {
    WriterCase c;
    change(c);
    hashes.insert(c.write(folder / (std::to_string(count++) + ".gpkg")));
  };
  write([](WriterCase&) {});
  write([](WriterCase& c) {
    c.predictions[0].tiles[0].path_loss_db = std::nextafterf(c.predictions[0].tiles[0].path_loss_db, 0);
  });
  write([](WriterCase& c) { c.tiling.tiles[3].centroid.x += 1e-9; });
  write([](WriterCase& c) { std::swap(c.predictions[0].tiles[0], c.predictions[0].tiles[2]); });
  write([](WriterCase& c) { c.transmitters[0].name += " "; });
  write([](WriterCase& c) { c.issues.pop_back(); });
  write([](WriterCase& c) { c.predictions[1].rays[0].points.pop_back(); });
  write([](WriterCase& c) { c.tiling.edges[0].tile_b = 0; });
  EXPECT_EQ(hashes.size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace tesseray::testing
