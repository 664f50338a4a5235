// SPDX-License-Identifier: GPL-3.0-or-later
// All tools, in the order in which they are listed.
#pragma once

#include <string_view>
#include <vector>

#include "processing_algorithms/run/tool.h"

namespace tesseray {

const std::vector<Tool>& all_tools();

// Throws Error(invalid_input) with the nearest known name.
const Tool& find_tool(std::string_view id);

}  // namespace tesseray
