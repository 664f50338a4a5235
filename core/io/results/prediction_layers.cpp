// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

// A row of path_loss or receiver_path_loss.
struct PathLossRow {
  std::int64_t transmitter_id = 0;
  const TargetPrediction* prediction = nullptr;
  const Tile* tile = nullptr;          // of path_loss
  const Receiver* receiver = nullptr;  // of receiver_path_loss
  const WidebandPredictions* wideband = nullptr;
  std::size_t target = 0;  // place in the predictions
};

// Texts of fields must outlive the rows, which to_string's results do not.
const std::array<std::string, 7>& mechanism_names() {
  static const std::array<std::string, 7> names = [] {
    std::array<std::string, 7> made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = to_string(static_cast<Mechanism>(i));
    return made;
  }();
  return names;
}
const std::array<std::string, 4>& polarization_names() {
  static const std::array<std::string, 4> names = {
      to_string(Polarization::vertical), to_string(Polarization::horizontal), to_string(Polarization::slant_plus_45),
      to_string(Polarization::slant_minus_45)};
  return names;
}
const std::array<std::string, 4>& antenna_names() {
  static const std::array<std::string, 4> names = {
      to_string(AntennaKind::isotropic), to_string(AntennaKind::half_wave_dipole), to_string(AntennaKind::sector_3gpp),
      to_string(AntennaKind::short_dipole)};
  return names;
}

Field<PathLossRow> prediction_field(const char* name, const char* description, float TargetPrediction::*member) {
  return {{name, real, description},
          [member](const PathLossRow& row) { return Value::real(static_cast<double>(row.prediction->*member)); }};
}

Field<PathLossRow> angle_field(const char* name, const char* description, float WidebandPrediction::*member) {
  return {{name, real, description}, [member](const PathLossRow& row) {
            return Value::real(static_cast<double>(row.wideband->angles(row.target).*member));
          }};
}

// The fields of wideband output, as far as it was asked for.
void add_wideband_fields(const WidebandPredictions& wideband, std::vector<Field<PathLossRow>>& fields) {
  using W = WidebandPrediction;
  if (wideband.has_angles()) {
    fields.push_back(angle_field("arrival_elevation_deg",
                                 "Elevation the strongest ray comes from, up positive, degrees",
                                 &W::arrival_elevation_deg));
    fields.push_back(
        angle_field("elevation_spread_deg", "Spread of the arrival elevation, degrees", &W::elevation_spread_deg));
    fields.push_back(angle_field("departure_azimuth_spread_deg", "Spread of the departure azimuth, degrees",
                                 &W::departure_azimuth_spread_deg));
    fields.push_back(angle_field("departure_elevation_spread_deg", "Spread of the departure elevation, degrees",
                                 &W::departure_elevation_spread_deg));
    fields.push_back(angle_field(
        "k_factor_db", "Power of the strongest ray over that of all others; NULL for one ray, dB", &W::k_factor_db));
  }
  if (wideband.has_profiles()) {
    fields.push_back({{"delay_profile", text, "Strongest rays: JSON [[delay in ns, power in dBm], …], strongest first"},
                      [](const PathLossRow& row) { return Value::text_or_null(row.wideband->profile(row.target)); }});
  }
}

// The fields that follow the target's own.
std::vector<Field<PathLossRow>> with_prediction_fields(std::vector<Field<PathLossRow>> fields,
                                                       const WidebandPredictions* wideband) {
  using P = TargetPrediction;
  const std::vector<Field<PathLossRow>> more = {
      prediction_field("path_loss_db", "ERP minus received power, both antennas included, dB", &P::path_loss_db),
      prediction_field("basic_loss_db",
                       "Basic transmission loss between isotropic antennas (ITU-R P.341), dB; not known where the "
                       "antenna sends 57 dB less than at its strongest, or still less",
                       &P::basic_loss_db),
      prediction_field("received_power_dbm", "Received power, the gain of the receiving antenna included, dBm",
                       &P::received_power_dbm),
      prediction_field("field_dbuvm",
                       "Field strength as the receiving antenna meets it, by its pattern and polarisation but without "
                       "its gain, dB(µV/m)",
                       &P::field_dbuvm),
      {{"line_of_sight", boolean, "True when the transmitter is in sight"},
       [](const PathLossRow& row) { return Value::boolean(row.prediction->line_of_sight); }},
      {{"mechanism", text, "Mechanism of the strongest ray; NULL where nothing arrives"},
       [](const PathLossRow& row) {
         return Value::text_or_null(mechanism_names()[static_cast<std::size_t>(row.prediction->mechanism)]);
       }},
      {{"ray_count", integer, "Rays that arrive"},
       [](const PathLossRow& row) { return Value::integer(row.prediction->ray_count); }},
      prediction_field("first_delay_ns", "Delay of the first ray, ns", &P::first_delay_ns),
      prediction_field("mean_delay_ns", "Mean delay, weighted by power, ns", &P::mean_delay_ns),
      prediction_field("delay_spread_ns", "Root-mean-square delay spread, ns", &P::delay_spread_ns),
      prediction_field("angle_spread_deg", "Spread of the arrival azimuth, degrees", &P::angle_spread_deg),
      prediction_field("arrival_azimuth_deg", "Azimuth the strongest ray comes from, from true north, degrees",
                       &P::arrival_azimuth_deg),
      {{"in_near_field", boolean, "True when nearer to the antenna than its far field (2D²/λ)"},
       [](const PathLossRow& row) { return Value::boolean(row.prediction->in_near_field); }},
      prediction_field("receiver_gain_dbi", "Gain of the receiving antenna in its maximum, in path loss and power, dBi",
                       &P::receiver_gain_dbi),
      prediction_field("clutter_loss_db", "Part of the losses that is due to the clutter around the receiver, dB",
                       &P::clutter_loss_db),
  };
  fields.insert(fields.end(), more.begin(), more.end());
  if (wideband != nullptr) add_wideband_fields(*wideband, fields);
  return fields;
}

Field<PathLossRow> transmitter_field() {
  return {{"transmitter_id", integer, "Transmitter, see the layer transmitters"},
          [](const PathLossRow& row) { return Value::integer(row.transmitter_id); }};
}

// Tiles of the wanted kinds that the layer shows for one prediction after the other: (prediction, tile).
using TargetList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TargetList chosen_targets(const Tiling& tiling, std::span<const TransmitterPrediction> predictions,
                          const PathLossLayout& layout) {
  std::array<bool, 3> wanted{};
  for (const SurfaceKind kind : layout.kinds) wanted[static_cast<std::size_t>(kind)] = true;
  TargetList chosen;
  for (std::uint32_t p = 0; p < predictions.size(); ++p) {
    for (std::uint32_t t = 0; t < tiling.tiles.size(); ++t) {
      const bool shown = !layout.reached_only || predictions[p].tiles[t].reached();
      if (shown && wanted[static_cast<std::size_t>(tiling.tiles[t].kind)]) chosen.emplace_back(p, t);
    }
  }
  return chosen;
}

LayerGeometry layer_geometry(TargetGeometry geometry) {
  switch (geometry) {
    case TargetGeometry::polygon:
      return LayerGeometry::polygon_z;
    case TargetGeometry::point:
      return LayerGeometry::point_z;
    case TargetGeometry::none:
      break;
  }
  return LayerGeometry::none;
}

std::function<void(const PathLossRow&, GeometryEncoder&)> target_shape(TargetGeometry geometry) {
  switch (geometry) {
    case TargetGeometry::polygon:
      return [](const PathLossRow& row, GeometryEncoder& encoder) {
        encoder.quadrilateral(corners_of(*row.tile).corners);
      };
    case TargetGeometry::point:
      return [](const PathLossRow& row, GeometryEncoder& encoder) { encoder.point(row.tile->centroid); };
    case TargetGeometry::none:
      break;
  }
  return {};
}

styles::Styles target_styles(TargetGeometry geometry, std::size_t transmitters) {
  const styles::TargetOverlap overlap{.of_transmitters = transmitters > 1, .of_kinds = true};
  switch (geometry) {
    case TargetGeometry::polygon:
      return styles::path_loss(qml::Symbol::fill, overlap);
    case TargetGeometry::point:
      return styles::path_loss(qml::Symbol::marker, overlap);
    case TargetGeometry::none:
      break;
  }
  return styles::path_loss_table();
}

}  // namespace

Layer transmitters_layer(const std::string& name, const LocalFrame& frame,
                         const std::vector<Transmitter>& transmitters) {
  Layer layer{.name = name,
              .description = "Transmitters, at their antenna's absolute height",
              .geometry = LayerGeometry::point_z};
  layer.styles = styles::transmitters();
  std::vector<Field<Transmitter>> fields = {
      {{"transmitter_id", integer, "Number of the transmitter in this run"},
       [](const Transmitter& t) { return Value::integer(t.transmitter_id); }},
      {{"name", text, "Name"}, [](const Transmitter& t) { return Value::text(t.name); }},
      {{"frequency_mhz", real, "Frequency, MHz"},
       [](const Transmitter& t) { return Value::real(t.frequency_hz / 1e6); }},
      {{"height_m", real, "Antenna height above ground, m"},
       [](const Transmitter& t) { return Value::real(t.height_above_ground_m); }},
      {{"erp_dbm", real, "Effective radiated power relative to a half-wave dipole, in the antenna's maximum, dBm"},
       [](const Transmitter& t) { return Value::real(t.erp_dbm); }},
      {{"antenna", text, "Antenna pattern"},
       [](const Transmitter& t) {
         const std::string& own = t.antenna_details.name;
         return Value::text(own.empty() ? antenna_names()[static_cast<std::size_t>(t.antenna)] : own);
       }},
      {{"azimuth_deg", real, "Azimuth from true north, degrees"},
       [](const Transmitter& t) { return Value::real(t.azimuth_deg); }},
      {{"downtilt_deg", real, "Downtilt, degrees"}, [](const Transmitter& t) { return Value::real(t.downtilt_deg); }},
      {{"electrical_tilt_deg", real, "Electrical tilt of a pattern file, as it is used; NULL for others, degrees"},
       [](const Transmitter& t) {
         const std::optional<double>& tilt = t.antenna_details.electrical_tilt_deg;
         return tilt ? Value::real(*tilt) : Value();
       }},
      {{"polarization", text, "Polarization"},
       [](const Transmitter& t) {
         return Value::text(polarization_names()[static_cast<std::size_t>(t.polarization)]);
       }},
      // Whoever reads the layer as transmitters need not know what heights counted from in the source.
      {{"height_reference", text, "What height_m counts from: the ground"},
       [](const Transmitter&) { return Value::text("ground"); }},
  };
  return with_rows<Transmitter>(
      std::move(layer), frame.origin, transmitters.size(),
      [&transmitters](std::size_t i) -> const Transmitter& { return transmitters[i]; }, std::move(fields),
      [](const Transmitter& t, GeometryEncoder& encoder) { encoder.point(t.position); });
}

Layer path_loss_layer(const std::string& name, const Scene& scene, const Tiling& tiling,
                      std::span<const TransmitterPrediction> predictions, const PathLossLayout& layout) {
  Layer layer{.name = name,
              .description = "Predicted path loss, one row per transmitter and tile",
              .geometry = layer_geometry(layout.geometry)};
  layer.styles = target_styles(layout.geometry, predictions.size());
  const auto targets = std::make_shared<const TargetList>(chosen_targets(tiling, predictions, layout));
  std::vector<Field<PathLossRow>> fields = with_prediction_fields(
      {
          transmitter_field(),
          {{"tile_id", integer, "Tile, see the layer tiles"},
           [](const PathLossRow& row) { return Value::integer(row.tile->id); }},
          {{"kind", text, "ground, wall or roof"},
           [](const PathLossRow& row) { return Value::text(to_text(row.tile->kind)); }},
      },
      predictions.empty() ? nullptr : &predictions.front().tiles_wideband);
  const auto row_at = [targets, predictions, &tiling](std::size_t i) {
    const auto [p, t] = (*targets)[i];
    return PathLossRow{predictions[p].transmitter_id,
                       &predictions[p].tiles[t],
                       &tiling.tiles[t],
                       nullptr,
                       &predictions[p].tiles_wideband,
                       t};
  };
  return with_rows<PathLossRow>(std::move(layer), scene.frame.origin, targets->size(), row_at, std::move(fields),
                                target_shape(layout.geometry));
}

Layer receiver_path_loss_layer(const std::string& name, const LocalFrame& frame, const std::vector<Receiver>& receivers,
                               std::span<const TransmitterPrediction> predictions) {
  Layer layer{.name = name,
              .description = "Predicted path loss, one row per transmitter and receiver",
              .geometry = LayerGeometry::point_z};
  layer.styles = styles::path_loss(qml::Symbol::marker, {.of_transmitters = predictions.size() > 1});
  std::vector<Field<PathLossRow>> fields = with_prediction_fields(
      {
          transmitter_field(),
          {{"receiver_id", integer, "Receiver: the feature id in the source layer"},
           [](const PathLossRow& row) { return Value::integer(row.receiver->receiver_id); }},
          {{"height_m", real, "Height of the receiver above the ground, m"},
           [](const PathLossRow& row) { return Value::real(row.receiver->height_above_ground_m); }},
      },
      predictions.empty() ? nullptr : &predictions.front().receivers_wideband);
  const auto row_at = [predictions, &receivers](std::size_t i) {
    const TransmitterPrediction& prediction = predictions[i / receivers.size()];
    const std::size_t r = i % receivers.size();
    return PathLossRow{
        prediction.transmitter_id, &prediction.receivers[r], nullptr, &receivers[r], &prediction.receivers_wideband, r};
  };
  return with_rows<PathLossRow>(
      std::move(layer), frame.origin, predictions.size() * receivers.size(), row_at, std::move(fields),
      [](const PathLossRow& row, GeometryEncoder& encoder) { encoder.point(row.receiver->position); });
}

std::vector<Field<Ray>> ray_fields() {
  const auto number = [](const char* field, const char* description, double Ray::*member) {
    return Field<Ray>{{field, real, description}, [member](const Ray& ray) { return Value::real(ray.*member); }};
  };
  return {
      {{"transmitter_id", integer, "Transmitter, see the layer transmitters"},
       [](const Ray& ray) { return Value::integer(ray.transmitter_id); }},
      {{"target_id", integer, "Receiver the ray arrives at"},
       [](const Ray& ray) { return Value::integer(ray.target_id); }},
      {{"interactions", text,
        "T transmitter, R reflection, D diffraction, G ground, O over the roofs, B through a building, S scattering "
        "(explainpoint alone)"},
       [](const Ray& ray) { return Value::text(ray.interactions); }},
      number("power_dbm", "Received power, dBm", &Ray::power_dbm),
      number("delay_ns", "Delay, ns", &Ray::delay_ns),
      number("departure_azimuth_deg", "Departure azimuth from true north, degrees", &Ray::departure_azimuth_deg),
      number("departure_elevation_deg", "Departure elevation, up is positive, degrees", &Ray::departure_elevation_deg),
      number("arrival_azimuth_deg", "Azimuth the ray comes from, from true north, degrees", &Ray::arrival_azimuth_deg),
      number("arrival_elevation_deg", "Elevation the ray comes from, up is positive, degrees",
             &Ray::arrival_elevation_deg),
      number("phase_deg", "Phase, degrees; NULL for scattered rays, which have a random one", &Ray::phase_deg),
  };
}

Layer rays_layer(const std::string& name, const LocalFrame& frame, std::span<const TransmitterPrediction> predictions,
                 RaysOf of) {
  Layer layer{.name = name,
              .description = "Rays from transmitters to receivers",
              .geometry = LayerGeometry::line_string_z,
              .made_from_predictions = of == RaysOf::path_losses};
  layer.styles = styles::rays();
  auto rays = std::make_shared<std::vector<const Ray*>>();
  for (const TransmitterPrediction& prediction : predictions) {
    for (const Ray& ray : prediction.rays) rays->push_back(&ray);
  }
  const std::size_t count = rays->size();
  return with_rows<Ray>(
      std::move(layer), frame.origin, count, [rays](std::size_t i) -> const Ray& { return *(*rays)[i]; }, ray_fields(),
      [](const Ray& ray, GeometryEncoder& encoder) { encoder.line_string(ray.points); });
}

}  // namespace tesseray
