// SPDX-License-Identifier: GPL-3.0-or-later
// The file that a source of path losses names, opened for reading: which of its layers has the path losses, and which
// their transmitters.
#pragma once

#include <ogrsf_frmts.h>

#include <string>

#include "core/base/error.h"
#include "core/io/results/path_loss_layer.h"
#include "core/io/results/path_loss_runs.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/source_name.h"

namespace tesseray {

// What to do where a layer of path losses is not as it must be.
inline constexpr char path_loss_hint[] = "give the path_loss layer that predictcoverage wrote";

// By its fields, whatever it is called; one of best servers, which has them, too, is none.
bool is_path_loss(OGRLayer& layer);

class PathLossFile {
 public:
  // The layer that the source names, else the one of the usual name, else the only one of path losses, with the
  // source's filter set. Throws Error(invalid_input) where there is none, and for one of best servers.
  explicit PathLossFile(const SourceName& source);

  GDALDataset& dataset() { return *dataset_; }
  GdalSession& session() { return session_; }
  OGRLayer& rows() const { return *rows_; }
  OGRLayer* transmitters() const { return transmitters_; }  // null where there are none
  // The SQL condition that chooses among the rows; empty: all.
  const std::string& filter() const { return source_.filter; }
  PathLossRuns runs() { return {*dataset_, session_, rows_->GetName()}; }

  PathLossNames names() const;
  PathLossSize size() const;

  // As errors and warnings call the file.
  std::string name() const;
  // Of an error: the layer of the rows, or a feature of one of both.
  ErrorPlace place() const;
  ErrorPlace place_of(const OGRFeature& feature, OGRLayer& layer) const;
  // Throws Error(invalid_input) about the layer of the rows, with path_loss_hint.
  [[noreturn]] void fail(const std::string& code, const std::string& message) const;
  // Throws Error(invalid_input) if GDAL has failed since it was last made to forget.
  void refuse_failed_reading() const;

 private:
  OGRLayer* find_rows();
  OGRLayer* find_transmitters();
  OGRLayer* only_layer(bool (*is_wanted)(OGRLayer& layer));
  void refuse_best_servers();
  std::string reason() const;

  SourceName source_;
  GdalSession session_;
  GDALDatasetUniquePtr dataset_;
  OGRLayer* rows_ = nullptr;
  OGRLayer* transmitters_ = nullptr;
};

}  // namespace tesseray
