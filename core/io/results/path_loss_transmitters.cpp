// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_transmitters.h"

#include <ogrsf_frmts.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/io/results/layer_values.h"
#include "core/io/results/path_loss_geometry.h"

namespace tesseray {

namespace {

constexpr char transmitters_hint[] = "give the transmitters as TRANSMITTERS_OUT of predictcoverage wrote them";

std::vector<PredictedTransmitter> all_transmitters(PathLossFile& file, Vec2 origin) {
  if (file.transmitters() == nullptr) {
    throw Error(ErrorKind::invalid_input, "no_transmitters", "the layer transmitters is missing beside the path loss",
                "in place of extracted rows give the whole layer with a filter; or write PATH_LOSS and "
                "TRANSMITTERS_OUT of predictcoverage to one file (of layers in QGIS: Package layers), and give that; "
                "a layer in memory is in none",
                {.file = file.name()});
  }
  OGRLayer& layer = *file.transmitters();
  const LayerValues values(layer, file.name(), transmitters_hint);
  const int id = values.require("transmitter_id"), name = values.require("name"),
            frequency = values.require("frequency_mhz");
  values.refuse_texts_among_numbers(file.dataset(), {id, frequency}, "");
  file.session().forget();  // a layer that SQL cannot ask is read without
  std::vector<PredictedTransmitter> transmitters;
  std::unordered_set<std::int64_t> known;
  for (const OGRFeatureUniquePtr& feature : layer) {
    PredictedTransmitter transmitter;
    transmitter.transmitter_id = values.required_integer(*feature, id);
    if (!known.insert(transmitter.transmitter_id).second) {
      values.fail("repeated_transmitter",
                  "transmitter " + std::to_string(transmitter.transmitter_id) +
                      " is there twice, as where networks were put together",
                  id, feature->GetFID());
    }
    transmitter.name = values.text(*feature, name);
    const double frequency_mhz = values.required_number(*feature, frequency);
    if (frequency_mhz <= 0) values.fail("bad_value", "the frequency is not above 0", frequency, feature->GetFID());
    transmitter.frequency_hz = std::round(frequency_mhz * 1e6);
    const std::optional<Vec3> position = middle_of(*feature, origin);
    if (!position) {
      throw without_geometry("give the transmitters as TRANSMITTERS_OUT wrote them, with points",
                             file.place_of(*feature, layer));
    }
    transmitter.position = *position;
    transmitters.push_back(std::move(transmitter));
  }
  return transmitters;
}

}  // namespace

std::vector<PredictedTransmitter> read_transmitters_of(const std::vector<PredictedTarget>& targets, PathLossFile& file,
                                                       Vec2 origin) {
  std::unordered_set<std::int64_t> chosen;
  for (const PredictedTarget& target : targets) chosen.insert(target.transmitter_id);
  std::vector<PredictedTransmitter> all = all_transmitters(file, origin);
  std::unordered_set<std::int64_t> unknown = chosen;
  for (const PredictedTransmitter& each : all) unknown.erase(each.transmitter_id);
  if (!unknown.empty()) {
    throw Error(ErrorKind::invalid_input, "unknown_transmitter",
                "there is no transmitter " + std::to_string(*std::min_element(unknown.begin(), unknown.end())) +
                    ", of which the layer " + file.rows().GetName() + " has path losses",
                "give path losses with the transmitters of the same run beside them",
                {.file = file.name(), .layer = file.transmitters()->GetName()});
  }
  if (!file.filter().empty()) {
    std::erase_if(all, [&](const PredictedTransmitter& each) { return !chosen.contains(each.transmitter_id); });
  }
  return all;
}

void warn_of_other_transmitters(PathLossFile& file, Progress& progress) {
  const PathLossNames names = file.names();
  if (!file.runs().has_other_transmitters(names.transmitters)) return;
  progress.warn({"other_transmitters",
                 "the layer " + names.transmitters + " of " + file.name() + " is of another run than " +
                     names.path_loss +
                     ", with other parameters or another file of transmitters: their names, places and frequencies "
                     "may be others. Predict each network to a file of its own"});
}

}  // namespace tesseray
