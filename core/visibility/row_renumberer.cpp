// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/row_renumberer.h"

#include <algorithm>

#include "core/base/little_endian.h"
#include "core/visibility/row_codec.h"

namespace tesseray {

// The runs of a coded row that nobody vouches for, one after the other, or many at once.
class RowRenumberer::OldRuns {
 public:
  // Where a run's code begins: its token, what did not fit into it, and the number that its gap counts from.
  struct Place {
    const std::uint8_t* token = nullptr;
    const std::uint8_t* rest = nullptr;
    std::uint32_t next = 0;
  };

  // Of numbers below `limit`.
  OldRuns(std::span<const std::uint8_t> bytes, std::uint32_t limit)
      : place_{bytes.data(), nullptr, 0}, end_of_bytes_(bytes.data() + bytes.size()), limit_(limit) {
    std::uint64_t runs = 0;
    is_right_ = read_varint(place_.token, end_of_bytes_, runs) &&
                2 * runs <= static_cast<std::uint64_t>(end_of_bytes_ - place_.token);
    count_bytes_ = static_cast<std::size_t>(place_.token - bytes.data());
    tokens_end_ = is_right_ ? place_.token + 2 * runs : place_.token;
    place_.rest = tokens_end_;
  }

  // False once something was wrong.
  bool is_right() const { return is_right_; }
  // Of the number of runs.
  std::size_t count_bytes() const { return count_bytes_; }
  bool at_end() const { return place_.token == tokens_end_; }
  bool is_read_up() const { return is_right_ && at_end() && place_.rest == end_of_bytes_; }
  Place place() const { return place_; }

  // The run that was read last, from first() to end() − 1, and where it began.
  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return end_; }
  Place place_of_last() const { return last_; }

  // REQUIRES: not at_end.
  bool read() {
    last_ = place_;
    const std::uint32_t token = load_little_endian<std::uint16_t>(place_.token);
    std::uint64_t gap = token >> run_length_bits, more = token & longest_run, extra = 0;
    if (gap == widest_gap) {
      is_right_ = is_right_ && read_varint(place_.rest, end_of_bytes_, extra);
      gap += extra;
    }
    if (more == longest_run) {
      is_right_ = is_right_ && read_varint(place_.rest, end_of_bytes_, extra);
      more += extra;
    }
    const std::uint64_t run_end = place_.next + gap + more + 1;
    is_right_ = is_right_ && run_end <= limit_;
    first_ = static_cast<std::uint32_t>(place_.next + gap);
    end_ = static_cast<std::uint32_t>(run_end);
    place_.next = end_ + 1;
    place_.token += 2;
    return is_right_;
  }

  // Reads all runs that end at `end` or before; returns how many. Of them only the last is looked at closely.
  std::uint32_t pass(std::uint32_t end) {
    const std::uint8_t* const begin = place_.token;
    Place group = place_;
    for (Place next = place_; pass_group(end); next = place_) group = next;
    const std::uint8_t* const group_end = place_.token;
    while (is_right_ && !at_end() && pass_one(end)) {
    }
    const auto runs = static_cast<std::uint32_t>((place_.token - begin) / 2);
    if (runs == 0 || !is_right_) return runs;
    if (place_.token == group_end) {
      for (place_ = group; is_right_ && place_.token != group_end;) read();
    } else {
      place_ = last_;
      read();
    }
    return runs;
  }

 private:
  static constexpr int group_runs = 16;
  // Four tokens are added up side by side in a 64-bit word.
  static constexpr std::uint64_t every_token = 0x0001'0001'0001'0001, every_other_token = 0x0000'ffff'0000'ffff;

  // Some runs at once; false when there are not so many, or they do not all end at `end` or before.
  bool pass_group(std::uint32_t end) {
    static_assert(group_runs / 4 * (widest_gap + longest_run) < 1u << 16);
    if (tokens_end_ - place_.token < 2 * group_runs) return false;
    std::uint64_t sums = 0, full = 0;
    for (int k = 0; k < group_runs / 4; ++k) {
      const std::uint64_t tokens = load_u64(place_.token + 8 * k);
      const std::uint64_t gaps = tokens >> run_length_bits & every_token * widest_gap;
      const std::uint64_t lengths = tokens & every_token * longest_run;
      sums += gaps + lengths;
      // One more than the greatest carries into the next bit, one for gaps and one for lengths.
      const std::uint64_t has_rest = ((gaps + every_token) & every_token * (widest_gap + 1)) |
                                     ((lengths + every_token) & every_token * (longest_run + 1));
      full |= has_rest >> k;
    }
    sums = (sums & every_other_token) + (sums >> 16 & every_other_token);
    std::uint64_t next = place_.next + (sums & 0xffff'ffff) + (sums >> 32) + 2 * group_runs;
    const std::uint8_t* rest = place_.rest;
    for (; full != 0; full &= full - 1) {
      std::uint64_t more = 0;
      if (!read_varint(rest, end_of_bytes_, more)) return false;
      next += more;
    }
    if (next > std::uint64_t{end} + 1) return false;
    place_ = {place_.token + 2 * group_runs, rest, static_cast<std::uint32_t>(next)};
    return true;
  }

  // The next run; false when it does not end at `end` or before.
  bool pass_one(std::uint32_t end) {
    const Place before = place_, last_before = last_;
    if (!read() || end_ <= end) return true;
    place_ = before;
    last_ = last_before;
    return false;
  }

  Place place_, last_;
  const std::uint8_t* tokens_end_ = nullptr;
  const std::uint8_t* end_of_bytes_ = nullptr;
  std::uint32_t limit_ = 0, first_ = 0, end_ = 0;
  std::size_t count_bytes_ = 0;
  bool is_right_ = true;
};

RowRenumberer::RowRenumberer(const Renumbering& numbers)
    : old_tiles_(numbers.old_tiles), new_tiles_(numbers.new_tiles) {
  for (std::uint32_t old = 0; old < numbers.new_of_old.size(); ++old) {
    const bool is_gone = numbers.new_of_old[old] == no_index;
    const std::uint32_t shift = is_gone ? 0 : numbers.new_of_old[old] - old;
    if (!stretches_.empty() && stretches_.back().is_gone == is_gone && stretches_.back().shift == shift) {
      stretches_.back().end = old + 1;
    } else {
      stretches_.push_back({old, old + 1, shift, is_gone});
    }
  }
}

void RowRenumberer::flush(std::vector<std::uint8_t>& out) {
  if (pending_count_ == 0) return;
  const std::uint32_t gap = pending_first_ - next_, more = pending_count_ - 1;
  const std::uint32_t token = std::min(gap, widest_gap) << run_length_bits | std::min(more, longest_run);
  out.push_back(static_cast<std::uint8_t>(token));
  out.push_back(static_cast<std::uint8_t>(token >> 8));
  if (gap >= widest_gap) append_varint(gap - widest_gap, rests_);
  if (more >= longest_run) append_varint(more - longest_run, rests_);
  next_ = pending_first_ + pending_count_ + 1;
  pending_count_ = 0;
  ++runs_;
}

void RowRenumberer::put(std::uint32_t first, std::uint32_t count, std::vector<std::uint8_t>& out) {
  if (count == 0) return;
  // What stood between two runs may be gone, so that they become one.
  if (pending_count_ > 0 && pending_first_ + pending_count_ == first) {
    pending_count_ += count;
    return;
  }
  flush(out);
  pending_first_ = first;
  pending_count_ = count;
}

// What is seen now and was not, up to the number.
void RowRenumberer::put_seen_below(std::uint32_t number, std::vector<std::uint8_t>& out) {
  for (; !changes_.empty() && changes_[0].other < number; changes_ = changes_.subspan(1)) {
    if (!changes_[0].is_seen) continue;
    put(changes_[0].other, 1, out);
    ++(changes_[0].other < new_tiles_ ? more_tiles_ : more_edges_);
  }
}

// New numbers of the row as it was, from `first` to `end` − 1.
void RowRenumberer::put_unless_lost(std::uint32_t first, std::uint32_t end, std::vector<std::uint8_t>& out) {
  put_seen_below(first, out);
  for (; !changes_.empty() && changes_[0].other < end; changes_ = changes_.subspan(1)) {
    const std::uint32_t lost = changes_[0].other;
    put(first, lost - first, out);
    --(lost < new_tiles_ ? more_tiles_ : more_edges_);
    first = lost + 1;
  }
  put(first, end - first, out);
}

// Up to which old number of the stretch, at most, nothing is to be changed from here on.
std::uint32_t RowRenumberer::unchanged_end(const Stretch& stretch) const {
  if (changes_.empty()) return stretch.end;
  const std::uint32_t new_end = stretch.end + stretch.shift;
  return changes_[0].other < new_end ? changes_[0].other - stretch.shift : stretch.end;
}

void RowRenumberer::count_gone(std::uint32_t first, std::uint32_t end) {
  const std::uint32_t tiles = std::min(end, old_tiles_) - std::min(first, old_tiles_);
  more_tiles_ -= tiles;
  more_edges_ -= end - first - tiles;
}

bool RowRenumberer::put_runs(OldRuns& old, std::vector<std::uint8_t>& out) {
  auto stretch = stretches_.begin();
  while (!old.at_end()) {
    if (!old.read()) return false;
    while (stretch->end <= old.first()) ++stretch;
    for (;; ++stretch) {
      const std::uint32_t from = std::max(old.first(), stretch->first), to = std::min(old.end(), stretch->end);
      if (stretch->is_gone) {
        count_gone(from, to);
      } else {
        put_unless_lost(from + stretch->shift, to + stretch->shift, out);
      }
      if (stretch->end >= old.end()) break;
    }
    const bool keeps_end = pending_count_ > 0 && pending_first_ + pending_count_ == old.end() + stretch->shift;
    if (!stretch->is_gone && keeps_end && !keep_runs(old, *stretch, out)) return false;
  }
  return old.is_read_up();
}

bool RowRenumberer::keep_runs(OldRuns& old, const Stretch& stretch, std::vector<std::uint8_t>& out) {
  const OldRuns::Place kept = old.place();
  const std::uint32_t runs = old.pass(unchanged_end(stretch));
  if (!old.is_right()) return false;
  if (runs == 0) return true;
  flush(out);
  const OldRuns::Place last = old.place_of_last();
  out.insert(out.end(), kept.token, last.token);
  rests_.insert(rests_.end(), kept.rest, last.rest);
  runs_ += runs - 1;
  if (runs > 1) next_ = last.next + stretch.shift;
  put(old.first() + stretch.shift, old.end() - old.first(), out);
  return true;
}

bool RowRenumberer::append(std::span<const std::uint8_t> bytes, std::span<const SightChange> changes,
                           std::vector<std::uint8_t>& out) {
  more_tiles_ = more_edges_ = 0;
  changes_ = changes;
  if (changes.empty() && stretches_.size() == 1 && !stretches_[0].is_gone && stretches_[0].shift == 0) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    return true;
  }
  rests_.clear();
  count_.clear();
  runs_ = next_ = pending_count_ = 0;

  OldRuns old(bytes, stretches_.empty() ? 0 : stretches_.back().end);
  if (!old.is_right()) return false;
  // The number of runs comes first. It hardly changes, so that there is room for it as it was, put right at the end.
  const auto row_begin = static_cast<std::ptrdiff_t>(out.size());
  out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(old.count_bytes()));

  if (!put_runs(old, out)) return false;
  put_seen_below(no_index, out);
  flush(out);
  append_varint(runs_, count_);
  if (count_.size() != old.count_bytes()) {
    out.erase(out.begin() + row_begin, out.begin() + row_begin + static_cast<std::ptrdiff_t>(old.count_bytes()));
    out.insert(out.begin() + row_begin, count_.begin(), count_.end());
  }
  std::copy(count_.begin(), count_.end(), out.begin() + row_begin);
  out.insert(out.end(), rests_.begin(), rests_.end());
  return true;
}

}  // namespace tesseray
