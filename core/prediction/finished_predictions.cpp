// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/finished_predictions.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/little_endian.h"
#include "core/physics/antenna_pattern.h"
#include "core/prediction/prediction_codec.h"

namespace tesseray {
namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'P', 'W', 'K'};
constexpr std::uint32_t work_version = 2;
// A block begins with the hash of its transmitter.
constexpr std::size_t hash_bytes = sizeof(std::uint64_t);

std::vector<std::uint8_t> encoded_head(std::uint64_t key) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append_u32(work_version, bytes);
  append_u64(key, bytes);
  return bytes;
}

void add(StableHash& hash, const std::vector<CutPoint>& cut) {
  hash.add(static_cast<std::uint64_t>(cut.size()));
  for (const CutPoint& point : cut) {
    hash.add(point.angle_deg);
    hash.add(point.attenuation_db);
  }
}

std::uint64_t hash_of(const Transmitter& transmitter) {
  StableHash hash;
  hash.add(transmitter.transmitter_id);
  for (const double number :
       {transmitter.position.x, transmitter.position.y, transmitter.position.z, transmitter.height_above_ground_m,
        transmitter.frequency_hz, transmitter.erp_dbm, transmitter.antenna_details.beamwidth_deg,
        transmitter.azimuth_deg, transmitter.grid_azimuth_deg, transmitter.downtilt_deg, transmitter.diameter_m}) {
    hash.add(number);
  }
  hash.add(static_cast<std::uint32_t>(transmitter.antenna));
  hash.add(static_cast<std::uint32_t>(transmitter.polarization));
  if (const AntennaPattern* pattern = transmitter.antenna_details.pattern.get()) {
    add(hash, pattern->horizontal);
    add(hash, pattern->vertical);
    hash.add(static_cast<std::uint32_t>(pattern->synthesis));
    hash.add(pattern->tilt_shift_deg);
  }
  return hash.value();
}

}  // namespace

FinishedPredictions::FinishedPredictions(const std::filesystem::path& target, std::uint64_t key,
                                         const std::vector<Transmitter>& transmitters, Progress& progress)
    : file_(work_file_beside(target), encoded_head(key),
            Error(ErrorKind::invalid_input, "being_computed", "another run is predicting towards this result",
                  "wait for it, cancel it, or write to another file", {.file = target.string()})) {
  switch (file_.found()) {
    case BlockFile::Head::none:
      file_.begin_anew();
      break;
    case BlockFile::Head::ours:
      read_blocks(transmitters, progress);
      break;
    case BlockFile::Head::another:
      progress.warn({"predictions_not_used", path().string() +
                                                 ": the predictions of an earlier run are dropped, since an input, a "
                                                 "parameter or the version has changed"});
      file_.begin_anew();
      break;
    case BlockFile::Head::foreign:
      progress.warn({"work_file_set_aside", path().string() +
                                                ": it is damaged or not of Tesseray, and kept with .unused after its "
                                                "name"});
      file_.set_aside();
      break;
  }
}

void FinishedPredictions::read_blocks(const std::vector<Transmitter>& transmitters, Progress& progress) {
  std::vector<std::uint64_t> hashes;
  for (const Transmitter& transmitter : transmitters) hashes.push_back(hash_of(transmitter));
  const auto accept = [&](const BlockFile::Block&, std::span<const std::uint8_t> bytes) {
    if (bytes.size() < hash_bytes) return false;
    const auto same = std::find(hashes.begin(), hashes.end(), load_u64(bytes.data()));
    if (same == hashes.end()) return true;  // of a transmitter that has changed since
    try {
      found_.push_back(decoded_prediction(bytes.subspan(hash_bytes)));
    } catch (const std::length_error&) {
      return false;
    }
    return true;
  };
  if (!file_.find_blocks(accept, progress)) {
    progress.warn({"work_file_damaged", path().string() + ": the predictions of an earlier run are damaged after " +
                                            std::to_string(file_.blocks().size()) +
                                            " transmitters; the others are predicted again"});
  }
  if (found_.empty()) return;
  progress.warn({"predictions_resumed", "an earlier run has predicted " + std::to_string(found_.size()) + " of " +
                                            std::to_string(transmitters.size()) +
                                            " transmitters; this one goes on from there"});
}

void FinishedPredictions::keep(const Transmitter& transmitter, const TransmitterPrediction& prediction) {
  std::vector<std::uint8_t> bytes;
  append_u64(hash_of(transmitter), bytes);
  const std::vector<std::uint8_t> encoded = encoded_prediction(prediction);
  bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  const std::lock_guard lock(mutex_);
  const auto piece = static_cast<std::uint32_t>(file_.blocks().size());
  file_.append(piece, piece + 1, bytes);
}

}  // namespace tesseray
