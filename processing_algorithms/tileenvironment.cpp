// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/scene_layers.h"
#include "processing_algorithms/stages/scene_parameters.h"
#include "processing_algorithms/stages/scene_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"

namespace tesseray {
namespace {

Outcome tile_environment(Run& run) {
  CleanScene clean = read_scene(run);
  const Tiling tiling = tile_scene(run, clean.scene, tiling_options(run.values()));
  note_tiling_issues(run, tiling, clean);

  ResultWriter writer(clean.scene.frame, run.settings().overwrite);
  std::vector<std::string> written{"ENVIRONMENT"};
  writer.add_environment(*run.destinations().file("ENVIRONMENT"), clean.scene, tiling, clean.issues);
  add_scene_layers(run, clean, tiling, {}, writer, written);

  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(clean.scene.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_scene_figures(clean, outcome.figures);
  add_tiling_figures(tiling, outcome.figures);
  return outcome;
}

}  // namespace

Tool tileenvironment() {
  return {.id = "tileenvironment",
          .title = "Tile environment",
          .group = "Steps",
          .help =
              "Cleans buildings, terrain and vegetation, breaks their surfaces into small flat tiles, and writes "
              "an environment: one GeoPackage with all that the later tools need.",
          .parameters = concatenated({scene_parameters(),
                                      tiling_parameters(),
                                      {{.name = "ENVIRONMENT",
                                        .label = "Environment",
                                        .help = "the GeoPackage that the later tools take",
                                        .kind = ParameterKind::file_destination,
                                        .extension = "gpkg"}},
                                      scene_layer_parameters(),
                                      {output_parameter()}}),
          .roles = {},
          .memory = tile_memory(),
          .run = tile_environment};
}

}  // namespace tesseray
