// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs made of valid ones by what goes wrong in files: bits that flip, numbers that are extreme, parts that are
// missing or there twice, ends that come too early. The same ones in every run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/synthetic_city.h"

namespace tesseray::testing {

// How many inputs a test makes: `usual`, times TESSERAY_FUZZ_ROUNDS where that is set.
int fuzz_rounds(int usual);

class Mutations {
 public:
  explicit Mutations(std::uint64_t seed) : random_(seed) {}

  // One to four changes of bytes, whatever they mean.
  std::vector<std::uint8_t> of_bytes(std::span<const std::uint8_t> valid);
  // The same of a text, of which numbers, separators and lines are changed, too.
  std::string of_text(std::string_view valid);

 private:
  void change_bytes(std::vector<std::uint8_t>& bytes);
  void change_text(std::string& text);

  Random random_;
};

}  // namespace tesseray::testing
