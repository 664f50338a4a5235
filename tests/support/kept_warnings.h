// SPDX-License-Identifier: GPL-3.0-or-later
// What a run warned about.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/progress.h"

namespace tesseray::testing {

class KeptWarnings : public Progress {
 public:
  void warn(const Warning& warning) override { all.push_back(warning); }

  std::vector<std::string> codes() const { return of_all(&Warning::code); }
  std::vector<std::string> messages() const { return of_all(&Warning::message); }
  long count(const std::string& code) const { return std::ranges::count(all, code, &Warning::code); }

  std::vector<Warning> all;

 private:
  std::vector<std::string> of_all(std::string Warning::*text) const {
    std::vector<std::string> texts;
    for (const Warning& warning : all) texts.push_back(warning.*text);
    return texts;
  }
};

}  // namespace tesseray::testing
