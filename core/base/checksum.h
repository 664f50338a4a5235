// SPDX-License-Identifier: GPL-3.0-or-later
// XXH64 (the xxHash specification, seed 0): a checksum against damage, not against forgery.
#pragma once

#include <cstdint>
#include <span>

namespace tesseray {

std::uint64_t xxh64(std::span<const std::uint8_t> bytes);

}  // namespace tesseray
