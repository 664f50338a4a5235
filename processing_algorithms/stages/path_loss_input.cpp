// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/path_loss_input.h"

#include <algorithm>
#include <utility>

#include "core/io/results/path_loss_reader.h"

namespace tesseray {

namespace {

std::vector<std::string> layers_read(const std::string& source) {
  const PathLossNames names = path_loss_names(source);
  return {names.path_loss, names.transmitters};
}

// Of a tile's outline in the map of them.
constexpr std::uint64_t bytes_per_outline = sizeof(std::pair<const std::int64_t, TileCorners>) + 48;

void require_memory(const Run& run, const PathLossSize& size, const PathLossUse& use) {
  // Each transmitter has a row of a tile at most.
  const std::uint64_t tiles = size.rows / std::max<std::uint64_t>(size.transmitters, 1);
  const std::uint64_t of_outline = use.outlines == Outlines::leave ? 0 : bytes_per_outline;
  run.settings().memory.require(
      size.rows * (sizeof(PredictedTarget) + use.bytes_per_row) + tiles * (of_outline + use.bytes_per_tile),
      "the " + std::to_string(size.rows) + " rows of PATH_LOSS",
      "give a part of them, by a filter of the layer (as in \"FILE|layername=path_loss|subset=kind = 'ground'\") or by "
      "predicting for KINDS ground alone, or allow more memory");
}

}  // namespace

Parameter path_loss_input(const std::string& what) {
  return {.name = "PATH_LOSS",
          .label = "Path loss",
          .help = what,
          .kind = ParameterKind::vector_any,
          .layer = "path_loss",
          .companions = {"transmitters"},
          .layers_read = layers_read};
}

PathLossLayer read_path_loss(Run& run, const PathLossUse& use) {
  return read_path_loss(run.values().text("PATH_LOSS"), use.outlines, run.progress(), use.fields,
                        [&](const PathLossSize& size) { require_memory(run, size, use); });
}

void warn_of_reached_only(Run& run, const PathLossLayer& path_loss, const std::string& what) {
  if (!path_loss.holds_reached_only) return;
  run.progress().warn({"reached_only", "PATH_LOSS holds only tiles that something reaches (REACHED_ONLY), so that " +
                                           what + "; predict without REACHED_ONLY for all"});
}

Parameter least_received_power(const std::string& effect) {
  return {.name = "MIN_RECEIVED_POWER",
          .label = "Least received power",
          .help = effect,
          .kind = ParameterKind::number,
          .unit = "dBm",
          .minimum = -300,
          .maximum = 100,
          .optional = true};
}

}  // namespace tesseray
