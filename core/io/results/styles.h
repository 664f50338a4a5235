// SPDX-License-Identifier: GPL-3.0-or-later
// The styles of the layers, the first of each being its default: written to layer_styles, so that a layer is coloured
// when it is opened, with or without the plugin.
//
// Ramps are viridis (losses and powers) and a red-blue divergence about zero (errors): both are told apart with every
// kind of colour blindness, and viridis in grey print as well. Breaks are round and the same for every run, so that
// maps of different runs can be laid side by side.
#pragma once

#include <string>
#include <vector>

#include "core/io/results/qml.h"

namespace tesseray::styles {

using Styles = std::vector<qml::Style>;

Styles buildings();
Styles vegetation();
Styles tiles();
Styles edges();
Styles issues();
Styles transmitters();
// How the targets of a layer of path loss lie over each other: tiles of several kinds, and each of them once for each
// transmitter.
struct TargetOverlap {
  bool of_transmitters = false, of_kinds = false;
};
// Of several transmitters the one that is received best is seen, and walls lie over ground and roofs.
Styles path_loss(qml::Symbol symbol, const TargetOverlap& overlap);
Styles path_loss_table();
Styles prediction_error();
Styles arrival_time_error();
Styles error_statistics();
Styles fingerprints();
Styles located();
Styles rays();
Styles power_delay_profile();
Styles explained_rays();
Styles antenna_pattern();
// With a colour for each of the transmitters, in their order.
Styles best_server(qml::Symbol symbol, const std::vector<std::string>& transmitters);

// By the share of ground that is covered at each threshold ("-85 dBm"), the median power, and the best server.
struct CoveredShare {
  std::string field, threshold;
};
Styles district_coverage(const std::vector<CoveredShare>& shares, const std::vector<std::string>& transmitters);
Styles district_transmitters();

}  // namespace tesseray::styles
