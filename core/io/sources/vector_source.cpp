// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/vector_source.h"

#include <cmath>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/listed.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/layer_filter.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_file.h"
#include "core/io/sources/sql_text.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

constexpr std::string_view osm_polygon_layer = "multipolygons";
constexpr std::string_view osm_point_layer = "points";

bool may_hold(OGRwkbGeometryType type, VectorSource::Content content) {
  const OGRwkbGeometryType flat = wkbFlatten(type);
  if (flat == wkbUnknown || flat == wkbGeometryCollection) return true;
  if (content == VectorSource::Content::points) return flat == wkbPoint || flat == wkbMultiPoint;
  return OGR_GT_IsSubClassOf(flat, wkbSurface) || OGR_GT_IsSubClassOf(flat, wkbMultiSurface) ||
         flat == wkbPolyhedralSurface || flat == wkbTIN;
}

std::string content_name(VectorSource::Content content) {
  return content == VectorSource::Content::points ? "points" : "polygons";
}

bool has_table_ending(const std::string& dataset) {
  const std::string lower = lower_case(dataset);
  return lower.ends_with(".csv") || lower.ends_with(".tsv") || lower.ends_with(".txt");
}

}  // namespace

bool holds_numbers(const OGRFieldDefn& field) {
  const OGRFieldType type = field.GetType();
  return type == OFTInteger || type == OFTInteger64 || type == OFTReal;
}

VectorSource::VectorSource(const std::string& source, Content content, const std::string& parameter)
    : parameter_(parameter) {
  const SourceName name = parse_source_name(source);
  opened_ = name.dataset;
  file_ = without_password(name.dataset);
  require_file(name.dataset, parameter);
  open(name);
  choose_layer(name, content);
  if (const TableLines* lines = table_lines()) refuse_broken_table(*lines, place());
  check_geometry_type(content);
  refuse_missing_dbf();
  set_filter(*layer_, name, gdal_, place());
  filter_ = name.filter;
  if (is_csv_) read_cells_as_texts();
  has_one_number_ = std::string_view(dataset_->GetDriverName()) == "SQLite" && have_first_rows_one_number();
}

std::string VectorSource::number_column() { return has_one_number_ ? "" : as_utf8(layer_->GetFIDColumn()); }

bool VectorSource::have_first_rows_one_number() {
  rewind();
  const OGRFeatureUniquePtr first = next(), second = next();
  rewind();
  return first != nullptr && second != nullptr && first->GetFID() == second->GetFID();
}

// By the types that a .csvt says GDAL cuts numbers ("-27.1" among integers) and leaves out what is none ("20 ft").
void VectorSource::read_cells_as_texts() {
  OGRFeatureDefn& columns = *layer_->GetLayerDefn();
  std::vector<OGRFieldDefn*> of_numbers;
  for (int i = 0; i < columns.GetFieldCount(); ++i) {
    if (holds_numbers(*columns.GetFieldDefn(i))) of_numbers.push_back(columns.GetFieldDefn(i));
  }
  if (of_numbers.empty()) return;
  // A filter is written for those types.
  if (!filter_.empty()) {
    std::set<GIntBig> kept;
    while (const OGRFeatureUniquePtr row = next()) kept.insert(row->GetFID());
    layer_->SetAttributeFilter(nullptr);
    rewind();
    kept_rows_ = std::move(kept);
  }
  for (OGRFieldDefn* column : of_numbers) {
    column->SetSubType(OFSTNone);
    column->SetType(OFTString);
  }
}

void VectorSource::open(const SourceName& name) {
  std::string connection = name.dataset;
  const std::string lower = lower_case(connection);
  const bool is_table = is_local_path(connection) && has_table_ending(connection);
  // GDAL takes the zeros of such a table for the ends of its texts.
  if (is_table && is_utf16(connection)) throw utf16_text(file_);
  const std::size_t hint_bytes = is_table ? separator_hint_bytes(connection) : 0;
  if (hint_bytes > 0) connection.insert(0, "/vsisubfile/" + std::to_string(hint_bytes) + ",");
  // GDAL recognises tables by ".csv" alone.
  if (is_table && !lower.ends_with(".csv")) connection = "CSV:" + connection;
  dataset_.reset(GDALDataset::Open(connection.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
  if (dataset_ == nullptr) {
    gdal_.refuse_locked(opened_);
    const std::string why = reason();
    gdal_.forget();
    const bool shows_pixels = is_raster(connection);
    gdal_.forget();
    if (shows_pixels) {
      throw Error(ErrorKind::invalid_input, "not_a_vector_layer", "this is a raster, not a vector layer",
                  "give a vector layer as " + parameter_, {.file = file_});
    }
    if (is_local_path(name.dataset) && is_utf16(name.dataset)) throw utf16_text(file_);
    // A header of one cell is none for GDAL: a title, or what a quote makes of all that follows.
    if (is_table) refuse_broken_table(read_table_lines(name.dataset, 0), {.file = file_});
    const std::string hint = hint_for_zip(opened_);
    throw Error(ErrorKind::invalid_input, "unreadable_file", "this cannot be read as a vector layer" + why,
                hint.empty() ? "check that the file is complete and that QGIS can open it" : hint, {.file = file_});
  }
  const std::string driver = dataset_->GetDriverName();
  is_csv_ = driver == "CSV";
  is_osm_ = driver == "OSM";
}

OGRLayer* named_layer(GDALDataset& dataset, const SourceName& name) {
  if (name.layer.empty() && !name.layer_index) return nullptr;
  OGRLayer* layer = nullptr;
  if (!name.layer.empty()) {
    layer = dataset.GetLayerByName(name.layer.c_str());
  } else if (*name.layer_index >= 0) {
    layer = dataset.GetLayer(*name.layer_index);
  }
  if (layer != nullptr) return layer;
  std::vector<std::string> names;
  for (OGRLayer* each : dataset.GetLayers()) names.emplace_back(each->GetName());
  const ErrorPlace place{.file = without_password(name.dataset)};
  if (name.layer.empty()) {
    throw Error(ErrorKind::invalid_input, "unknown_layer", "there is no layer with this layerid",
                "name it by |layername=. Its layers: " + listed(names), place);
  }
  const std::string near = nearest_name(name.layer, names);
  throw Error(ErrorKind::invalid_input, "unknown_layer", "there is no layer \"" + name.layer + "\"",
              (near.empty() ? "its layers: " : "did you mean \"" + near + "\"? Its layers: ") + listed(names), place);
}

void VectorSource::choose_layer(const SourceName& name, Content content) {
  layer_ = named_layer(*dataset_, name);
  if (layer_ == nullptr) layer_ = fitting_layer(content);
  if (layer_ == nullptr) {
    throw Error(ErrorKind::invalid_input, "no_layer", "the source has no layer of " + content_name(content),
                "check what was given as " + parameter_, {.file = file_});
  }
  if (is_osm_) {
    // Otherwise features of the file's other layers pile up in memory while this one is read.
    dataset_->ExecuteSQL(("SET interest_layers = " + layer_name()).c_str(), nullptr, nullptr);
  }
}

OGRLayer* VectorSource::fitting_layer(Content content) {
  if (is_osm_) {
    return dataset_->GetLayerByName((content == Content::points ? osm_point_layer : osm_polygon_layer).data());
  }
  if (dataset_->GetLayerCount() == 1) return dataset_->GetLayer(0);
  std::vector<OGRLayer*> fitting;
  std::vector<std::string> all_names, fitting_names;
  for (OGRLayer* layer : dataset_->GetLayers()) {
    all_names.emplace_back(layer->GetName());
    if (may_hold(layer->GetGeomType(), content) && layer->GetGeomType() != wkbNone) {
      fitting.push_back(layer);
      fitting_names.emplace_back(layer->GetName());
    }
  }
  if (fitting.size() == 1) return fitting.front();
  if (all_names.empty()) {
    throw Error(ErrorKind::invalid_input, "no_layer", "the source has no layers",
                "check what was given as " + parameter_, {.file = file_});
  }
  throw Error(ErrorKind::invalid_input, "ambiguous_layer",
              fitting.empty()
                  ? "none of its " + std::to_string(all_names.size()) + " layers holds " + content_name(content)
                  : std::to_string(fitting.size()) + " of its layers hold " + content_name(content),
              "say which with |layername=NAME. Its layers: " + listed(fitting.empty() ? all_names : fitting_names),
              {.file = file_});
}

void VectorSource::check_geometry_type(Content content) {
  const OGRwkbGeometryType type = layer_->GetGeomType();
  // Points may be numbers in two columns of a table.
  if (type == wkbNone && content == Content::points) return;
  if (type == wkbNone) {
    throw Error(ErrorKind::invalid_input, "no_geometry", "this is a table without geometry",
                "give a layer of " + content_name(content) + " as " + parameter_, place());
  }
  if (!may_hold(type, content)) {
    throw Error(ErrorKind::invalid_input, "wrong_geometry",
                "the layer holds geometries of type " + std::string(OGRGeometryTypeToName(type)) + ", not " +
                    content_name(content),
                "give a layer of " + content_name(content) + " as " + parameter_, place());
  }
}

// Without its table, GDAL reads a shapefile as a layer without fields: heights and names would be missing in silence.
void VectorSource::refuse_missing_dbf() {
  if (fields().GetFieldCount() > 0 || std::string_view(dataset_->GetDriverName()) != "ESRI Shapefile") return;
  const CPLStringList files(dataset_->GetFileList());
  const std::string table = lower_case(layer_name()) + ".dbf";
  for (int i = 0; i < files.size(); ++i) {
    if (lower_case(std::filesystem::path(files[i]).filename().string()) == table) return;
  }
  throw Error(ErrorKind::invalid_input, "missing_dbf", "the shapefile's table, " + layer_name() + ".dbf, is missing",
              "copy it along: .shp, .shx, .dbf and .prj are one layer together", place());
}

ErrorPlace VectorSource::place(const OGRFeature& feature) {
  ErrorPlace where = place();
  // Features of a table count from 1, behind the header.
  const TableLines* lines = table_lines();
  const auto row = static_cast<std::size_t>(feature.GetFID());
  if (lines != nullptr && row < lines->of_rows.size()) {
    where.line = lines->of_rows[row];
  } else if (is_csv_) {
    where.line = feature.GetFID() + 1;
  } else {
    where.feature_id = feature.GetFID();
  }
  return where;
}

const TableLines* VectorSource::table_lines() {
  if (!is_csv_ || !is_local_path(opened_) || !std::filesystem::is_regular_file(opened_)) return nullptr;
  if (!table_lines_) table_lines_ = read_table_lines(opened_, static_cast<std::size_t>(fields().GetFieldCount()));
  return &*table_lines_;
}

void VectorSource::rewind() {
  layer_->ResetReading();
  rows_read_ = 0;
}

OGRFeatureUniquePtr VectorSource::next_kept() {
  OGRFeatureUniquePtr feature{layer_->GetNextFeature()};
  while (feature != nullptr && kept_rows_ && !kept_rows_->contains(feature->GetFID())) {
    feature.reset(layer_->GetNextFeature());
  }
  return feature;
}

OGRFeatureUniquePtr VectorSource::next() {
  gdal_.forget();
  OGRFeatureUniquePtr feature = next_kept();
  if (feature != nullptr && has_one_number_) feature->SetFID(rows_read_++);
  if (feature != nullptr) refuse_numbers_read_in_part(*feature);
  if (gdal_.last_failure().empty()) return feature;
  if (feature == nullptr) throw breaks_off(place());
  // Of a shapefile that was cut off, GDAL gives the features behind the cut without their geometries.
  if (feature->GetGeomFieldCount() > 0 && feature->GetGeometryRef() == nullptr) throw breaks_off(place(*feature));
  return feature;
}

void VectorSource::refuse_texts_among_numbers(int field) {
  const OGRFieldDefn& definition = *fields().GetFieldDefn(field);
  if (!holds_numbers(definition)) return;
  numbers_read_.insert(field);
  const std::string_view driver = dataset_->GetDriverName();
  if (driver == "GPKG" || driver == "SQLite") refuse_texts_in_database(definition);
}

// Of texts that it reads itself as numbers, as those of shapefiles, GDAL warns.
void VectorSource::refuse_numbers_read_in_part(OGRFeature& feature) {
  for (const GdalSession::PartOfNumber& part : gdal_.numbers_read_in_part()) {
    for (const int field : numbers_read_) {
      const OGRFieldDefn& definition = *fields().GetFieldDefn(field);
      if (part.field != layer_name() + "." + definition.GetNameRef()) continue;
      // The same number in another spelling: "12.0" of integers.
      if (parse_number(part.text) == feature.GetFieldAsDouble(field)) continue;
      if (!is_blank(part.text)) throw text_among_numbers(place(feature), definition, as_utf8(part.text));
      feature.SetFieldNull(field);
    }
  }
}

void VectorSource::refuse_texts_in_database(const OGRFieldDefn& field) {
  const std::string column = quoted_name(field.GetNameRef()), numbers = layer_->GetFIDColumn();
  const std::string select = "SELECT " + (numbers.empty() ? "NULL" : quoted_name(numbers)) + " AS number, CAST(" +
                             column + " AS TEXT) AS text FROM " + quoted_name(layer_name()) + " WHERE typeof(" +
                             column + ") IN ('text', 'blob')" + (filter_.empty() ? "" : " AND (" + filter_ + ")") +
                             " LIMIT 1";
  gdal_.forget();
  OGRLayer* const found = dataset_->ExecuteSQL(select.c_str(), nullptr, nullptr);
  const OGRFeatureUniquePtr row{found == nullptr ? nullptr : found->GetNextFeature()};
  std::optional<ErrorPlace> where;
  std::string text;
  if (row != nullptr) {
    where = place();
    const int number = row->GetFieldIndex("number");
    // The key of a table is the feature's number.
    if (!numbers.empty()) where->feature_id = number < 0 ? row->GetFID() : row->GetFieldAsInteger64(number);
    text = as_utf8(row->GetFieldAsString("text"));
  }
  if (found != nullptr) dataset_->ReleaseResultSet(found);
  gdal_.forget();
  if (where) throw text_among_numbers(*where, field, text);
}

Error VectorSource::text_among_numbers(ErrorPlace where, const OGRFieldDefn& field, const std::string& text) {
  where.field = as_utf8(field.GetNameRef());
  return {ErrorKind::invalid_input, "text_among_numbers",
          "\"" + text + "\" is a text in a field of numbers, of which its beginning alone would be read",
          "write a number there, with a decimal point (or NULL for none), or make it a field of texts", where};
}

Error VectorSource::breaks_off(const ErrorPlace& where) {
  gdal_.refuse_locked_meanwhile(opened_);
  return {ErrorKind::invalid_input, "unreadable_file", "the source cannot be read to its end" + reason(),
          "check that the file is complete and that QGIS can show all of it", where};
}

Error VectorSource::no_features(const std::string& hint) {
  const std::string message = filter_.empty() ? "the layer has no features"
                                              : "the filter \"" + filter_ + "\" leaves none of the layer's features";
  return {ErrorKind::invalid_input, "empty_layer", message, filter_.empty() ? hint : "correct the filter", place()};
}

namespace {

bool is_finite(const OGREnvelope& box) { return std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY); }

// Farther than any place has coordinates: of an infinite one, databases make a number that they can hold.
bool may_be_infinite(const OGREnvelope& box) {
  constexpr double farthest = 1e9;
  const auto is_near = [](double coordinate) { return std::fabs(coordinate) < farthest; };
  return !(is_near(box.MinX) && is_near(box.MaxX) && is_near(box.MinY) && is_near(box.MaxY));
}

}  // namespace

Rectangle VectorSource::bounds() {
  if (!bounds_) bounds_ = found_bounds();
  return *bounds_;
}

Rectangle VectorSource::found_bounds() {
  OGREnvelope box;
  gdal_.forget();
  const bool is_known = layer_->GetExtent(&box, TRUE) == OGRERR_NONE && box.IsInit();
  if (!gdal_.last_failure().empty()) throw breaks_off(place());
  // Some formats tell of the point 0, 0 where there are no features, or none that the filter leaves.
  const bool may_be_empty = box.MinX == 0 && box.MaxX == 0 && box.MinY == 0 && box.MaxY == 0;
  // GDAL's bounds know of no filter; OSM's formats may do without, and GDAL does not look for them then.
  if (may_be_empty || !filter_.empty() || !is_known || may_be_infinite(box)) return bounds_of_features();
  return {{box.MinX, box.MinY}, {box.MaxX, box.MaxY}};
}

Rectangle VectorSource::bounds_of_features() {
  OGREnvelope box;
  rewind();
  while (const OGRFeatureUniquePtr feature = next()) {
    OGREnvelope part;
    if (feature->GetGeometryRef() == nullptr) continue;
    feature->GetGeometryRef()->getEnvelope(&part);
    // What is not finite is for the readers to tell of, feature by feature.
    if (part.IsInit() && is_finite(part)) box.Merge(part);
  }
  rewind();
  if (!box.IsInit()) return {};
  return {{box.MinX, box.MinY}, {box.MaxX, box.MaxY}};
}

std::string VectorSource::reason() const {
  return gdal_.last_failure().empty() ? "" : " (" + without_passwords_of(opened_, gdal_.last_failure()) + ")";
}

}  // namespace tesseray
