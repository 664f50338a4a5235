// SPDX-License-Identifier: GPL-3.0-or-later
// The layers' default styles as QGIS keeps them (QML, QGIS 3.40): written to layer_styles, so that a layer is coloured
// when it is opened, with or without the plugin.
//
// Ramps are viridis (losses and powers) and a red-blue divergence about zero (errors): both are told apart with every
// kind of colour blindness, and viridis in grey print as well. Breaks are round and the same for every run, so that
// maps of different runs can be laid side by side.
#pragma once

#include <string>

namespace tesseray::styles {

enum class Symbol { fill, line, marker };

std::string buildings();
std::string vegetation();
std::string tiles();
std::string edges();
std::string issues();
std::string transmitters();
std::string path_loss(Symbol symbol);
std::string prediction_error();
std::string rays();

}  // namespace tesseray::styles
