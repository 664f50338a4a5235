// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "core/comparison/statistics.h"
#include "core/io/results/result_writer.h"
#include "core/io/sources/text_values.h"
#include "core/prediction/best_server.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/path_loss_input.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

BestServerOptions best_server_options(const ParameterValues& values) {
  BestServerOptions options;
  options.bandwidth_hz = values.number("BANDWIDTH") * 1e6;
  options.noise_figure_db = values.number("NOISE_FIGURE");
  options.load = values.number("LOAD") / 100.0;
  options.overlap_db = values.number("OVERLAP");
  if (const std::optional<double> least = values.optional_number("MIN_RECEIVED_POWER")) options.min_power_dbm = *least;
  return options;
}

// Ground places of each transmitter, and the median of the signal to interference and noise there.
void add_figures(const std::vector<PredictedTransmitter>& transmitters, const std::vector<ServedPlace>& places,
                 Json& figures) {
  std::map<std::uint32_t, std::vector<double>> sinr_of_server;
  std::size_t ground = 0, served = 0;
  for (const ServedPlace& place : places) {
    if (place.kind != SurfaceKind::ground) continue;
    ++ground;
    if (!place.server) continue;
    ++served;
    sinr_of_server[*place.server].push_back(place.sinr_db);
  }
  figures["places"] = places.size();
  figures["ground_places"] = ground;
  figures["ground_places_served"] = served;
  figures["transmitters"] = Json::array();
  for (const auto& [server, sinr] : sinr_of_server) {
    figures["transmitters"].push_back({{"name", transmitters[server].name},
                                       {"ground_places_served", sinr.size()},
                                       {"median_sinr_db", percentile(sinr, 0.5)}});
  }
}

Outcome find_best_servers(Run& run) {
  const PathLossLayer path_loss = read_path_loss(run, {.outlines = Outlines::read,
                                                       .bytes_per_row = 2 * sizeof(void*),  // sorted by place
                                                       .bytes_per_tile = sizeof(ServedPlace)});
  const std::vector<ServedPlace> places =
      best_servers(path_loss.targets, path_loss.transmitters, best_server_options(run.values()));

  ResultWriter writer(path_loss.frame, run.settings().overwrite);
  std::vector<std::string> written;
  if (const auto destination = run.destinations().layer("BEST_SERVER")) {
    writer.add_best_servers(*destination, path_loss, places);
    written.emplace_back("BEST_SERVER");
  }
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(path_loss.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_figures(path_loss.transmitters, places, outcome.figures);
  return outcome;
}

std::vector<Parameter> best_server_parameters() {
  using Kind = ParameterKind;
  const BestServerOptions defaults;
  return {
      path_loss_input("the layer that predictcoverage wrote for several transmitters, with the transmitters beside it"),
      least_received_power("a transmitter that is weaker at a place does not serve it; all do if not given"),
      {.name = "BANDWIDTH",
       .label = "Bandwidth",
       .help = "bandwidth of the receiver, for its noise",
       .kind = Kind::number,
       .default_value = shortest(defaults.bandwidth_hz / 1e6),
       .unit = "MHz",
       .minimum = 0.000001,
       .maximum = 100000},
      {.name = "NOISE_FIGURE",
       .label = "Noise figure",
       .help = "noise figure of the receiver, over thermal noise at 290 K",
       .kind = Kind::number,
       .default_value = shortest(defaults.noise_figure_db),
       .unit = "dB",
       .minimum = 0,
       .maximum = 50},
      {.name = "LOAD",
       .label = "Load",
       .help = "the part of their power that the other transmitters on the same frequency send on average",
       .kind = Kind::number,
       .default_value = shortest(100 * defaults.load),
       .unit = "%",
       .minimum = 0,
       .maximum = 100},
      {.name = "OVERLAP",
       .label = "Overlap",
       .help = "transmitters within this of the strongest are counted in server_count",
       .kind = Kind::number,
       .default_value = shortest(defaults.overlap_db),
       .unit = "dB",
       .minimum = 0,
       .maximum = 100,
       .advanced = true},
      {.name = "BEST_SERVER",
       .label = "Best server",
       .help = "who serves each place, with margin, interference, and signal over interference and noise",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "best_server",
       .geometry = "Polygon Z"},
  };
}

}  // namespace

Tool bestserver() {
  return {.id = "bestserver",
          .title = "Best server",
          .group = "Coverage",
          .help =
              "Which of several transmitters serves each place, by how much it is stronger than the second, and what "
              "interference on the same frequency and noise leave of its signal.",
          .parameters = concatenated({best_server_parameters(), {output_parameter()}}),
          .roles = {},
          .run = find_best_servers};
}

}  // namespace tesseray
