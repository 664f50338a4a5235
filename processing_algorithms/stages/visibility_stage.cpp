// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/visibility_stage.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/block_file.h"
#include "core/base/is_there.h"
#include "core/io/results/environment_file.h"
#include "core/visibility/file/visibility_format.h"
#include "core/visibility/file/work_file.h"
#include "core/visibility/occlusion/elements.h"
#include "cuda/backend.h"

namespace tesseray {
namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;
// An element with its place in the scene's grids; least and usual memory for blocks of rows under way.
constexpr std::uint64_t bytes_per_element = 600, least_block_bytes = 64 * mebibyte, usual_block_bytes = 512 * mebibyte;

void require_disk_space_for_visibility(const std::filesystem::path& file, std::uint64_t bytes) {
  require_disk_space(file, bytes,
                     {.what = "the visibility",
                      .hint = "free some space there, write VISIBILITY to another disk, or give a MAX_DISTANCE"});
}

bool is_same(const VisibilityFileInfo& info, const VisibilityKey& key) {
  return info.environment_hash == key.environment_hash && info.options.max_distance_m == key.options.max_distance_m;
}

// What a run before this one finished: the very file that is to be written. A file that is something else, or damaged,
// is only replaced when that is allowed.
std::unique_ptr<Visibility> finished_visibility(Run& run, const Tiling& tiling, const VisibilityKey& key,
                                                const std::filesystem::path& file) {
  if (!is_there(file)) return nullptr;
  try {
    if (is_same(read_visibility_info(file), key)) {
      std::unique_ptr<Visibility> finished = open_visibility(file, tiling, key.environment_hash);
      run.progress().warn({"visibility_found", file.string() + " is there already, for this environment; nothing is "
                                                               "computed"});
      return finished;
    }
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::invalid_input) throw;
    if (refused.code() != foreign_visibility) {
      if (!run.settings().overwrite) throw;
      run.progress().warn({refused.code(), refused.message() + "; it is computed anew"});
      return nullptr;
    }
  }
  if (run.settings().overwrite) return nullptr;
  throw Error(ErrorKind::invalid_input, "file_exists", "the file exists already, and is not the visibility asked for",
              "give another name with --visibility, or allow replacing it with --overwrite", {.file = file.string()});
}

// Throws Error(invalid_input) where there is none.
std::filesystem::path folder_for_temporary_files() {
  std::error_code failed;
  std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (!failed) return folder;
  throw Error(ErrorKind::invalid_input, "cannot_write",
              "there is no folder for temporary files (" + failed.message() + ")",
              "set TMPDIR to a folder that may be written, or keep the visibility in a file");
}

// A file for a relation that nobody wants to keep: removed when it is opened, or was not made. In a folder of its own,
// since containers that share the folder for temporary files have the same process numbers.
class ScratchFile {
 public:
  ScratchFile() {
    std::string name = folder_for_temporary_files() / "tesseray-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::invalid_input, "cannot_write",
                  "no folder can be made for a temporary file (" + std::generic_category().message(errno) + ")",
                  "set TMPDIR to a folder that may be written, or keep the visibility in a file", {.file = name});
    }
    folder_ = name;
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::filesystem::path path() const { return folder_ / "visibility.tvis"; }

 private:
  std::filesystem::path folder_;
};

std::unique_ptr<Visibility> not_used(Run& run, const std::string& why) {
  run.progress().warn(
      {"previous_visibility_not_used", "PREVIOUS_VISIBILITY is not used, since " + why + "; everything is computed"});
  return nullptr;
}

// PREVIOUS_VISIBILITY, or the file beside PREVIOUS_ENVIRONMENT; none, with a warning, where that is not there.
std::optional<std::filesystem::path> previous_file(Run& run) {
  const ParameterValues& values = run.values();
  if (values.has("PREVIOUS_VISIBILITY")) return values.text("PREVIOUS_VISIBILITY");
  if (!values.has("PREVIOUS_ENVIRONMENT")) return std::nullopt;
  const std::filesystem::path beside = visibility_file_beside(values.text("PREVIOUS_ENVIRONMENT"));
  if (is_there(beside)) return beside;
  run.progress().warn({"previous_visibility_not_used",
                       "PREVIOUS_ENVIRONMENT is not used: PREVIOUS_VISIBILITY is not given, and there is no " +
                           beside.filename().string() + " beside it; everything is computed"});
  return std::nullopt;
}

// PREVIOUS_VISIBILITY brought up to date; null when that cannot be, with the reason as a warning.
std::unique_ptr<Visibility> updated_visibility(Run& run, const Environment& previous,
                                               const std::filesystem::path& earlier, const EditedEnvironment& after,
                                               const std::optional<FileTarget>& keep_in) {
  std::optional<ScratchFile> scratch;
  const FileTarget target = keep_in ? *keep_in : scratch.emplace().path();
  require_disk_space_for_visibility(target.file, std::filesystem::file_size(earlier));
  const Tiling earlier_tiling = tile_scene(previous.scene, previous.tiling_options, run.progress());
  const VisibilityUpdate update = update_visibility(
      {previous.scene, earlier_tiling, earlier, environment_hash(previous.scene, previous.tiling_options)}, after,
      target, run.progress());
  if (!update.why_not.empty()) return not_used(run, update.why_not);
  run.progress().warn({"visibility_updated", "PREVIOUS_VISIBILITY was brought up to date: " +
                                                 std::to_string(update.new_elements) + " new tiles and edges, and " +
                                                 std::to_string(update.changed_entries) + " changes between others"});
  return open_visibility(target.file, after.tiling, after.environment_hash);
}

// The relation from PREVIOUS_VISIBILITY, as it is or brought up to date; null, with a warning, when it is of no use. A
// file that does not belong to PREVIOUS_ENVIRONMENT, or is damaged, is an error.
std::unique_ptr<Visibility> visibility_from_previous(Run& run, const Scene& scene, const Occlusion& occlusion,
                                                     const Tiling& tiling, const VisibilityKey& key,
                                                     const std::optional<FileTarget>& keep_in) {
  const ParameterValues& values = run.values();
  const std::optional<std::filesystem::path> file = previous_file(run);
  if (!file) return nullptr;
  const VisibilityFileInfo info = read_visibility_info(*file);
  std::optional<Environment> previous;
  if (values.has("PREVIOUS_ENVIRONMENT")) {
    previous = read_environment(values.text("PREVIOUS_ENVIRONMENT"), run.progress());
    if (environment_hash(previous->scene, previous->tiling_options) != info.environment_hash) {
      throw Error(ErrorKind::invalid_input, "stale_visibility",
                  "PREVIOUS_VISIBILITY does not belong to PREVIOUS_ENVIRONMENT", "give the two that belong together",
                  {.file = file->string()});
    }
  }
  if (is_same(info, key)) {
    std::unique_ptr<Visibility> same = open_visibility(*file, tiling, key.environment_hash);
    if (keep_in) write_visibility(*same, key.options, key.environment_hash, *keep_in, run.progress());
    return same;
  }
  if (!previous)
    return not_used(run, "the environment or MAX_DISTANCE is another one and PREVIOUS_ENVIRONMENT is not given");
  return updated_visibility(run, *previous, *file, {scene, tiling, occlusion, key.options, key.environment_hash},
                            keep_in);
}

// What an earlier run has left; 0 where there is nothing.
std::uint64_t size_of_work_beside(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(work_file_beside(file), failed);
  return failed ? 0 : bytes;
}

// What an earlier run had begun of a file that is whole now; not that of a run which is still at it.
void remove_work_beside(Run& run, const Tiling& tiling, const VisibilityKey& key, const std::filesystem::path& file) {
  if (!is_there(work_file_beside(file))) return;
  try {
    WorkFile(file, visibility_to_compute(tiling, key.options, key.environment_hash), run.progress()).remove();
  } catch (const Error& at_work) {
    if (at_work.kind() != ErrorKind::invalid_input) throw;
  }
}

// Of the blocks that are under way.
std::uint64_t block_bytes(const MemoryBudget& budget) {
  return budget.bytes == 0 ? usual_block_bytes : std::clamp(budget.bytes / 8, least_block_bytes, usual_block_bytes);
}

// The CPU's way straight into the file.
void require_room_for_blocks(const Run& run, const Tiling& tiling, const std::filesystem::path& file,
                             std::uint64_t entries) {
  const std::uint64_t elements = tiling.tiles.size() + tiling.edges.size();
  run.settings().memory.require(elements * bytes_per_element + least_block_bytes,
                                "finding what " + std::to_string(elements) + " tiles and edges see");
  // While the file is written, the work that it is made from is there, too: that of an earlier run already.
  const std::uint64_t needed = entries / 2 * 3;
  require_disk_space_for_visibility(file, needed - std::min(needed, size_of_work_beside(file)));
}

// Rows take about a byte per entry, and as much again while halves of them are put together.
void require_memory_for_rows(const Run& run, const Tiling& tiling, std::uint64_t entries) {
  constexpr std::uint64_t bytes_per_entry = 3;
  run.settings().memory.require(entries * bytes_per_entry, "the visibility of " + std::to_string(tiling.tiles.size()) +
                                                               " tiles and " + std::to_string(tiling.edges.size()) +
                                                               " edges");
}

void warn_of_cpu(Run& run, const std::string& why) {
  run.progress().warn({"gpu_not_used", why + "; the CPU computes visibility"});
}

// False, with a warning, where the CPU will do, which holds no rows on its way into a file.
bool has_memory_for_rows(Run& run, const Tiling& tiling, std::uint64_t entries) {
  try {
    require_memory_for_rows(run, tiling, entries);
    return true;
  } catch (const Error& error) {
    if (!run.cpu_will_do()) throw;
    warn_of_cpu(run, "all rows that a GPU finds are held in memory: " + error.message());
    return false;
  }
}

// True, with a warning, where an earlier run has left work, with which the CPU alone can go on.
bool is_begun_by_cpu(Run& run, const WorkFile& work) {
  if (!run.cpu_will_do() || work.finished_elements() == 0) return false;
  warn_of_cpu(run, "a GPU cannot go on with what an earlier run has computed");
  return true;
}

// nullptr when the GPU's memory is not enough and the CPU will do.
std::unique_ptr<Visibility> compute_on_gpu(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                           const VisibilityOptions& options) {
  return run.on_gpu("visibility",
                    [&] { return compute_visibility_with_cuda(occlusion, tiling, options, run.progress()); });
}

// By the CPU straight into the file, so that the memory need not hold it and a later run can go on with what this one
// did; a GPU's rows are held in memory until all are there.
std::unique_ptr<Visibility> compute_in_file(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                            const VisibilityKey& key, const FileTarget& target, std::uint64_t entries) {
  const std::filesystem::path& file = target.file;
  const bool is_for_gpu = run.uses_cuda() && has_memory_for_rows(run, tiling, entries);
  if (is_for_gpu) {
    require_disk_space_for_visibility(file, entries);
  } else {
    require_room_for_blocks(run, tiling, file, entries);
  }
  WorkFile work(target, visibility_to_compute(tiling, key.options, key.environment_hash), run.progress());
  if (is_for_gpu) {
    std::unique_ptr<Visibility> found =
        is_begun_by_cpu(run, work) ? nullptr : compute_on_gpu(run, occlusion, tiling, key.options);
    if (found) {
      write_visibility(*found, key.options, key.environment_hash, target, run.progress());
      work.remove();
      return found;
    }
    require_room_for_blocks(run, tiling, file, entries);
  }
  compute_visibility_file(occlusion, tiling, work, block_bytes(run.settings().memory), run.progress());
  return open_visibility(file, tiling, key.environment_hash);
}

}  // namespace

Parameter max_distance_parameter() {
  return {.name = "MAX_DISTANCE",
          .label = "Greatest distance",
          .help = "tiles farther apart count as not seeing each other; no limit if not given",
          .kind = ParameterKind::distance,
          .unit = "m",
          .minimum = 1,
          .maximum = 1e6,
          .optional = true,
          .advanced = true};
}

std::vector<Parameter> visibility_parameters() {
  using Kind = ParameterKind;
  return {
      max_distance_parameter(),
      {.name = "PREVIOUS_ENVIRONMENT",
       .label = "Earlier environment",
       .help = "the environment that PREVIOUS_VISIBILITY was computed for",
       .kind = Kind::file,
       .optional = true,
       .advanced = true,
       .extension = "gpkg"},
      {.name = "PREVIOUS_VISIBILITY",
       .label = "Earlier visibility",
       .help = "a visibility file computed before, the one beside PREVIOUS_ENVIRONMENT if not given; taken over when "
               "nothing that it depends on has changed, and brought up "
               "to date with PREVIOUS_ENVIRONMENT when buildings have",
       .kind = Kind::file,
       .optional = true,
       .advanced = true,
       .extension = "tvis",
       .beside = {"PREVIOUS_ENVIRONMENT"}},
  };
}

VisibilityOptions visibility_options(const ParameterValues& values) {
  VisibilityOptions options;
  if (const std::optional<double> limit = values.optional_number("MAX_DISTANCE")) options.max_distance_m = *limit;
  return options;
}

std::uint64_t estimated_visibility_entries(const Occlusion& occlusion, const Tiling& tiling,
                                           const VisibilityOptions& options) {
  // A thousand that see each other tell their share within 3 % (one standard deviation); where hardly any do, the
  // search ends after some tenths of a second.
  constexpr std::uint32_t least_samples = 50'000, most_samples = 1'000'000, enough_seen = 1000;
  const std::size_t tiles = tiling.tiles.size(), elements = tiles + tiling.edges.size();
  if (elements == 0) return 0;
  const auto count = static_cast<double>(elements);
  // An additive sequence with the plastic number spreads the pairs evenly, the same ones every time
  // (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
  constexpr double step_a = 0.7548776662466927, step_b = 0.5698402909980532;
  const auto element_at = [&](double place) {
    const auto number = static_cast<std::uint32_t>((place - std::floor(place)) * count);
    return number < tiles ? tile_element(tiling.tiles[number], number)
                          : edge_element(tiling.edges[number - tiles], number);
  };
  std::uint32_t seen = 0, samples = 0;
  for (; samples < least_samples || (seen < enough_seen && samples < most_samples); ++samples) {
    const Element a = element_at(samples * step_a), b = element_at(0.5 + samples * step_b);
    const bool may_see = face_each_other(a, b) && within(options.max_distance_m, a.point, b.point);
    if (may_see && occlusion.is_free(a.point, b.point)) ++seen;
  }
  return static_cast<std::uint64_t>(count * count * seen / samples);
}

std::unique_ptr<Visibility> compute_visibility(Run& run, const Scene& scene, const Occlusion& occlusion,
                                               const Tiling& tiling, const VisibilityKey& key,
                                               const std::optional<std::filesystem::path>& keep_in) {
  run.progress().begin_stage("visibility file");
  std::unique_ptr<Visibility> found = keep_in ? finished_visibility(run, tiling, key, *keep_in) : nullptr;
  std::optional<FileTarget> target;
  if (keep_in) target = run.target(*keep_in);
  if (!found) found = visibility_from_previous(run, scene, occlusion, tiling, key, target);
  if (!found) return compute_visibility_anew(run, occlusion, tiling, key, target);
  if (keep_in) remove_work_beside(run, tiling, key, *keep_in);
  return found;
}

std::unique_ptr<Visibility> compute_visibility_anew(Run& run, const Occlusion& occlusion, const Tiling& tiling,
                                                    const VisibilityKey& key,
                                                    const std::optional<FileTarget>& keep_in) {
  run.progress().begin_stage("visibility");
  const std::uint64_t entries = estimated_visibility_entries(occlusion, tiling, key.options);
  if (keep_in) return compute_in_file(run, occlusion, tiling, key, *keep_in, entries);
  require_memory_for_rows(run, tiling, entries);
  std::unique_ptr<Visibility> found = run.uses_cuda() ? compute_on_gpu(run, occlusion, tiling, key.options) : nullptr;
  return found ? std::move(found) : compute_visibility(occlusion, tiling, key.options, run.progress());
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
