// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/visibility_stage.h"

#include <cmath>

#include "core/io/environment_file.h"
#include "cuda/backend.h"
#include "processing_algorithms/spelling.h"

namespace tesseray {
namespace {

// The relation of PREVIOUS_VISIBILITY if it is this one. A file that does not belong to PREVIOUS_ENVIRONMENT, or is
// damaged, is an error; one of another environment or distance is a warning.
std::unique_ptr<Visibility> previous_visibility(Run& run, const VisibilityKey& key) {
  const ParameterValues& values = run.values();
  if (!values.has("PREVIOUS_VISIBILITY")) return nullptr;
  const std::string& file = values.text("PREVIOUS_VISIBILITY");
  const VisibilityFileInfo info = read_visibility_info(file);
  if (values.has("PREVIOUS_ENVIRONMENT")) {
    const Environment previous = read_environment(values.text("PREVIOUS_ENVIRONMENT"), run.progress());
    if (environment_hash(previous.scene, previous.tiling_options) != info.environment_hash) {
      throw Error(ErrorKind::invalid_input, "stale_visibility",
                  "PREVIOUS_VISIBILITY does not belong to PREVIOUS_ENVIRONMENT", "give the two that belong together",
                  {.file = file});
    }
  }
  const bool same =
      info.environment_hash == key.environment_hash && info.options.max_distance_m == key.options.max_distance_m;
  if (same) return open_visibility(file, key.environment_hash);
  run.progress().warn({"previous_visibility_not_used",
                       "PREVIOUS_VISIBILITY is of another environment or MAX_DISTANCE; everything is computed"});
  return nullptr;
}

void keep(Run& run, const Visibility& visibility, const VisibilityKey& key, const std::filesystem::path& file) {
  write_visibility(visibility, key.options, key.environment_hash, file, run.progress());
}

}  // namespace

std::vector<Parameter> visibility_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "MAX_DISTANCE",
       .label = "Greatest distance",
       .help = "tiles farther apart count as not seeing each other; no limit if not given",
       .kind = Kind::distance,
       .unit = "m",
       .minimum = 1,
       .maximum = 1e6,
       .optional = true,
       .advanced = true},
      {.name = "PREVIOUS_ENVIRONMENT",
       .label = "Earlier environment",
       .help = "the environment that PREVIOUS_VISIBILITY was computed for",
       .kind = Kind::file,
       .optional = true,
       .advanced = true,
       .extension = "gpkg"},
      {.name = "PREVIOUS_VISIBILITY",
       .label = "Earlier visibility",
       .help = "a visibility file computed before; taken over when nothing that it depends on has changed",
       .kind = Kind::file,
       .optional = true,
       .advanced = true,
       .extension = "tvis"},
  };
}

VisibilityOptions visibility_options(const ParameterValues& values) {
  VisibilityOptions options;
  if (const std::optional<double> limit = values.optional_number("MAX_DISTANCE")) options.max_distance_m = *limit;
  return options;
}

std::uint64_t estimated_visibility_entries(const Occlusion& occlusion, const Tiling& tiling,
                                           const VisibilityOptions& options) {
  constexpr std::uint32_t samples = 50'000;
  const std::size_t tiles = tiling.tiles.size(), elements = tiles + tiling.edges.size();
  const auto count = static_cast<double>(elements);
  const auto point_of = [&](std::size_t element) {
    return element < tiles ? lifted_point(tiling.tiles[element]) : lifted_point(tiling.edges[element - tiles]);
  };
  // Planes are looked at from centroids, not from lifted ones: coplanar tiles do not face each other.
  const auto anchor_of = [&](std::size_t element) {
    return element < tiles ? tiling.tiles[element].centroid : point_of(element);
  };
  const auto faces = [&](std::size_t element, Vec3 p) {
    return element >= tiles || dot(tiling.tiles[element].normal, p - anchor_of(element)) > in_front_m;
  };
  // An additive sequence with the plastic number spreads the pairs evenly, the same ones every time
  // (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
  constexpr double step_a = 0.7548776662466927, step_b = 0.5698402909980532;
  const auto element_at = [&](double place) { return static_cast<std::size_t>((place - std::floor(place)) * count); };
  std::uint32_t seen = 0;
  for (std::uint32_t s = 0; s < samples && elements > 0; ++s) {
    const std::size_t a = element_at(s * step_a), b = element_at(0.5 + s * step_b);
    if (a == b || !faces(a, anchor_of(b)) || !faces(b, anchor_of(a))) continue;
    const Vec3 at_a = point_of(a), at_b = point_of(b);
    if (norm(at_b - at_a) > options.max_distance_m) continue;
    if (occlusion.is_free(at_a, at_b)) ++seen;
  }
  return static_cast<std::uint64_t>(count * count * seen / samples);
}

std::unique_ptr<Visibility> compute_visibility(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityKey& key,
                                               const std::optional<std::filesystem::path>& keep_in) {
  run.progress().begin_stage("visibility");
  std::unique_ptr<Visibility> previous = previous_visibility(run, key);
  if (!previous) return compute_visibility_anew(run, occlusion, tiling, key, keep_in);
  if (keep_in) keep(run, *previous, key, *keep_in);
  return previous;
}

std::unique_ptr<Visibility> compute_visibility_anew(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                                    const VisibilityKey& key,
                                                    const std::optional<std::filesystem::path>& keep_in) {
  run.progress().begin_stage("visibility");
  // Rows take about a byte per entry, and as much again while halves of them are put together.
  constexpr std::uint64_t bytes_per_entry = 3;
  const std::uint64_t entries = estimated_visibility_entries(occlusion, tiling, key.options);
  run.settings().memory.require(entries * bytes_per_entry, "the visibility of " + std::to_string(tiling.tiles.size()) +
                                                               " tiles and " + std::to_string(tiling.edges.size()) +
                                                               " edges");
  if (keep_in) require_disk_space(*keep_in, entries);
  std::unique_ptr<Visibility> visibility =
      run.uses_cuda() ? compute_visibility_with_cuda(occlusion, tiling, key.options, run.progress())
                      : compute_visibility(occlusion, tiling, key.options, run.progress());
  if (keep_in) keep(run, *visibility, key, *keep_in);
  return visibility;
}

std::filesystem::path visibility_file_beside(const std::filesystem::path& environment) {
  std::filesystem::path beside = environment;
  return beside.replace_extension(".tvis");
}

std::vector<std::uint32_t> visible_tile_counts(const Visibility& visibility) {
  std::vector<std::uint32_t> counts(visibility.tile_count());
  for (std::uint32_t tile = 0; tile < visibility.tile_count(); ++tile) counts[tile] = visibility.visible_tiles(tile);
  return counts;
}

void add_visibility_figures(const Visibility& visibility, nlohmann::ordered_json& figures) {
  std::uint64_t tile_links = 0, links = 0;
  for (std::uint32_t element = 0; element < visibility.element_count(); ++element) {
    links += visibility.row_length(element);
    if (element < visibility.tile_count()) tile_links += visibility.visible_tiles(element);
  }
  figures["visibility_entries"] = links;
  figures["mean_visible_tiles"] =
      visibility.tile_count() == 0 ? 0.0 : static_cast<double>(tile_links) / visibility.tile_count();
}

}  // namespace tesseray
