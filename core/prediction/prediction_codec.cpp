// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/prediction_codec.h"

#include "core/base/byte_archive.h"

namespace tesseray {
namespace {

// A field that is added there is added here, too.
static_assert(sizeof(TargetPrediction) == 52 && sizeof(WidebandPrediction) == 20 && sizeof(Pruning) == 48);

// Each list of fields serves both directions: `Archive` is ByteWriter with constant objects, or ByteReader. What
// set_power() gives is in none.
template <class Archive, class Target>
void target(Archive& archive, Target& target) {
  archive.field(target.path_loss_db);
  archive.field(target.basic_loss_db);
  archive.field(target.first_delay_ns);
  archive.field(target.mean_delay_ns);
  archive.field(target.delay_spread_ns);
  archive.field(target.angle_spread_deg);
  archive.field(target.arrival_azimuth_deg);
  archive.field(target.clutter_loss_db);
  archive.field(target.receiver_gain_dbi);
  archive.field(target.ray_count);
  archive.choice(target.mechanism, Mechanism::through_building);
  archive.field(target.line_of_sight);
  archive.field(target.in_near_field);
}

template <class Archive, class Point>
void point(Archive& archive, Point& point) {
  archive.field(point.x);
  archive.field(point.y);
  archive.field(point.z);
}

template <class Archive, class Path>
void ray(Archive& archive, Path& ray) {
  archive.field(ray.target_id);
  archive.field(ray.interactions);
  archive.list(ray.elements, sizeof(std::uint32_t), [&](auto& element) { archive.field(element); });
  archive.list(ray.points, 3 * sizeof(double), [&](auto& corner) { point(archive, corner); });
  archive.choice(ray.mechanism, Mechanism::through_building);
  archive.field(ray.path_gain);
  archive.field(ray.delay_ns);
  archive.field(ray.departure_azimuth_deg);
  archive.field(ray.departure_elevation_deg);
  archive.field(ray.arrival_azimuth_deg);
  archive.field(ray.arrival_elevation_deg);
  archive.field(ray.phase_deg);
}

template <class Archive, class Content>
void content(Archive& archive, Content& prediction) {
  constexpr std::size_t least_target_bytes = 43, least_ray_bytes = 77;
  archive.list(prediction.tiles, least_target_bytes, [&](auto& tile) { target(archive, tile); });
  archive.list(prediction.receivers, least_target_bytes, [&](auto& receiver) { target(archive, receiver); });
  archive.list(prediction.rays, least_ray_bytes, [&](auto& path) { ray(archive, path); });
  archive.field(prediction.pruning.scattering_sources);
  archive.field(prediction.pruning.tubes);
  archive.field(prediction.pruning.roulette);
  archive.field(prediction.pruning.scattered);
  archive.field(prediction.pruning.then_diffracted);
  archive.field(prediction.pruning.of_all_scattered);
  WidebandPredictions::fields(archive, prediction.tiles_wideband);
  WidebandPredictions::fields(archive, prediction.receivers_wideband);
}

}  // namespace

std::vector<std::uint8_t> encoded_prediction(const TransmitterPrediction& prediction) {
  ByteWriter writer;
  content(writer, prediction);
  return writer.take();
}

TransmitterPrediction decoded_prediction(std::span<const std::uint8_t> bytes, const Transmitter& transmitter) {
  ByteReader reader(bytes);
  TransmitterPrediction prediction;
  content(reader, prediction);
  reader.require_end();
  prediction.transmitter_id = transmitter.transmitter_id;
  for (Ray& ray : prediction.rays) ray.transmitter_id = transmitter.transmitter_id;
  set_power(transmitter, prediction);
  return prediction;
}

}  // namespace tesseray
