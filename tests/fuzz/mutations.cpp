// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

namespace tesseray::testing {
namespace {

constexpr std::array<std::uint64_t, 10> extremes{
    0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};

constexpr std::array<std::string_view, 16> odd_words{"",     "-",   "nan",     "inf",   "1e999", "-1e-999",
                                                     "0x10", "1,5", "1.5",     "1.2.3", "-0.0",  "99999",
                                                     "\xff", "\"",  "1 2 3 4", "dBi"};

// A part of `size` things: where it begins, and how many it has, at most 40.
struct Part {
  std::size_t begin, length;
};

Part part_of(std::size_t size, Random& random) {
  const std::size_t begin = random.below(static_cast<std::uint32_t>(size));
  return {begin, 1 + random.below(static_cast<std::uint32_t>(std::min<std::size_t>(size - begin, 40)))};
}

template <class Bytes>
void remove_or_repeat(Bytes& bytes, bool remove, Random& random) {
  const Part part = part_of(bytes.size(), random);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(part.begin);
  const auto end = begin + static_cast<std::ptrdiff_t>(part.length);
  if (remove) {
    bytes.erase(begin, end);
    return;
  }
  const Bytes copy(begin, end);
  bytes.insert(end, copy.begin(), copy.end());
}

}  // namespace

int fuzz_rounds(int usual) {
  const char* const rounds = std::getenv("TESSERAY_FUZZ_ROUNDS");
  return rounds == nullptr ? usual : usual * std::max(std::atoi(rounds), 1);
}

void Mutations::change_bytes(std::vector<std::uint8_t>& bytes) {
  const std::size_t at = random_.below(static_cast<std::uint32_t>(bytes.size()));
  switch (random_.below(5)) {
    case 0:
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << random_.below(8)));
      break;
    case 1: {  // a number of 1, 2, 4 or 8 bytes
      const std::uint64_t number = extremes[random_.below(extremes.size())];
      const std::size_t width = std::size_t{1} << random_.below(4);
      for (std::size_t i = 0; i < std::min(width, bytes.size() - at); ++i) {
        bytes[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
      }
      break;
    }
    case 2:
      bytes.resize(at);
      break;
    default:
      remove_or_repeat(bytes, random_.below(2) == 0, random_);
  }
}

std::vector<std::uint8_t> Mutations::of_bytes(std::span<const std::uint8_t> valid) {
  std::vector<std::uint8_t> bytes(valid.begin(), valid.end());
  for (std::uint32_t changes = 1 + random_.below(4); changes > 0 && !bytes.empty(); --changes) change_bytes(bytes);
  return bytes;
}

void Mutations::change_text(std::string& text) {
  const std::size_t at = random_.below(static_cast<std::uint32_t>(text.size()));
  switch (random_.below(4)) {
    case 0: {  // a word
      constexpr std::string_view separators = " \t\r\n,:";
      const std::size_t begin = text.find_first_not_of(separators, at);
      if (begin == std::string::npos) return;
      const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
      text.replace(begin, end - begin, odd_words[random_.below(odd_words.size())]);
      break;
    }
    case 1: {  // a line, which goes or comes again at its place
      const std::size_t begin = text.rfind('\n', at) + 1, end = std::min(text.find('\n', at), text.size() - 1) + 1;
      if (begin >= end) return;
      const std::string line = text.substr(begin, end - begin);
      random_.below(2) == 0 ? text.erase(begin, end - begin) : text.insert(begin, line);
      break;
    }
    case 2:
      text[at] = static_cast<char>(random_.below(256));
      break;
    default:
      remove_or_repeat(text, random_.below(2) == 0, random_);
  }
}

std::string Mutations::of_text(std::string_view valid) {
  std::string text(valid);
  for (std::uint32_t changes = 1 + random_.below(4); changes > 0 && !text.empty(); --changes) change_text(text);
  return text;
}

}  // namespace tesseray::testing
