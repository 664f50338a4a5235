// SPDX-License-Identifier: GPL-3.0-or-later
// Measured levels in the units that people write them in.
#pragma once

#include "core/comparison/comparison.h"
#include "core/io/sources/attribute.h"

namespace tesseray {

// The attribute's level: received powers in dBm, field strengths in dBµV/m, losses in dB. The unit is that of a text
// ("1 mW", "0.2 V/m"), or else the one that ends the attribute's name ("rx_dbw", "E [V/m]"). A power or field strength
// of 0 or less that is no level is unreadable. REQUIRES: `kind` is no time.
NumberCell read_level(const Attribute& attribute, const OGRFeature& feature, ValueKind kind);

}  // namespace tesseray
