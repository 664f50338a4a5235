// SPDX-License-Identifier: GPL-3.0-or-later
// What was found in the inputs, told while the run goes on.
#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace tesseray {

// One warning per kind of issue and layer, not one per feature.
void warn_of_issues(const std::vector<Issue>& issues, Progress& progress);

}  // namespace tesseray
