// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction against drive test.
#pragma once

#include <string>
#include <vector>

#include "core/comparison/comparison.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/site_stage.h"

namespace tesseray {

// DRIVE_TEST and how it is read and compared. `optional`: the tool works without one. `frame`: the parameter that tells
// that coordinates are local metres, so that a drive test has no CRS.
std::vector<Parameter> drive_test_parameters(bool optional, const std::string& frame);
// PREDICTION_ERROR and ERROR_STATISTICS.
std::vector<Parameter> comparison_layer_parameters();

std::vector<Measurement> read_measurements(Run& run, const LocalFrame& frame);

// As measurements name them.
std::vector<PredictedTransmitter> predicted_transmitters(const Sites& sites);

// The fields of path losses that a comparison asks for.
std::vector<std::string> compared_fields(const ParameterValues& values);

// Warns when no measurement could be used, saying why.
Comparison compare_with_drive_test(Run& run, const PredictedTiles& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   std::vector<Measurement> measurements);

void add_comparison_layers(const Run& run, const Comparison& comparison, ResultWriter& writer,
                           std::vector<std::string>& written);

void add_comparison_figures(const Comparison& comparison, nlohmann::ordered_json& figures);

}  // namespace tesseray
