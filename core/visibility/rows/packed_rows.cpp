// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/packed_rows.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/rows/row_maker.h"

namespace tesseray {

namespace {

constexpr std::uint32_t chunk_elements = 256;
// So many pairs are turned at once, which takes some 17 MB in cities, twice: the next are turned while rows are merged
// with these. Of relations with more pairs than so many passes take, a pass turns more: its memory stays a small part
// of that of the rows.
constexpr std::uint64_t least_pass_pairs = std::uint64_t{1} << 23, most_passes = 96;

class PackedRows final : public Visibility {
 public:
  struct Row {
    std::size_t begin = 0;  // in its chunk
    std::uint32_t length = 0;
    std::uint32_t visible_tiles = 0;
  };

  PackedRows(std::uint32_t tile_count, std::uint32_t edge_count)
      : tile_count_(tile_count),
        edge_count_(edge_count),
        rows_(tile_count + edge_count),
        chunks_((rows_.size() + chunk_elements - 1) / chunk_elements) {}

  std::uint32_t chunk_count() const { return static_cast<std::uint32_t>(chunks_.size()); }

  // Appends the row of `element` to the bytes of a chunk.
  void append_row_of(std::uint32_t element, RowMaker& row, std::vector<std::uint8_t>& bytes) {
    rows_[element].begin = bytes.size();
    const RowCounts counts = row.append_to(bytes, tile_count_);
    rows_[element].length = counts.length;
    rows_[element].visible_tiles = counts.visible_tiles;
  }
  void put_chunk(std::size_t chunk, const std::vector<std::uint8_t>& bytes) { chunks_[chunk] = bytes; }

  std::uint32_t tile_count() const override { return tile_count_; }
  std::uint32_t edge_count() const override { return edge_count_; }
  void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override {
    read_begin(element, rows_[element].length, element_count(), row);
  }
  void read_tiles_of_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override {
    read_begin(element, rows_[element].visible_tiles, tile_count_, row);
  }
  std::uint32_t row_length(std::uint32_t element) const override { return rows_[element].length; }
  std::uint32_t visible_tiles(std::uint32_t element) const override { return rows_[element].visible_tiles; }

 private:
  // The `length` numbers of a row that are below `end_number`.
  void read_begin(std::uint32_t element, std::uint32_t length, std::uint32_t end_number,
                  std::vector<std::uint32_t>& row) const {
    // Runs are written in whole steps: what a run does not fill is overwritten by the next, or cut off.
    constexpr std::uint32_t step = 8;
    row.resize(std::size_t{length} + step);
    std::uint32_t* out = row.data();
    for_each_run_until(chunks_[element / chunk_elements].data() + rows_[element].begin, end_number,
                       [&](std::uint32_t first, std::uint32_t all) {
                         const std::uint32_t count = std::min(all, end_number - first);
                         for (std::uint32_t k = 0; k < step; ++k) out[k] = first + k;
                         for (std::uint32_t k = step; k < count; ++k) out[k] = first + k;
                         out += count;
                       });
    row.resize(length);
  }

  std::uint32_t tile_count_, edge_count_;
  std::vector<Row> rows_;
  std::vector<std::vector<std::uint8_t>> chunks_;
};

// Where the half row of each element begins.
std::vector<const std::uint8_t*> places_of_rows(const std::vector<HalfRows>& halves) {
  std::vector<const std::uint8_t*> places;
  for (const HalfRows& half : halves) {
    for (std::uint32_t row = 0; row < half.rows(); ++row) places.push_back(half.row(row));
  }
  return places;
}

// What a thread merges rows with.
struct Merger {
  RowMaker row;
  TurnedPart turned;
  std::vector<std::uint8_t> bytes;
};

// Merges what the elements of a part found with the others that found them.
void fill_chunk(std::size_t chunk, const std::vector<const std::uint8_t*>& found, Merger& with, PackedRows& rows) {
  with.bytes.clear();
  for (std::uint32_t element = with.turned.begin(); element < with.turned.end(); ++element) {
    for_each_run(found[element], [&](std::uint32_t first, std::uint32_t count) { with.row.add_run(first, count); });
    for (const SourceWord& sources : with.turned.sources_of(element)) with.row.add_word(sources.word, sources.marks);
    rows.append_row_of(element, with.row, with.bytes);
  }
  rows.put_chunk(chunk, with.bytes);
}

}  // namespace

std::unique_ptr<Visibility> whole_rows(std::uint32_t tile_count, std::uint32_t edge_count,
                                       const std::vector<HalfRows>& halves, Progress& progress) {
  const std::uint32_t elements = tile_count + edge_count;
  const std::uint64_t pairs =
      std::accumulate(halves.begin(), halves.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const HalfRows& half) { return sum + half.pairs(); });
  const auto passes = static_cast<std::uint32_t>(std::min(most_passes, pairs / least_pass_pairs + 1));
  auto rows = std::make_unique<PackedRows>(tile_count, edge_count);
  const std::uint32_t pass_elements = (rows->chunk_count() + passes - 1) / passes * chunk_elements;
  const std::vector<const std::uint8_t*> found = places_of_rows(halves);
  tbb::enumerable_thread_specific<Merger> mergers([elements] { return Merger{RowMaker(elements), {}, {}}; });
  std::vector<RowCursor> cursors = cursors_of(halves);
  std::optional<TurnedHalves> turned, next;
  const auto end_of = [&](std::uint32_t begin) { return std::min(elements - begin, pass_elements) + begin; };
  const auto turn_next = [&](std::uint32_t begin) {
    if (begin < elements) next.emplace(halves, cursors, 0, begin, end_of(begin), chunk_elements, progress);
  };
  const auto merge = [&](std::uint32_t begin) {
    PartOfStage pass(progress, static_cast<double>(begin) / elements, static_cast<double>(end_of(begin)) / elements);
    parallel_blocks(turned->parts(), 1, pass, [&](std::size_t part, std::size_t) {
      Merger& merger = mergers.local();
      turned->read_part(static_cast<std::uint32_t>(part), merger.turned);
      fill_chunk(begin / chunk_elements + part, found, merger, *rows);
    });
  };
  turn_next(0);
  for (std::uint32_t begin = 0; begin < elements; begin = end_of(begin)) {
    turned.swap(next);
    // Threads that find nothing more to merge turn.
    tbb::parallel_invoke([&] { merge(begin); }, [&] { turn_next(end_of(begin)); });
  }
  return rows;
}

}  // namespace tesseray
