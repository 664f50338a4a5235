// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

Value id_of(const std::optional<std::uint32_t>& transmitter, const std::vector<PredictedTransmitter>& transmitters) {
  return transmitter ? Value::integer(transmitters[*transmitter].transmitter_id) : Value();
}

Value name_of(const std::optional<std::uint32_t>& transmitter, const std::vector<PredictedTransmitter>& transmitters) {
  return transmitter ? Value::text(transmitters[*transmitter].name) : Value();
}

}  // namespace

Layer best_server_layer(const std::string& name, const PathLossLayer& path_loss,
                        const std::vector<ServedPlace>& places) {
  using S = ServedPlace;
  const bool has_outlines = !path_loss.outlines.empty();
  const std::vector<PredictedTransmitter>& transmitters = path_loss.transmitters;
  Layer layer{.name = name,
              .description = "The transmitter that serves each tile, and what interference and noise leave of it",
              .geometry = has_outlines ? LayerGeometry::polygon_z : LayerGeometry::point_z,
              .made_from_predictions = true};
  std::vector<std::string> names;
  names.reserve(transmitters.size());
  for (const PredictedTransmitter& transmitter : transmitters) names.push_back(transmitter.name);
  layer.styles = styles::best_server(has_outlines ? qml::Symbol::fill : qml::Symbol::marker, names);
  std::vector<Field<S>> fields = {
      {{"tile_id", integer, "Tile"}, [](const S& s) { return Value::integer(s.tile_id); }},
      {{"kind", text, "ground, wall or roof"}, [](const S& s) { return Value::text(to_text(s.kind)); }},
      {{"transmitter_id", integer, "The transmitter that serves; NULL where none does"},
       [&transmitters](const S& s) { return id_of(s.server, transmitters); }},
      {{"transmitter", text, "Its name"}, [&transmitters](const S& s) { return name_of(s.server, transmitters); }},
      {{"received_power_dbm", real, "Its received power, dBm"},
       [](const S& s) { return Value::real(s.received_power_dbm); }},
      {{"path_loss_db", real, "Its path loss, dB"}, [](const S& s) { return Value::real(s.path_loss_db); }},
      {{"second_transmitter_id", integer, "The second strongest transmitter"},
       [&transmitters](const S& s) { return id_of(s.second, transmitters); }},
      {{"margin_db", real, "Margin over the second, dB"}, [](const S& s) { return Value::real(s.margin_db); }},
      {{"server_count", integer, "Transmitters within OVERLAP of the strongest, it included"},
       [](const S& s) { return Value::integer(s.servers); }},
      {{"interference_dbm", real, "Power of all others on its frequency, times LOAD, dBm"},
       [](const S& s) { return Value::real(s.interference_dbm); }},
      {{"sinr_db", real, "Signal over interference and noise, dB"}, [](const S& s) { return Value::real(s.sinr_db); }},
  };
  const auto shape = [&path_loss, has_outlines](const S& s, GeometryEncoder& encoder) {
    if (has_outlines) {
      encoder.quadrilateral(path_loss.outlines.at(s.tile_id).corners);
    } else {
      encoder.point(s.centroid);
    }
  };
  return with_rows<S>(
      std::move(layer), path_loss.frame.origin, places.size(),
      [&places](std::size_t i) -> const S& { return places[i]; }, std::move(fields), shape);
}

}  // namespace tesseray
