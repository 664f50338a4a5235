// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/environment_file.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"
#include "processing_algorithms/stages/visibility_stage.h"

namespace tesseray {
namespace {

Outcome compute_visibility_of_environment(Run& run) {
  const std::filesystem::path file = visibility_destination(run);
  const Environment environment = read_environment(run);
  const Tiling tiling = tile_scene(run, environment.scene, environment.tiling_options);
  const Occlusion occlusion(environment.scene);
  const VisibilityKey key{environment_hash(environment.scene, environment.tiling_options),
                          visibility_options(run.values())};
  const std::unique_ptr<Visibility> visibility =
      compute_visibility(run, environment.scene, occlusion, tiling, key, file);

  Outcome outcome;
  std::vector<std::string> written;
  if (const auto destination = run.destinations().layer("TILES")) {
    const std::vector<std::uint32_t> counts = visible_tile_counts(*visibility);
    ResultWriter writer(environment.scene.frame, run.settings().overwrite);
    writer.add_tiles(*destination, environment.scene, tiling, counts);
    written.emplace_back("TILES");
    outcome.result_hash = writer.commit(run.record(environment.scene.frame, {}), run.progress());
  }
  outcome.outputs = run.destinations().spelled(written);
  outcome.outputs.emplace_back("VISIBILITY", file.string());
  add_tiling_figures(tiling, outcome.figures);
  add_visibility_figures(*visibility, outcome.figures);
  return outcome;
}

}  // namespace

Tool computevisibility() {
  return {.id = "computevisibility",
          .title = "Compute visibility",
          .group = "Steps",
          .help = "Finds which tiles and edges of an environment see each other, once for any number of transmitters.",
          .parameters = concatenated({{environment_parameter()},
                                      visibility_parameters(),
                                      {{.name = "VISIBILITY",
                                        .label = "Visibility",
                                        .help = "the file to write; beside the environment (NAME.tvis) if not given",
                                        .kind = ParameterKind::file_destination,
                                        .optional = true,
                                        .extension = "tvis",
                                        .beside = {"ENVIRONMENT"},
                                        .may_exist = true},
                                       {.name = "TILES",
                                        .label = "Tiles",
                                        .help = "the tiles with visible_count, the number of tiles that each one sees",
                                        .kind = ParameterKind::layer_destination,
                                        .optional = true,
                                        .layer = "tiles",
                                        .geometry = "Polygon Z"},
                                       output_parameter()}}),
          .roles = {},
          .run = compute_visibility_of_environment};
}

}  // namespace tesseray
