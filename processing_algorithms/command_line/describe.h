// SPDX-License-Identifier: GPL-3.0-or-later
// The tools' declarations for other programs (JSON), for the reference page (Markdown) and for people (text).
#pragma once

#include <span>
#include <string>

#include "processing_algorithms/run/tool.h"

namespace tesseray {

// Grows when a field changes its meaning or goes; new fields do not change it.
inline constexpr int describe_schema_version = 1;

std::string describe_as_json(std::span<const Tool> tools);
std::string describe_as_markdown(std::span<const Tool> tools);
std::string describe_as_text(const Tool& tool);
// One line per tool.
std::string list_as_text(std::span<const Tool> tools);
std::string list_as_json(std::span<const Tool> tools);

}  // namespace tesseray
