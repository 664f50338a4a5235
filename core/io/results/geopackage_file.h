// SPDX-License-Identifier: GPL-3.0-or-later
// Writes layers to a GeoPackage 1.3 (OGC 12-128r17): contents, reference systems, R-trees with their triggers, column
// descriptions (schema extension) and QGIS default styles.
//
// Without OGR's driver, which takes several times as long for the R-tree, and does not tell a locked file, a full disk
// and a layer that exists apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/staged_file.h"
#include "core/io/results/output_database.h"
#include "core/io/results/rtree.h"
#include "core/io/results/sqlite_database.h"
#include "core/scene/scene.h"

namespace tesseray {

class GeoPackageFile : public OutputDatabase {
 public:
  // A new file in place of what `target` lets it replace. `start`: a GeoPackage to begin with (rasters by GDAL), or
  // empty.
  static std::unique_ptr<GeoPackageFile> create(const FileTarget& target, const LocalFrame& frame,
                                                const std::vector<unsigned char>& start);
  // One transaction in the GeoPackage at `target`; with `overwrite`, layers may replace others of their name.
  static std::unique_ptr<GeoPackageFile> extend(const std::filesystem::path& target, const LocalFrame& frame,
                                                bool overwrite);

  ~GeoPackageFile() override;

  void begin_layer(const Layer& layer) override;
  void write(LayerRows& block) override;
  void end_layer() override;
  void prepare() override;
  void require_publishable() override;
  void publish() override;

 private:
  GeoPackageFile(const std::filesystem::path& target, std::unique_ptr<StagedFile> staged, const LocalFrame& frame);

  void make_standard_tables();
  void make_extension_tables();
  void declare_extension(const std::string& table, const std::string& column, const std::string& name,
                         const std::string& definition, const std::string& scope);
  std::int32_t find_or_add_reference_system(const LocalFrame& frame);
  // Whether styles of the table that the layer replaces can draw it.
  bool is_drawn_like_its_table(const Layer& layer);
  void drop_layer(const std::string& name);
  void make_table(const Layer& layer);
  // Those that a table of an earlier version lacks.
  void add_newer_columns(const Layer& layer);
  void describe_columns(const std::string& table, const std::vector<Column>& columns);
  void make_spatial_index(const Layer& layer);

  std::filesystem::path target_;
  bool overwrite_ = false;
  std::unique_ptr<StagedFile> staged_;  // none: an existing file
  std::unique_ptr<SqliteDatabase> database_;
  std::int32_t srs_id_ = 0;

  // The layer being written.
  struct Writing {
    const Layer* layer = nullptr;
    SqliteStatement insert;
    std::int64_t next_fid = 1;
    Rectangle extent;
    std::optional<RtreeBuilder> rtree;
  };
  std::optional<Writing> writing_;
};

}  // namespace tesseray
