// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string>

#include "core/visibility/file/visibility_file.h"
#include "core/visibility/file/work_file.h"
#include "core/visibility/rows/half_rows.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/rows/row_maker.h"
#include "core/visibility/rows/search_costs.h"

namespace tesseray {

namespace {

// A block is what all threads do together, and what is lost when a run is killed: some seconds of work.
constexpr std::uint32_t most_block_elements = 64 * rows_per_stretch;
// What a pair takes while its block is turned and written, coded forth and back.
constexpr std::uint64_t bytes_per_pair = 8;

class Blocks {
 public:
  Blocks(HalfRowFinder& finder, WorkFile& work, std::uint64_t memory_bytes, Progress& progress)
      : finder_(finder),
        work_(work),
        most_pairs_(memory_bytes / bytes_per_pair),
        costs_(finder, work.finished_elements(), progress),
        progress_(progress) {}

  void compute_all() {
    std::uint32_t size = rows_per_stretch;
    while (work_.finished_elements() < finder_.element_count()) {
      const std::uint32_t first = work_.finished_elements();
      const std::uint32_t end = first + std::min(size, finder_.element_count() - first);
      const WorkBlock block = make_work_block(first, end, finder_.element_count(),
                                              find_halves(finder_, first, end, costs_, progress_), progress_);
      progress_.throw_if_cancelled();
      work_.append(block);
      size = next_size(end - first, block.pairs);
    }
  }

 private:
  // Twice as large as the last at most, as far as the memory goes if elements see as much as those of the last.
  std::uint32_t next_size(std::uint32_t size, std::uint64_t pairs) const {
    const std::uint64_t fitting = pairs == 0 ? most_block_elements : most_pairs_ * size / pairs;
    const std::uint64_t wanted = std::min<std::uint64_t>({fitting, 2 * std::uint64_t{size}, most_block_elements});
    return std::max(rows_per_stretch, static_cast<std::uint32_t>(wanted) / rows_per_stretch * rows_per_stretch);
  }

  HalfRowFinder& finder_;
  WorkFile& work_;
  std::uint64_t most_pairs_;
  SearchCosts costs_;  // of what this run has to do
  Progress& progress_;
};

// Puts the rows begin … end − 1, one stretch, together: what each element found, and who found it, block by block.
void fill_from_blocks(const WorkFile& work, std::uint32_t tile_count, std::uint32_t begin, std::uint32_t end,
                      RowBlock& rows) {
  const std::vector<WorkBlockIndex>& blocks = work.blocks();
  std::vector<std::vector<std::uint8_t>> bytes(blocks.size());
  std::vector<const std::uint8_t*> at(blocks.size());
  const std::size_t stretch = begin / rows_per_stretch;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    work.read(b, blocks[b].backward[stretch], blocks[b].backward[stretch + 1], bytes[b]);
    at[b] = bytes[b].data();
  }
  const auto own =
      std::upper_bound(blocks.begin(), blocks.end(), begin,
                       [](std::uint32_t element, const WorkBlockIndex& block) { return element < block.end; });
  const std::size_t own_stretch = (begin - own->first) / rows_per_stretch;
  std::vector<std::uint8_t> own_bytes;
  work.read(static_cast<std::size_t>(own - blocks.begin()), own->forward[own_stretch], own->forward[own_stretch + 1],
            own_bytes);
  const std::uint8_t* own_at = own_bytes.data();

  RowMaker row(work.element_count());
  const auto add_run = [&row](std::uint32_t first, std::uint32_t count) { row.add_run(first, count); };
  for (std::uint32_t element = begin; element < end; ++element) {
    for (const std::uint8_t*& of_block : at) of_block = for_each_run(of_block, add_run);
    own_at = for_each_run(own_at, add_run);
    rows.add_row(row, tile_count);
  }
}

}  // namespace

void compute_visibility_file(const Occlusion& occlusion, const Tiling& tiling, WorkFile& work,
                             std::uint64_t memory_bytes, Progress& progress) {
  progress.begin_stage("visibility");
  if (work.finished_elements() > 0) {
    progress.warn({"visibility_resumed", "an earlier run has computed " + std::to_string(work.finished_elements()) +
                                             " of " + std::to_string(work.element_count()) +
                                             " tiles and edges; this one goes on from there"});
  }
  if (work.finished_elements() < work.element_count()) {
    HalfRowFinder finder(occlusion, tiling, work.key().options);
    Blocks(finder, work, memory_bytes, progress).compute_all();
  }
  progress.begin_stage("visibility file");
  static_assert(VisibilityHeader{}.rows_per_block == rows_per_stretch);
  write_row_blocks(work.key(), work.target(), progress, [&](std::uint32_t begin, std::uint32_t end, RowBlock& rows) {
    fill_from_blocks(work, work.key().tile_count, begin, end, rows);
  });
  work.remove();
}

void compute_visibility_file(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options,
                             std::uint64_t environment_hash, const FileTarget& target, std::uint64_t memory_bytes,
                             Progress& progress) {
  progress.begin_stage("visibility");
  WorkFile work(target, visibility_to_compute(tiling, options, environment_hash), progress);
  compute_visibility_file(occlusion, tiling, work, memory_bytes, progress);
}

}  // namespace tesseray
