// SPDX-License-Identifier: GPL-3.0-or-later
// Names and texts as SQL spells them.
#pragma once

#include <string>
#include <string_view>

namespace tesseray {

// "name" and 'text'.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

}  // namespace tesseray
