// SPDX-License-Identifier: GPL-3.0-or-later
// An environment that an earlier run wrote, and the visibility that belongs to it.
#pragma once

#include <filesystem>
#include <memory>

#include "core/io/results/environment_file.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/visibility_stage.h"

namespace tesseray {

Parameter environment_parameter();
// POINT: a place in the environment.
Parameter map_point_parameter();
// VISIBILITY as an input; without it the file beside the environment is taken, or made.
Parameter visibility_file_parameter();

Environment read_environment(Run& run);

// VISIBILITY of the run, or the file beside its ENVIRONMENT. An existing one needs --overwrite.
std::filesystem::path visibility_destination(const Run& run);

// The visibility in the file VISIBILITY; without one the file beside ENVIRONMENT, which is made when it is not there
// or does not fit (and kept in memory alone when the folder cannot be written, or something else has the file's name).
std::unique_ptr<Visibility> find_or_compute_visibility(Run& run, const Environment& environment, const Tiling& tiling,
                                                       const Occlusion& occlusion);

}  // namespace tesseray
