// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/kept_predictions.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/folder_entries.h"
#include "core/base/hash.h"
#include "core/base/hexadecimal.h"
#include "core/base/little_endian.h"
#include "core/base/mapped_file.h"
#include "core/base/size_text.h"
#include "core/base/staged_file.h"
#include "core/physics/antenna_pattern.h"
#include "core/prediction/prediction_codec.h"
#include "core/propagation/rays/link.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t magic = 0x44525054;  // "TPRD", read as a little-endian number
constexpr std::uint32_t version = 1;
constexpr std::size_t head_bytes = 24, hash_at = 8, checksum_at = 16;
constexpr const char* extension = ".tprd";

void add(StableHash& hash, const std::vector<CutPoint>& cut) {
  hash.add(static_cast<std::uint64_t>(cut.size()));
  for (const CutPoint& point : cut) {
    hash.add(point.angle_deg);
    hash.add(point.attenuation_db);
  }
}

// All but what it is called and, within steps, its power.
void add(StableHash& hash, const Transmitter& transmitter) {
  for (const double number :
       {transmitter.position.x, transmitter.position.y, transmitter.position.z, transmitter.height_above_ground_m,
        transmitter.frequency_hz, transmitter.antenna_details.beamwidth_deg, transmitter.azimuth_deg,
        transmitter.grid_azimuth_deg, transmitter.downtilt_deg, transmitter.diameter_m}) {
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
}

std::vector<std::uint8_t> encoded_head(std::uint64_t hash, std::span<const std::uint8_t> content) {
  std::vector<std::uint8_t> head;
  append_u32(magic, head);
  append_u32(version, head);
  append_u64(hash, head);
  append_u64(xxh64(content), head);
  return head;
}

// Empty when the file is damaged, or of something else.
std::optional<TransmitterPrediction> read(const fs::path& file, std::uint64_t hash, const Transmitter& transmitter) {
  const MappedFile mapped(file);
  const std::span<const std::uint8_t> bytes = mapped.bytes();
  if (bytes.size() < head_bytes || load_u32(bytes.data()) != magic || load_u32(bytes.data() + 4) != version ||
      load_u64(bytes.data() + hash_at) != hash ||
      load_u64(bytes.data() + checksum_at) != xxh64(bytes.subspan(head_bytes))) {
    return std::nullopt;
  }
  try {
    return decoded_prediction(bytes.subspan(head_bytes), transmitter);
  } catch (const std::length_error&) {
    return std::nullopt;
  }
}

struct File {
  fs::path path;
  fs::file_time_type last_use;
  std::uint64_t bytes = 0;
};

// Ours in the folder, used longest ago first. Hidden ones are on their way to be written by another run.
std::vector<File> files_in(const fs::path& folder) {
  std::vector<File> files;
  std::error_code ignored;
  for (const fs::path& path : entries_of(folder)) {
    const fs::path name = path.filename();
    if (name.extension() != extension || name.native().starts_with('.')) continue;
    files.push_back({path, fs::last_write_time(path, ignored), fs::file_size(path, ignored)});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return std::tie(a.last_use, a.path) < std::tie(b.last_use, b.path); });
  return files;
}

// A folder; what else has its name stays.
void remove_if_empty(const fs::path& folder) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(fs::symlink_status(folder, ignored));
  if (is_folder && fs::is_empty(folder, ignored)) fs::remove(folder, ignored);
}

}  // namespace

KeptPredictions::KeptPredictions(fs::path folder, std::uint64_t key, const RayLaunchingOptions& options,
                                 const Limits& limits)
    : folder_(std::move(folder)), key_(key), options_(options), limits_(limits) {}

std::uint64_t KeptPredictions::hash_of(const Transmitter& transmitter) const {
  StableHash hash;
  hash.add(key_);
  hash.add(least_path_gain_db(transmitter, options_));
  add(hash, transmitter);
  return hash.value();
}

fs::path KeptPredictions::file_of(std::uint64_t hash) const { return folder_ / (hexadecimal(hash) + extension); }

std::vector<TransmitterPrediction> KeptPredictions::find(const std::vector<Transmitter>& transmitters,
                                                         Progress& progress) {
  std::vector<TransmitterPrediction> found;
  for (const Transmitter& transmitter : transmitters) {
    progress.throw_if_cancelled();
    const std::uint64_t hash = hash_of(transmitter);
    const fs::path file = file_of(hash);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    std::optional<TransmitterPrediction> kept;
    try {
      kept = read(file, hash, transmitter);
    } catch (const Error& refused) {
      if (refused.kind() != ErrorKind::invalid_input) throw;
    }
    if (!kept) {
      progress.warn(
          {"kept_prediction_damaged", file.string() + ": it is damaged; " + transmitter.name + " is predicted again"});
      continue;
    }
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    found.push_back(std::move(*kept));
  }
  return found;
}

void KeptPredictions::require_space(std::uint64_t bytes) const {
  const std::uintmax_t free = fs::space(folder_).available;
  if (free >= limits_.left_free_bytes + bytes) return;
  throw Error(ErrorKind::resources, "disk_space",
              "only " + size_text(free) + " are free here, and " + size_text(limits_.left_free_bytes) +
                  " are kept for the result",
              outlive_success() ? "free some space, or give KEPT_PREDICTIONS 0" : "free some space",
              {.file = folder_.string()});
}

void KeptPredictions::write(std::uint64_t hash, const TransmitterPrediction& prediction) {
  const std::vector<std::uint8_t> content = encoded_prediction(prediction);
  const std::vector<std::uint8_t> head = encoded_head(hash, content);
  fs::create_directories(folder_);
  const std::uint64_t bytes = head.size() + content.size();
  require_space(bytes);
  StagedFile file(file_of(hash));
  file.write(0, head);
  file.write(head.size(), content);
  file.flush();
  file.publish();
  const std::lock_guard lock(of_made_);
  made_.insert(file.target());
}

void KeptPredictions::keep(const Transmitter& transmitter, const TransmitterPrediction& prediction,
                           Progress& progress) {
  const auto warn = [&](const std::string& why) {
    remove_if_empty(folder_);
    std::call_once(warned_, [&] {
      progress.warn({"predictions_not_kept", "predictions are not kept for another run: " + why});
    });
  };
  try {
    write(hash_of(transmitter), prediction);
  } catch (const Error& refused) {
    if (refused.kind() == ErrorKind::cancelled) throw;
    warn(refused.what());
  } catch (const fs::filesystem_error& refused) {
    warn(folder_.string() + ": " + refused.code().message());
  }
}

void KeptPredictions::shrink() const {
  remove_leftovers(folder_);
  std::vector<File> files = files_in(folder_);
  if (limits_.is_for_others) std::erase_if(files, [this](const File& file) { return !made_.contains(file.path); });
  std::uint64_t left = 0;
  for (const File& file : files) left += file.bytes;
  std::error_code ignored;
  for (const File& file : files) {
    if (left <= limits_.most_bytes) break;
    left -= file.bytes;
    fs::remove(file.path, ignored);
  }
  remove_if_empty(folder_);
}

}  // namespace tesseray
