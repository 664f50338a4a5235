// SPDX-License-Identifier: GPL-3.0-or-later
// Tubes of one level, gathered by the element at which they bounce next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/propagation/tubes/tube.h"

namespace tesseray {

// Tubes in the parts in which they came: tubes are large, and never copied together.
class TubeParts {
 public:
  void add(std::vector<Tube> part) {
    size_ += part.size();
    if (!part.empty()) parts_.push_back(std::move(part));
  }
  std::size_t size() const { return size_; }
  std::vector<std::vector<Tube>>& parts() { return parts_; }
  const std::vector<std::vector<Tube>>& parts() const { return parts_; }

 private:
  std::vector<std::vector<Tube>> parts_;
  std::size_t size_ = 0;
};

// The tubes at one element, in the order in which they came.
struct TubeGroup {
  std::uint32_t element = 0;
  std::span<const Tube* const> tubes;
};

// Keeps the tubes of its groups, and no others. Ascending by element; the same for any number of threads.
class TubeGroups {
 public:
  // Of the tubes of an element that have bounced before, about `most` stand for all (weighted_sample.h); 0: all.
  TubeGroups(TubeParts tubes, std::size_t most);
  ~TubeGroups();
  TubeGroups(const TubeGroups&) = delete;
  TubeGroups& operator=(const TubeGroups&) = delete;

  std::span<const TubeGroup> list() const { return groups_; }
  // Of all groups, as they are in memory.
  std::size_t tube_count() const { return tubes_.size(); }
  // Gives back the memory of the tubes of all groups before this one, which have none any more.
  void drop_before(std::size_t group);

 private:
  // Of the tubes of all groups, one after the other, those from the one with this number on; order_ follows them.
  void keep_from(std::size_t first);

  TubeParts tubes_;
  std::vector<std::uint32_t> places_;  // in tubes_, as they came; by group
  std::vector<const Tube*> order_;     // by group
  std::vector<TubeGroup> groups_;
};

}  // namespace tesseray
