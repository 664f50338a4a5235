// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/receiver_reach.h"

#include <tbb/enumerable_thread_specific.h>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_members = std::uint64_t{1} << 26;  // 256 MiB

// Ascending.
std::vector<std::uint32_t> seeing_a_receiver(const ReceiverRows& receiver_rows, std::uint32_t element_count) {
  std::vector<std::uint32_t> elements;
  for (std::uint32_t element = 0; element < element_count; ++element) {
    if (!receiver_rows.seen_from(element).empty()) elements.push_back(element);
  }
  return elements;
}

}  // namespace

ReceiverReach::ReceiverReach(const Visibility& visibility, const ReceiverRows& receiver_rows, Progress& progress)
    : least_(visibility.element_count(), 3) {
  const std::vector<std::uint32_t> seeing = seeing_a_receiver(receiver_rows, visibility.element_count());
  std::uint64_t members = 0;
  for (const std::uint32_t element : seeing) members += visibility.row_length(element);
  std::vector<std::vector<std::uint32_t>> rows(members <= most_members ? seeing.size() : 0);

  struct Found {
    std::vector<std::uint8_t> seen;
    std::vector<std::uint32_t> row;
  };
  tbb::enumerable_thread_specific<Found> threads([&] { return Found{std::vector<std::uint8_t>(least_.size()), {}}; });
  parallel_blocks(seeing.size(), 16, progress, [&](std::size_t begin, std::size_t end) {
    Found& found = threads.local();
    for (std::size_t i = begin; i < end; ++i) {
      visibility.read_row(seeing[i], found.row);
      for (const std::uint32_t element : found.row) found.seen[element] = 1;
      if (!rows.empty()) rows[i] = found.row;
    }
  });
  for (const Found& found : threads) {
    for (std::size_t e = 0; e < least_.size(); ++e) {
      if (found.seen[e] != 0) least_[e] = 2;
    }
  }
  for (const std::uint32_t element : seeing) least_[element] = 1;
  if (members <= most_members) keep_next_to_receivers(seeing, std::move(rows));
}

void ReceiverReach::keep_next_to_receivers(const std::vector<std::uint32_t>& seeing,
                                           std::vector<std::vector<std::uint32_t>> rows) {
  offsets_.assign(least_.size() + 1, 0);
  for (const std::vector<std::uint32_t>& row : rows) {
    for (const std::uint32_t element : row) ++offsets_[element + 1];
  }
  for (std::size_t e = 1; e < offsets_.size(); ++e) offsets_[e] += offsets_[e - 1];
  members_.resize(offsets_.back());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::uint32_t element : rows[i]) members_[next[element]++] = seeing[i];
  }
}

}  // namespace tesseray
