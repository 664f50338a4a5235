// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/scene_stage.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/io/readers/readers.h"
#include "processing_algorithms/stages/issue_warnings.h"
#include "processing_algorithms/stages/scene_parameters.h"

namespace tesseray {

namespace {

// Of what stands on the ground: a wrong unit shows here first.
void add_height_figures(const Scene& scene, nlohmann::ordered_json& figures) {
  std::vector<double> heights_m;
  for (const Prism& prism : scene.prisms) {
    if (prism.on_ground) heights_m.push_back(prism.top_z - prism.bottom_z);
  }
  if (heights_m.empty()) return;
  const auto middle = heights_m.begin() + static_cast<std::ptrdiff_t>(heights_m.size() / 2);
  std::nth_element(heights_m.begin(), middle, heights_m.end());
  figures["median_building_height_m"] = *middle;
  figures["highest_building_m"] = *std::max_element(middle, heights_m.end());
}

void warn_of_unused_entrances(const ParameterValues& values, const SceneOptions& options, Progress& progress) {
  const bool are_used = options.ground_reference == SceneOptions::GroundReference::entrance;
  if (are_used || !values.has("ENTRANCE_FIELD")) return;
  progress.warn(
      {"field_not_used", "ENTRANCE_FIELD is not used, since GROUND_REFERENCE is " + values.text("GROUND_REFERENCE") +
                             ": heights count from the ground at the entrance with GROUND_REFERENCE entrance"});
}

}  // namespace

CleanScene read_scene(Run& run) {
  RawScene raw = read_environment_input(environment_input(run.values()), run.progress());
  SceneOptions options = scene_options(run.values());
  options.extent = raw.extent;
  warn_of_unused_entrances(run.values(), options, run.progress());
  CleanScene clean = build_scene(std::move(raw), options, run.progress());
  warn_of_issues(clean.issues, run.progress());
  // Another run has its copies elsewhere, and is to have the same rows. Front ends put names in warnings themselves.
  for (Issue& issue : clean.issues) issue.layer = run.name_for_user(issue.layer);
  return clean;
}

void add_scene_figures(const CleanScene& clean, nlohmann::ordered_json& figures) {
  const auto count = [&](Issue::Action action) {
    return std::count_if(clean.issues.begin(), clean.issues.end(),
                         [&](const Issue& issue) { return issue.action == action; });
  };
  figures["crs"] = clean.scene.frame.crs_name;
  figures["prisms"] = clean.scene.prisms.size();
  add_height_figures(clean.scene, figures);
  figures["vegetation_areas"] = clean.scene.vegetation.size();
  figures["issues_dropped"] = count(Issue::Action::dropped);
  figures["issues_repaired"] = count(Issue::Action::repaired);
  figures["issues_assumed"] = count(Issue::Action::assumed);
}

}  // namespace tesseray
