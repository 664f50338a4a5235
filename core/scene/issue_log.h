// SPDX-License-Identifier: GPL-3.0-or-later
// Collects issues of one layer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

class IssueLog {
 public:
  // `file`: what errors about the layer name; nothing where none is thrown.
  explicit IssueLog(std::string layer, std::string file = {}) : layer_(std::move(layer)), file_(std::move(file)) {}

  // REQUIRES: the outline in scene coordinates. feature_id −1: the whole layer.
  void add(Issue::Action action, std::string code, std::string message, std::int64_t feature_id = -1,
           Rings outline = {}) {
    issues_.push_back({action, std::move(code), std::move(message), layer_, feature_id, std::move(outline)});
  }
  void append(IssueLog other) {
    for (Issue& issue : other.issues_) issues_.push_back(std::move(issue));
  }
  const std::string& layer() const { return layer_; }
  const std::string& file() const { return file_; }
  std::vector<Issue>& issues() { return issues_; }

 private:
  std::string layer_, file_;
  std::vector<Issue> issues_;
};

}  // namespace tesseray
