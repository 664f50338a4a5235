// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/packed_rows.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/large_pages.h"
#include "core/base/parallel.h"
#include "core/visibility/row_codec.h"

namespace tesseray {

namespace {

// A chunk of rows is transposed at once, four bytes an entry, each time reading all halves. So there are few chunks,
// but more where the relation is small enough to give every thread some.
constexpr std::uint64_t least_chunk_entries = std::uint64_t{1} << 20;
constexpr std::uint64_t most_chunks = 12;

class PackedRows final : public Visibility {
 public:
  struct Row {
    const std::uint8_t* bytes = nullptr;
    std::size_t begin = 0;  // in its chunk
    std::uint32_t length = 0;
    std::uint32_t visible_tiles = 0;
  };

  PackedRows(std::uint32_t tile_count, std::uint32_t edge_count, std::size_t chunks)
      : tile_count_(tile_count), edge_count_(edge_count), rows_(tile_count + edge_count), chunks_(chunks) {}

  // Appends the row of `element` to a chunk. Rows of a chunk come in order; `fix_chunk` ends it.
  void add_row(std::size_t chunk, std::uint32_t element, const std::vector<std::uint32_t>& row) {
    rows_[element].begin = chunks_[chunk].size();
    append_row(row, chunks_[chunk]);
    rows_[element].length = static_cast<std::uint32_t>(row.size());
    rows_[element].visible_tiles =
        static_cast<std::uint32_t>(std::lower_bound(row.begin(), row.end(), tile_count_) - row.begin());
  }
  void fix_chunk(std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    chunks_[chunk].shrink_to_fit();
    for (std::uint32_t element = begin; element < end; ++element) {
      rows_[element].bytes = chunks_[chunk].data() + rows_[element].begin;
    }
  }

  std::uint32_t tile_count() const override { return tile_count_; }
  std::uint32_t edge_count() const override { return edge_count_; }
  void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override {
    const Row& stored = rows_[element];
    // Runs are written in whole steps: what a run does not fill is overwritten by the next, or cut off.
    constexpr std::uint32_t step = 8;
    row.resize(std::size_t{stored.length} + step);
    std::uint32_t* out = row.data();
    for_each_run(stored.bytes, [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t k = 0; k < step; ++k) out[k] = first + k;
      for (std::uint32_t k = step; k < count; ++k) out[k] = first + k;
      out += count;
    });
    row.resize(stored.length);
  }
  std::uint32_t row_length(std::uint32_t element) const override { return rows_[element].length; }
  std::uint32_t visible_tiles(std::uint32_t element) const override { return rows_[element].visible_tiles; }

 private:
  std::uint32_t tile_count_, edge_count_;
  std::vector<Row> rows_;
  std::vector<std::vector<std::uint8_t>> chunks_;
};

// How many halves name each element.
std::vector<std::uint32_t> count_incoming(std::uint32_t elements, const std::vector<HalfRows>& halves) {
  // By thread, how much larger each element's count is than that of the one before: two changes a run.
  tbb::enumerable_thread_specific<std::vector<std::uint32_t>> steps_of_threads(
      [&] { return std::vector<std::uint32_t>(elements + 1, 0); });
  parallel_blocks(halves.size(), 1, no_progress(), [&](std::size_t h, std::size_t) {
    std::vector<std::uint32_t>& steps = steps_of_threads.local();
    const std::uint8_t* bytes = halves[h].bytes.data();
    for (std::uint32_t row = 0; row < halves[h].rows; ++row) {
      bytes = for_each_run(bytes, [&](std::uint32_t first, std::uint32_t count) {
        ++steps[first];
        --steps[first + count];
      });
    }
  });
  std::vector<std::uint32_t> counts(elements, 0);
  for (const std::vector<std::uint32_t>& steps : steps_of_threads) {
    std::transform(counts.begin(), counts.end(), steps.begin(), counts.begin(), std::plus<>());
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  return counts;
}

// First elements of chunks of about equally many incoming entries, and the end.
std::vector<std::uint32_t> chunk_bounds(const std::vector<std::uint32_t>& incoming) {
  const std::uint64_t all = std::accumulate(incoming.begin(), incoming.end(), std::uint64_t{0});
  const std::uint64_t chunk_entries = std::max(least_chunk_entries, all / most_chunks);
  std::vector<std::uint32_t> bounds = {0};
  std::uint64_t entries = 0;
  for (std::uint32_t element = 0; element < incoming.size(); ++element) {
    if (entries + incoming[element] > chunk_entries && element > bounds.back()) {
      bounds.push_back(element);
      entries = 0;
    }
    entries += incoming[element];
  }
  bounds.push_back(static_cast<std::uint32_t>(incoming.size()));
  return bounds;
}

// std::merge of numbers that differ all, without a branch that nobody can foresee.
void merge_numbers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t* out) {
  const std::uint32_t *at_a = a.data(), *at_b = b.data();
  const std::uint32_t *const end_a = at_a + a.size(), *const end_b = at_b + b.size();
  while (at_a != end_a && at_b != end_b) {
    const std::uint32_t of_a = *at_a, of_b = *at_b;
    *out++ = std::min(of_a, of_b);
    at_a += of_a < of_b ? 1 : 0;
    at_b += of_a < of_b ? 0 : 1;
  }
  std::copy(at_b, end_b, std::copy(at_a, end_a, out));
}

// Collects what other elements found about the elements begin … end − 1 and merges it with what these found.
void fill_chunk(const std::vector<HalfRows>& halves, const std::vector<std::uint32_t>& incoming_count,
                std::uint32_t begin, std::uint32_t end, std::size_t chunk, PackedRows& rows) {
  std::vector<std::uint64_t> offsets(end - begin + 1, 0);
  for (std::uint32_t element = begin; element < end; ++element) {
    offsets[element - begin + 1] = offsets[element - begin] + incoming_count[element];
  }
  LargePageVector<std::uint32_t> incoming(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<const std::uint8_t*> own(end - begin);
  std::uint32_t source = 0;
  for (const HalfRows& half : halves) {
    const std::uint8_t* bytes = half.bytes.data();
    for (std::uint32_t row = 0; row < half.rows; ++row) {
      if (source >= begin && source < end) own[source - begin] = bytes;
      bytes = for_each_run(bytes, [&](std::uint32_t first, std::uint32_t count) {
        const std::uint32_t low = std::max(first, begin), high = std::min(first + count, end);
        for (std::uint32_t other = low; other < high; ++other) incoming[next[other - begin]++] = source;
      });
      ++source;
    }
  }

  std::vector<std::uint32_t> found, row;
  for (std::uint32_t element = begin; element < end; ++element) {
    found.clear();
    for_each_in_row(own[element - begin], [&](std::uint32_t other) { found.push_back(other); });
    row.resize(found.size() + incoming_count[element]);
    merge_numbers(found, {incoming.data() + offsets[element - begin], incoming_count[element]}, row.data());
    rows.add_row(chunk, element, row);
  }
  rows.fix_chunk(chunk, begin, end);
}

}  // namespace

std::unique_ptr<Visibility> whole_rows(std::uint32_t tile_count, std::uint32_t edge_count,
                                       const std::vector<HalfRows>& halves, Progress& progress) {
  const std::vector<std::uint32_t> incoming = count_incoming(tile_count + edge_count, halves);
  const std::vector<std::uint32_t> bounds = chunk_bounds(incoming);
  auto rows = std::make_unique<PackedRows>(tile_count, edge_count, bounds.size() - 1);
  parallel_blocks(bounds.size() - 1, 1, progress, [&](std::size_t chunk, std::size_t) {
    fill_chunk(halves, incoming, bounds[chunk], bounds[chunk + 1], chunk, *rows);
  });
  return rows;
}

}  // namespace tesseray
