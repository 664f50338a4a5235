// SPDX-License-Identifier: GPL-3.0-or-later
// Transmitters and receivers: read, and placed in the scene.
#pragma once

#include <string>
#include <vector>

#include "core/scene/transmitter.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// TRANSMITTERS, RECEIVERS and what is read from them.
// `site`: the parameter in whose extent the sites should lie.
std::vector<Parameter> transmitter_parameters(const std::string& site);
std::vector<Parameter> receiver_point_parameters(const std::string& site);
// Both, and after them receiver_parameters().
std::vector<Parameter> site_parameters(const std::string& site);

struct Sites {
  std::vector<Transmitter> transmitters;
  std::vector<Receiver> receivers;
};

// Reads and places transmitters.
std::vector<Transmitter> read_transmitters(Run& run, const Scene& scene);

// Reads and places transmitters and receivers. A place outside the scene or inside a building is an error that names
// all of them, unless MISPLACED_RECEIVERS drops receivers.
Sites read_sites(Run& run, const Scene& scene);

}  // namespace tesseray
