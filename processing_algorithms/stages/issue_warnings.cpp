// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/issue_warnings.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace tesseray {

void warn_of_issues(const std::vector<Issue>& issues, Progress& progress) {
  struct Kind {
    std::size_t count = 0;
    const Issue* first = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Kind> kinds;  // by code and layer
  for (const Issue& issue : issues) {
    Kind& kind = kinds[{issue.code, issue.layer}];
    if (kind.count++ == 0) kind.first = &issue;
  }
  for (const auto& [key, kind] : kinds) {
    std::string message = kind.first->layer.empty() ? "" : kind.first->layer + ": ";
    if (kind.count > 1) message += std::to_string(kind.count) + " times, first ";
    if (kind.first->feature_id >= 0) message += "feature " + std::to_string(kind.first->feature_id) + ": ";
    progress.warn({key.first, message + kind.first->message});
  }
}

}  // namespace tesseray
