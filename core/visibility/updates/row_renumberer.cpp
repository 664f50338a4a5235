// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/updates/row_renumberer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/little_endian.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {

// The runs of a coded row that nobody vouches for, one after the other, or many at once.
class RowRenumberer::OldRuns {
 public:
  // Where a run's code begins: its token, the first rest of what did not fit into it, and the number that its gap
  // counts from.
  struct Place {
    const std::uint8_t* token = nullptr;
    std::size_t rest = 0;
    std::uint32_t next = 0;
  };

  // Of numbers below `limit`. `rests` is scratch memory.
  OldRuns(std::span<const std::uint8_t> bytes, std::uint32_t limit, std::vector<Rest>& rests)
      : place_{bytes.data(), 0, 0}, rests_(rests), limit_(limit) {
    const std::uint8_t* const end_of_bytes = bytes.data() + bytes.size();
    std::uint64_t runs = 0;
    is_right_ = read_varint(place_.token, end_of_bytes, runs) &&
                2 * runs <= static_cast<std::uint64_t>(end_of_bytes - place_.token);
    count_bytes_ = static_cast<std::size_t>(place_.token - bytes.data());
    tokens_end_ = is_right_ ? place_.token + 2 * runs : place_.token;
    is_right_ = is_right_ && read_rests(end_of_bytes);
  }

  // False once something was wrong.
  bool is_right() const { return is_right_; }
  // Of the number of runs.
  std::size_t count_bytes() const { return count_bytes_; }
  bool at_end() const { return place_.token == tokens_end_; }
  bool is_read_up() const { return is_right_ && at_end() && place_.rest + 1 == rests_.size(); }
  Place place() const { return place_; }
  const std::uint8_t* rest_at(const Place& place) const { return rests_[place.rest].at; }

  // The run that was read last, from first() to end() − 1, and where it began.
  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return end_; }
  Place place_of_last() const { return last_; }

  // REQUIRES: not at_end.
  bool read() {
    last_ = place_;
    const Run run = run_at(last_);
    first_ = run.first;
    end_ = run.end;
    place_ = run.after;
    return is_right_;
  }

  // Reads all runs that end at `end` or before; returns how many. Of them only the last is looked at closely.
  std::uint32_t pass(std::uint32_t end) {
    // Whoever halves needs each number of runs once.
    Place at = place_;
    while (pass_group<8>(at, end)) {
    }
    pass_group<4>(at, end);
    pass_group<2>(at, end);
    pass_group<1>(at, end);
    while (pass_one(at, end)) {
    }
    const auto runs = static_cast<std::uint32_t>((at.token - place_.token) / 2);
    if (runs > 0 && is_right_) {
      place_ = before(at);
      read();
    }
    return runs;
  }

 private:
  // So many tokens are added up side by side.
  static constexpr int vector_tokens = 8;
  using Tokens [[gnu::vector_size(2 * vector_tokens)]] = std::uint16_t;

  struct Run {
    std::uint32_t first = 0, end = 0;
    Place after;
  };

  // REQUIRES: there is one.
  Run run_at(const Place& at) {
    const std::uint32_t token = load_little_endian<std::uint16_t>(at.token);
    std::size_t rest = at.rest;
    const std::uint64_t gap = (token >> run_length_bits) + rest_if(token >> run_length_bits == widest_gap, rest);
    const std::uint64_t more = (token & longest_run) + rest_if((token & longest_run) == longest_run, rest);
    const std::uint64_t end = at.next + gap + more + 1;
    is_right_ = is_right_ && end <= limit_;
    const auto run_end = static_cast<std::uint32_t>(end);
    return {static_cast<std::uint32_t>(at.next + gap), run_end, {at.token + 2, rest, run_end + 1}};
  }

  // All rests, which end where the row does.
  bool read_rests(const std::uint8_t* end_of_bytes) {
    const std::uint8_t* at = tokens_end_;
    std::uint64_t sum = 0;
    rests_.assign(1, {at, 0});
    while (at != end_of_bytes) {
      std::uint64_t rest = 0;
      if (!read_varint(at, end_of_bytes, rest)) return false;
      rests_.push_back({at, sum += rest});
    }
    return true;
  }

  // The rest at the place, which moves on, if there should be one, else 0.
  std::uint64_t rest_if(bool is_there, std::size_t& rest) {
    if (!is_there) return 0;
    is_right_ = is_right_ && rest + 1 < rests_.size();
    if (!is_right_) return 0;
    ++rest;
    return rests_[rest].sum - rests_[rest - 1].sum;
  }

  // Goes past some runs at once; false when there are not so many, or they do not all end at `end` or before.
  template <int vectors>
  bool pass_group(Place& at, std::uint32_t end) const {
    constexpr int runs = vectors * vector_tokens;
    static_assert(vectors * (widest_gap + longest_run) < 1u << 16);
    if (tokens_end_ - at.token < 2 * runs) return false;
    Tokens sums = {}, rests = {};
    for (int k = 0; k < vectors; ++k) {
      const Tokens tokens = load_tokens(at.token + 2 * vector_tokens * k);
      const Tokens gaps = tokens >> run_length_bits, more = tokens & longest_run;
      sums += gaps + more;
      rests -= reinterpret_cast<Tokens>(gaps == widest_gap) + reinterpret_cast<Tokens>(more == longest_run);
    }
    const std::size_t rest = at.rest + sum(rests);
    if (rest >= rests_.size()) return false;
    const std::uint64_t next = at.next + sum(sums) + 2 * runs + rests_[rest].sum - rests_[at.rest].sum;
    if (next > std::uint64_t{end} + 1) return false;
    at = {at.token + 2 * runs, rest, static_cast<std::uint32_t>(next)};
    return true;
  }

  static Tokens load_tokens(const std::uint8_t* bytes) {
    Tokens tokens;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&tokens, bytes, sizeof tokens);
    } else {
      for (int k = 0; k < vector_tokens; ++k) tokens[k] = load_little_endian<std::uint16_t>(bytes + 2 * k);
    }
    return tokens;
  }

  static std::uint64_t sum(Tokens numbers) {
    constexpr std::uint64_t every_other = 0x0000'ffff'0000'ffff;
    const auto pairs = [](std::uint64_t four) { return (four & every_other) + (four >> 16 & every_other); };
    std::uint64_t halves[2];
    std::memcpy(halves, &numbers, sizeof halves);
    const std::uint64_t sums = pairs(halves[0]) + pairs(halves[1]);
    return (sums & 0xffff'ffff) + (sums >> 32);
  }

  // Goes past one run; false when there is none, or it does not end at `end` or before.
  bool pass_one(Place& at, std::uint32_t end) {
    if (at.token == tokens_end_) return false;
    const Run run = run_at(at);
    if (!is_right_ || run.end > end) return false;
    at = run.after;
    return true;
  }

  // Where the run before begins. REQUIRES: it was passed.
  Place before(const Place& at) const {
    const std::uint32_t token = load_little_endian<std::uint16_t>(at.token - 2);
    const std::uint32_t gap = token >> run_length_bits, more = token & longest_run;
    const std::size_t rest = at.rest - (gap == widest_gap ? 1 : 0) - (more == longest_run ? 1 : 0);
    const auto rests = static_cast<std::uint32_t>(rests_[at.rest].sum - rests_[rest].sum);
    return {at.token - 2, rest, at.next - (gap + more + 2 + rests)};
  }

  Place place_, last_;
  std::vector<Rest>& rests_;  // the sum of those before each, and of all
  const std::uint8_t* tokens_end_ = nullptr;
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
  rests_.insert(rests_.end(), old.rest_at(kept), old.rest_at(last));
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

  OldRuns old(bytes, stretches_.empty() ? 0 : stretches_.back().end, old_rests_);
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
