// SPDX-License-Identifier: GPL-3.0-or-later
// One layer of a vector source, opened read-only: what buildings, vegetation, transmitters and drive tests come from.
#pragma once

#include <ogrsf_frmts.h>

#include <optional>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/source_name.h"
#include "core/io/sources/table_lines.h"

namespace tesseray {

// The layer that a source names, or counts by its layerid; null when it does neither. Throws Error("unknown_layer").
OGRLayer* named_layer(GDALDataset& dataset, const SourceName& name);
// By its type.
bool holds_numbers(const OGRFieldDefn& field);

class VectorSource {
 public:
  enum class Content { polygons, points };

  // `parameter`: what the source was given as, for messages ("BUILDINGS"). Throws Error when the source cannot be
  // opened, when it is not clear which of its layers is meant, when that one holds other geometries, when a shapefile
  // comes without its .dbf, or when a quote in a CSV file is not closed. A table without geometry is taken for points,
  // which may be numbers in its columns. Cells of CSV files are texts, whatever a .csvt beside them says.
  VectorSource(const std::string& source, Content content, const std::string& parameter);

  OGRLayer& layer() { return *layer_; }
  const OGRFeatureDefn& fields() { return *layer_->GetLayerDefn(); }
  // What the source calls the features' numbers ("fid"), where these are a column of its; "" for none.
  std::string number_column();
  std::string layer_name() { return layer_->GetName(); }
  ErrorPlace place() { return {.file = file_, .layer = is_csv_ ? "" : layer_name()}; }
  // The place of a feature; of a line in a CSV file.
  ErrorPlace place(const OGRFeature& feature);
  const std::string& parameter() const { return parameter_; }

  // Of a CSV file on this machine; null for other sources. The file is read for it once.
  const TableLines* table_lines();

  // OpenStreetMap's own file formats.
  bool is_osm() const { return is_osm_; }
  // Of the layer; none when it has none.
  Crs crs() { return Crs::of(layer_->GetSpatialRef()); }
  // Back before the first feature.
  void rewind();
  // The next feature, or null behind the last. Throws Error when the source breaks off or a geometry in it cannot be
  // read, so that nothing is lost silently. Where GDAL gives all rows one number, as of SpatiaLite's views, they are
  // numbered as they come.
  OGRFeatureUniquePtr next();
  // For a field that is read. Throws Error, now or in next(), for a text in a field of numbers, of which GDAL reads the
  // beginning ("12,9" as 12, "tall" as 0).
  void refuse_texts_among_numbers(int field);
  // In the layer's coordinates, of all that the filter leaves but features that reach to infinity; empty when there is
  // no geometry. Looked for once.
  Rectangle bounds();
  // The same of all features that there are, one by one: databases may tell of what has been deleted.
  Rectangle bounds_of_features();
  // What is wrong with a source without features: the layer has none, or its filter leaves none.
  Error no_features(const std::string& hint);
  // What GDAL said last, in parentheses, or "".
  std::string reason() const;

 private:
  void open(const SourceName& name);
  void choose_layer(const SourceName& name, Content content);
  // Where none is named.
  OGRLayer* fitting_layer(Content content);
  void check_geometry_type(Content content);
  void refuse_missing_dbf();
  void read_cells_as_texts();
  OGRFeatureUniquePtr next_kept();
  // Words for nothing become no value.
  void refuse_numbers_read_in_part(OGRFeature& feature);
  // Of texts in fields of numbers, whose types SQLite does not enforce.
  void refuse_texts_in_database(const OGRFieldDefn& field);
  static Error text_among_numbers(ErrorPlace where, const OGRFieldDefn& field, const std::string& text);
  Error breaks_off(const ErrorPlace& where);
  bool have_first_rows_one_number();
  Rectangle found_bounds();

  GdalSession gdal_;
  // file_: what messages say for opened_.
  std::string parameter_, opened_, file_, filter_;
  GDALDatasetUniquePtr dataset_;
  OGRLayer* layer_ = nullptr;
  bool is_csv_ = false, is_osm_ = false;
  bool has_one_number_ = false;                 // for all rows
  GIntBig rows_read_ = 0;                       // since rewind()
  std::optional<std::set<GIntBig>> kept_rows_;  // by the filter, where GDAL can no longer tell
  std::set<int> numbers_read_;                  // fields of numbers of which a text is an error in next()
  std::optional<Rectangle> bounds_;
  std::optional<TableLines> table_lines_;
};

}  // namespace tesseray
