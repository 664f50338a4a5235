// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions that outlive their run, in a folder with a file for each transmitter: a run that was killed or cancelled
// goes on where it was, and one after it predicts only the transmitters that have changed. docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

#include "core/base/progress.h"
#include "core/prediction/prediction.h"
#include "core/scene/transmitter.h"

namespace tesseray {

class KeptPredictions {
 public:
  struct Limits {
    std::uint64_t most_bytes = 0;       // that stay when the run is done; 0: it is for runs that are not
    std::uint64_t left_free_bytes = 0;  // of the disk, for others
    bool is_for_others = false;         // those in the folder are kept for other runs: only what this one made goes
  };

  // The folder need not be there. `key` is a hash of all that predictions depend on besides the transmitter and
  // min_power_dbm of `options`.
  KeptPredictions(std::filesystem::path folder, std::uint64_t key, const RayLaunchingOptions& options,
                  const Limits& limits);

  const std::filesystem::path& folder() const { return folder_; }
  bool outlive_success() const { return limits_.most_bytes > 0; }
  // What is kept of these transmitters: what predicting them gives, to the last bit, whatever their names and ids are
  // now; their power may be another one, too, as long as it launches the same rays. Damaged files are warned of.
  std::vector<TransmitterPrediction> find(const std::vector<Transmitter>& transmitters, Progress& progress);
  // Thread-safe. Where the folder or the disk does not take it there is a warning, once.
  void keep(const Transmitter& transmitter, const TransmitterPrediction& prediction, Progress& progress);
  // When the run is done: removes the files that were used longest ago until the others have no more bytes than may
  // stay; the folder, too, when nothing is left in it. Files that are none of ours stay.
  void shrink() const;

 private:
  std::uint64_t hash_of(const Transmitter& transmitter) const;
  std::filesystem::path file_of(std::uint64_t hash) const;
  void require_space(std::uint64_t bytes) const;
  void write(std::uint64_t hash, const TransmitterPrediction& prediction);

  std::filesystem::path folder_;
  std::uint64_t key_;
  RayLaunchingOptions options_;
  Limits limits_;
  std::once_flag warned_;
  std::mutex of_made_;
  std::set<std::filesystem::path> made_;  // by this run
};

}  // namespace tesseray
