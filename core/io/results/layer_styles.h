// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of layer_styles, in which QGIS keeps styles. Those that others have saved for a layer of ours stay when the
// layer is replaced.
#pragma once

#include <string>
#include <vector>

#include "core/io/results/layer.h"

namespace tesseray {

// SQL that puts the layer's styles in place of those that Tesseray wrote. The first is the default, unless others have
// one. fit: whether styles of the table that was there before can draw the layer; else none of theirs stays the
// default.
std::vector<std::string> statements_for_styles(const Layer& layer, bool fit);

// Whether the layer has columns of all these names.
bool has_columns(const Layer& layer, const std::vector<std::string>& names);

}  // namespace tesseray
