// SPDX-License-Identifier: GPL-3.0-or-later
// What writer and reader of the environment file agree on.
#pragma once

namespace tesseray {

inline constexpr int environment_format_version = 1;
inline constexpr char environment_table[] = "tesseray_environment";

}  // namespace tesseray
