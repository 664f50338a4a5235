// SPDX-License-Identifier: GPL-3.0-or-later
// The predictions of many transmitters: several at once, each with what fails of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/prediction/prediction.h"
#include "core/scene/transmitter.h"
#include "processing_algorithms/run/resources.h"

namespace tesseray {

struct Predictions {
  std::vector<TransmitterPrediction> of_transmitters;       // in the order of the transmitters
  std::vector<std::pair<std::string, std::string>> failed;  // name, message
  std::size_t taken_over = 0;                               // of an earlier run
};

// What `predict` gives for each transmitter that is not among those `begun` with. So many are predicted `at_once`, by
// the threads of one arena: each thread works on one transmitter while there are enough, and the last ones are shared.
// One that fails is recorded and does not stop the others; cancel and lack of memory or disk do. When all fail, the
// error of the first is thrown. `work` says how much longer or shorter than others each takes, for the progress;
// without it all are alike. REQUIRES: `predict` is thread-safe unless at_once is 1, `work` always; transmitter ids
// rise.
Predictions predict_each(const std::vector<Transmitter>& transmitters,
                         const std::function<TransmitterPrediction(const Transmitter&, Progress&)>& predict,
                         Progress& progress, std::size_t at_once = 1, std::vector<TransmitterPrediction> begun = {},
                         const std::function<double(const Transmitter&)>& work = {});

// How many at once: as there are threads, or as the memory takes besides all predictions. Throws Error(resources) when
// it does not take one. `targets`: tiles and receivers of a prediction. REQUIRES: the launcher is prepared.
std::size_t transmitters_at_once(const MemoryBudget& memory, const RayLauncher& launcher, std::size_t targets,
                                 std::size_t transmitters);

}  // namespace tesseray
