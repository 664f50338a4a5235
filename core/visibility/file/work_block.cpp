// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/file/work_block.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "core/visibility/rows/row_maker.h"
#include "core/visibility/rows/turned_halves.h"

namespace tesseray {

namespace {

constexpr std::uint32_t part_elements = 16 * rows_per_stretch;

struct CodedPart {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;  // of its stretches, from its begin
};

// By whom in the block the elements of a part were found.
CodedPart coded(const TurnedPart& part, std::uint32_t element_count) {
  RowMaker row(element_count);
  CodedPart result;
  for (std::uint32_t element = part.begin(); element < part.end(); ++element) {
    for (const SourceWord& sources : part.sources_of(element)) row.add_word(sources.word, sources.marks);
    row.append_to(result.bytes);
    if ((element + 1) % rows_per_stretch == 0 || element + 1 == part.end()) result.ends.push_back(result.bytes.size());
  }
  return result;
}

}  // namespace

WorkBlock make_work_block(std::uint32_t first, std::uint32_t end, std::uint32_t element_count,
                          const std::vector<HalfRows>& halves, const Progress& progress) {
  WorkBlock block;
  block.index = {first, end, {0}, {}};
  std::uint32_t rows = 0;
  for (const HalfRows& half : halves) {
    block.bytes.insert(block.bytes.end(), half.bytes().begin(), half.bytes().end());
    rows += half.rows();
    block.pairs += half.pairs();
    if (rows % rows_per_stretch == 0 || rows == end - first) block.index.forward.push_back(block.bytes.size());
  }

  const TurnedHalves turned(halves, first, 0, element_count, part_elements, progress);
  std::vector<CodedPart> parts(turned.parts());
  tbb::enumerable_thread_specific<TurnedPart> parts_of_threads;
  tbb::parallel_for(std::uint32_t{0}, turned.parts(), [&](std::uint32_t part) {
    progress.throw_if_cancelled();
    turned.read_part(part, parts_of_threads.local());
    parts[part] = coded(parts_of_threads.local(), element_count);
  });
  block.index.backward.push_back(block.bytes.size());
  for (const CodedPart& part : parts) {
    const std::uint64_t offset = block.bytes.size();
    for (const std::uint64_t stretch_end : part.ends) block.index.backward.push_back(offset + stretch_end);
    block.bytes.insert(block.bytes.end(), part.bytes.begin(), part.bytes.end());
  }
  return block;
}

}  // namespace tesseray
