// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_reader.h"

#include <ogrsf_frmts.h>

#include <utility>

#include "core/io/results/path_loss_file.h"
#include "core/io/results/path_loss_frame.h"
#include "core/io/results/path_loss_rows.h"
#include "core/io/results/path_loss_transmitters.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/source_name.h"

namespace tesseray {

PathLossLayer read_path_loss(const std::string& source, Outlines outlines, Progress& progress,
                             const std::vector<std::string>& used,
                             const std::function<void(const PathLossSize&)>& before_rows) {
  progress.begin_stage("path loss");
  PathLossFile file(parse_source_name(source));
  PathLossLayer layer;
  layer.frame = frame_of(file, outlines);
  const PathLossSize size = file.size();
  if (before_rows) before_rows(size);
  PathLossRows rows =
      read_rows(file, {.origin = layer.frame.origin, .used = used, .outlines = outlines, .count = size.rows}, progress);
  layer.targets = std::move(rows.targets);
  layer.outlines = std::move(rows.outlines);
  layer.transmitters = read_transmitters_of(layer.targets, file, layer.frame.origin);
  layer.holds_reached_only = file.runs().holds_reached_only();
  warn_of_other_transmitters(file, progress);
  return layer;
}

PathLossNames path_loss_names(const std::string& source) { return PathLossFile(parse_source_name(source)).names(); }

std::vector<PathLossNames> path_losses_in(const std::filesystem::path& file) {
  std::vector<std::string> names;
  {
    GdalSession session;
    const GDALDatasetUniquePtr database(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    session.refuse_locked(file.string());
    if (!database) return {};
    for (OGRLayer* layer : database->GetLayers()) {
      if (is_path_loss(*layer)) names.emplace_back(layer->GetName());
    }
  }
  std::vector<PathLossNames> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    const SourceName source{.dataset = file.string(), .layer = name, .layer_index = {}, .filter = {}};
    found.push_back(PathLossFile(source).names());
  }
  return found;
}

}  // namespace tesseray
