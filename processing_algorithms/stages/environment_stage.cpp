// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/environment_stage.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/base/block_file.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

// What is to be used, whoever made it: told of, since a prediction is another one with it.
void warn_of_distance(Run& run, const fs::path& file) {
  const double most_m = read_visibility_info(file).options.max_distance_m;
  if (std::isinf(most_m)) return;
  run.progress().warn(
      {"visibility_within_distance",
       file.string() + " holds what is seen within " + shortest(most_m) +
           " m alone (MAX_DISTANCE), so that rays go on no farther than that from tile to tile; compute the "
           "visibility without MAX_DISTANCE for all"});
}

// A visibility that is of no use any more; what else has its name is somebody's own.
bool is_of_no_use(const Error& refused) {
  constexpr std::array codes = {"stale_visibility", "damaged_visibility", "truncated_visibility",
                                "unsupported_visibility_version"};
  return std::find(codes.begin(), codes.end(), refused.code()) != codes.end();
}

struct BesideEnvironment {
  std::unique_ptr<Visibility> visibility;  // null when there is none that fits
  std::string why_it_stays = {};           // of something else that has its name
};

// What is kept beside the environment. Of one that does not fit the reason is warned of.
BesideEnvironment kept_visibility(Run& run, const fs::path& file, const Tiling& tiling, std::uint64_t hash) {
  if (replaceable_at(file) != Replaceable::anything) return {};
  try {
    std::unique_ptr<Visibility> kept = open_visibility(file, tiling, hash);
    warn_of_distance(run, file);
    return {std::move(kept)};
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::invalid_input) throw;
    if (!is_of_no_use(refused)) return {nullptr, refused.message()};
    run.progress().warn({refused.code(), refused.message() + "; it is computed anew"});
    return {};
  }
}

}  // namespace

Parameter environment_parameter() {
  return {.name = "ENVIRONMENT",
          .label = "Environment",
          .help = "the GeoPackage that tileenvironment wrote, or a scene file that exportscene wrote",
          .kind = ParameterKind::file,
          .extension = "gpkg"};
}

Parameter map_point_parameter() {
  return {
      .name = "POINT",
      .label = "Point on the map",
      .help = "coordinates as x,y, with the CRS in brackets, as QGIS writes it; without a CRS, in the environment's",
      .kind = ParameterKind::point,
      .within = "ENVIRONMENT",
      .crs_from = {"ENVIRONMENT"}};
}

Parameter visibility_file_parameter() {
  return {.name = "VISIBILITY",
          .label = "Visibility",
          .help =
              "the file that computevisibility wrote; if not given, the one beside the environment (NAME.tvis), "
              "which is made when needed",
          .kind = ParameterKind::file,
          .optional = true,
          .extension = "tvis"};
}

Environment read_environment(Run& run) { return read_environment(run.values().text("ENVIRONMENT"), run.progress()); }

fs::path visibility_destination(const Run& run) {
  if (const auto given = run.destinations().file("VISIBILITY")) return *given;
  fs::path beside = visibility_file_beside(run.values().text("ENVIRONMENT"));
  check_folder(beside);
  return beside;
}

std::unique_ptr<Visibility> find_or_compute_visibility(Run& run, const Environment& environment, const Tiling& tiling,
                                                       const Occlusion& occlusion) {
  const VisibilityKey key{environment_hash(environment.scene, environment.tiling_options), {}};
  if (run.values().has("VISIBILITY")) {
    run.progress().begin_stage("visibility file");
    const fs::path given = run.values().text("VISIBILITY");
    std::unique_ptr<Visibility> visibility = open_visibility(given, tiling, key.environment_hash);
    warn_of_distance(run, given);
    return visibility;
  }
  const fs::path beside = visibility_file_beside(run.values().text("ENVIRONMENT"));
  BesideEnvironment kept = kept_visibility(run, beside, tiling, key.environment_hash);
  if (kept.visibility) return std::move(kept.visibility);
  const fs::path folder = fs::absolute(beside).parent_path();
  const auto in_memory = [&](const std::string& why) {
    run.progress().warn({"visibility_not_kept", why + ", so that the visibility is not kept beside the environment"});
    return compute_visibility_anew(run, occlusion, tiling, key, std::nullopt);
  };
  if (!kept.why_it_stays.empty()) return in_memory(kept.why_it_stays);
  if (access(folder.c_str(), W_OK) != 0) return in_memory(folder.string() + " cannot be written to");
  try {
    return compute_visibility_anew(run, occlusion, tiling, key, beside);
  } catch (const Error& failure) {
    if (!is_want_of_room(failure)) throw;
    // What a full disk let it come to is of no use to this run, whose results may need the room. Other files of that
    // name are another run's.
    std::error_code ignored;
    const fs::path work = work_file_beside(beside);
    if (failure.place().file == work.string()) fs::remove(work, ignored);
    return in_memory(failure.message());
  }
}

}  // namespace tesseray
