// SPDX-License-Identifier: GPL-3.0-or-later
// Names of transmitters as they are written a second time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/progress.h"

namespace tesseray {

// Names that are known, and what other tables call the same: "MARKET" for "Market", "Müller" with the mark as a
// character of its own, as macOS writes it. Example:
//   NameSpellings spellings(names_of(transmitters));
//   for (Measurement& measurement : measurements) measurement.transmitter = spellings.known(measurement.transmitter);
//   spellings.tell("measurements", progress);
class NameSpellings {
 public:
  explicit NameSpellings(const std::vector<std::string>& names);

  // `name` itself where it is known, or else the known one that alone differs by no more than the case of letters and
  // how they are composed; `name` where there is none, or where there are several. White space around it does not
  // count.
  std::string known(const std::string& name);
  // Warns of what was taken for another one. `what`: of where the names are, "measurements".
  void tell(const std::string& what, Progress& progress) const;

 private:
  std::set<std::string, std::less<>> names_;
  std::multimap<std::string, std::string> by_folded_name_;
  std::map<std::string, std::string> taken_;  // for which known ones
  std::size_t times_ = 0;
};

}  // namespace tesseray
