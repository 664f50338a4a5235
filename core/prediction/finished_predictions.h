// SPDX-License-Identifier: GPL-3.0-or-later
// The predictions that a run of many transmitters has finished, in a file beside its result (NAME.gpkg.work): what was
// predicted outlives cancelling, killing and a full disk. docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "core/base/block_file.h"
#include "core/base/progress.h"
#include "core/prediction/prediction.h"
#include "core/scene/transmitter.h"

namespace tesseray {

class FinishedPredictions {
 public:
  // Opens what an earlier run towards `target` left, or begins anew. `key` is a hash of all that predictions depend on
  // besides the transmitter: what was predicted with another one is dropped. Tells of what is found, and of what is not
  // used and why, as warnings. Throws Error(invalid_input) when another run is at work towards the same target.
  FinishedPredictions(const std::filesystem::path& target, std::uint64_t key,
                      const std::vector<Transmitter>& transmitters, Progress& progress);

  // Takes out what an earlier run predicted for these transmitters.
  std::vector<TransmitterPrediction> take_found() { return std::move(found_); }
  // Thread-safe. Throws Error(resources) on a full disk; what was there stays.
  void keep(const Transmitter& transmitter, const TransmitterPrediction& prediction);
  // When the result is there.
  void remove() { file_.remove(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  void read_blocks(const std::vector<Transmitter>& transmitters, Progress& progress);

  BlockFile file_;
  std::vector<TransmitterPrediction> found_;
  std::mutex mutex_;
};

}  // namespace tesseray
