// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/file/scene_file.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/site_stage.h"

namespace tesseray {
namespace {

Outcome export_scene(Run& run) {
  Environment environment = read_environment(run);
  SceneFile content{std::move(environment.scene), environment.tiling_options, {}};
  if (run.values().has("TRANSMITTERS")) content.transmitters = read_transmitters(run, content.scene);
  run.progress().begin_stage("scene file");
  const std::filesystem::path file = *run.destinations().file("SCENE");
  write_scene_file(content, run.target(file));

  Outcome outcome;
  outcome.outputs.emplace_back("SCENE", file.string());
  outcome.figures["prisms"] = content.scene.prisms.size();
  outcome.figures["vegetation_areas"] = content.scene.vegetation.size();
  outcome.figures["terrain_nodes"] = content.scene.terrain.height_m.size();
  outcome.figures["transmitters"] = content.transmitters.size();
  outcome.figures["bytes"] = std::filesystem::file_size(file);
  return outcome;
}

// A scene may go without transmitters.
std::vector<Parameter> optional_transmitter_parameters() {
  std::vector<Parameter> parameters = transmitter_parameters("ENVIRONMENT");
  parameters.front().optional = true;
  return parameters;
}

}  // namespace

Tool exportscene() {
  return {.id = "exportscene",
          .title = "Export scene",
          .group = "Data",
          .help =
              "Writes an environment, and transmitters if wished, as one small file for machines without GIS "
              "libraries, such as a bare GPU node. The other tools read it in place of the environment.",
          .parameters = concatenated({{environment_parameter()},
                                      optional_transmitter_parameters(),
                                      {{.name = "SCENE",
                                        .label = "Scene",
                                        .help = "the scene file to write",
                                        .kind = ParameterKind::file_destination,
                                        .extension = "tscene"}}}),
          .roles = {},
          .run = export_scene};
}

}  // namespace tesseray
