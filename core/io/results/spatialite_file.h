// SPDX-License-Identifier: GPL-3.0-or-later
// Writes layers to a SpatiaLite database, through OGR's SQLite driver.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/staged_file.h"
#include "core/io/results/output_database.h"
#include "core/io/results/sqlite_database.h"
#include "core/scene/scene.h"

class GDALDataset;
class OGRLayer;
class OGRSpatialReference;

namespace tesseray {

// SpatiaLite keeps its own books in several tables, which cannot be changed in one transaction with the layers: an
// existing database is therefore copied, and the copy takes its place when complete. Nobody else may write to it from
// before the copy until then: it would be lost.
class SpatialiteFile : public OutputDatabase {
 public:
  // `keep`: begin with what is in the file of `target`; with `overwrite`, layers may replace others of their name.
  SpatialiteFile(const FileTarget& target, const LocalFrame& frame, bool keep, bool overwrite);
  ~SpatialiteFile() override;

  void begin_layer(const Layer& layer) override;
  void write(LayerRows& block) override;
  void end_layer() override;
  void prepare() override;
  void require_publishable() override;
  void publish() override;

 private:
  [[noreturn]] void fail(const std::string& doing, const std::string& reason) const;
  void execute(const std::string& sql);
  void make_column(const Column& column);
  void require_registered(const Layer& layer);
  void add_styles(const Layer& layer);

  std::optional<SqliteWriteLock> lock_;  // on what is kept
  StagedFile staged_;
  bool overwrite_ = false;
  std::unique_ptr<GDALDataset> dataset_;
  std::unique_ptr<OGRSpatialReference> crs_;  // none: local metres
  const Layer* layer_ = nullptr;              // the one being written
  OGRLayer* table_ = nullptr;
  bool styles_fit_ = true;  // those of the table that it replaces can draw it
};

}  // namespace tesseray
