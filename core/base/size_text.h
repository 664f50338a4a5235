// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tesseray {

// Of memory, a file or a disk: "0.5 KiB", "3.0 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace tesseray
