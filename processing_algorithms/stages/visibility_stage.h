// SPDX-License-Identifier: GPL-3.0-or-later
// Who sees whom: computed, taken from a file, or kept in one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/staged_file.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// MAX_DISTANCE, PREVIOUS_ENVIRONMENT and PREVIOUS_VISIBILITY.
std::vector<Parameter> visibility_parameters();
Parameter max_distance_parameter();

VisibilityOptions visibility_options(const ParameterValues& values);

// About how many entries all rows have together, from the visibility of pairs spread over the environment.
std::uint64_t estimated_visibility_entries(const Occlusion& occlusion, const Tiling& tiling,
                                           const VisibilityOptions& options);

// What a visibility file is bound to.
struct VisibilityKey {
  std::uint64_t environment_hash = 0;
  VisibilityOptions options;
};

// The relation of a scene: what is in `keep_in` already when it is that; what PREVIOUS_VISIBILITY tells, as it is or
// brought up to date, when it can be used; computed otherwise. Writes it to `keep_in` when given.
std::unique_ptr<Visibility> compute_visibility(Run& run, const Scene& scene, const Occlusion& occlusion,
                                               const Tiling& tiling, const VisibilityKey& key,
                                               const std::optional<std::filesystem::path>& keep_in);

// The same without a previous one. Refuses what would not fit the memory.
std::unique_ptr<Visibility> compute_visibility_anew(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                                    const VisibilityKey& key, const std::optional<FileTarget>& keep_in);

// The file beside an environment in which its visibility is kept: NAME.tvis.
std::filesystem::path visibility_file_beside(const std::filesystem::path& environment);

// The number of tiles that each tile sees.
std::vector<std::uint32_t> visible_tile_counts(const Visibility& visibility);

void add_visibility_figures(const Visibility& visibility, nlohmann::ordered_json& figures);

}  // namespace tesseray
