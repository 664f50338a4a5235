// SPDX-License-Identifier: GPL-3.0-or-later
// Where tests find what they read. Compiled into one file alone, so that a compiler cache serves every checkout.
#pragma once

#include <filesystem>

namespace tesseray::testing {

// The root of the checkout that the tests were built from.
std::filesystem::path source_folder();
// The reference data beside it; there may be none.
std::filesystem::path shared_folder();

}  // namespace tesseray::testing
