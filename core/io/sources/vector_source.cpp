// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/vector_source.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/folder_entries.h"
#include "core/base/is_there.h"
#include "core/base/listed.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/datum_grids.h"
#include "core/io/sources/layer_filter.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/sql_text.h"
#include "core/io/sources/text_values.h"
#include "core/io/sources/write_ahead_log.h"

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

// By its byte order mark, or by a zero beside each of the first letters.
bool is_utf16(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 8> begin{};
  if (!stream.read(begin.data(), begin.size())) return false;
  if (const std::string_view mark(begin.data(), 2); mark == "\xFF\xFE" || mark == "\xFE\xFF") return true;
  const auto has_zeros_at = [&](std::size_t first) {
    for (std::size_t i = 0; i < begin.size(); ++i) {
      if ((i % 2 == first) != (begin[i] == 0)) return false;
    }
    return true;
  };
  return has_zeros_at(0) || has_zeros_at(1);
}

Error utf16_text(const std::string& file) {
  return {ErrorKind::invalid_input,
          "unreadable_file",
          "this is text in UTF-16, as Windows calls “Unicode”",
          "save it as UTF-8 (in an editor, or with iconv -f UTF-16 -t UTF-8)",
          {.file = file}};
}

// Of what GDAL makes of such a table, the rows behind the place would be missed in silence or called empty.
void refuse_broken_table(const TableLines& lines, ErrorPlace where) {
  if (lines.with_nul > 0) {
    where.line = lines.with_nul;
    throw Error(ErrorKind::invalid_input, "nul_character", "there is a NUL character (a byte of 0) in the table",
                "remove it, or save the table as text in UTF-8 anew", where);
  }
  if (lines.unclosed > 0) {
    where.line = lines.unclosed;
    throw Error(ErrorKind::invalid_input, "unclosed_quote",
                "a quotation mark in this row is not closed: all rows behind it would belong to one cell",
                "close it, or remove it; within quotes write it twice (\"12\"\" mast\")", where);
  }
  if (lines.cells_below_title > 0) {
    where.line = lines.of_rows.front();
    throw Error(ErrorKind::invalid_input, "title_above_header",
                "this line has one cell and the next " + std::to_string(lines.cells_below_title) +
                    ": it is a title, not the header",
                "remove it, so that the names of the columns are the first line", where);
  }
}

std::string files_beside(const std::filesystem::path& path) {
  std::vector<std::string> names;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const std::filesystem::path& beside : entries_of(folder)) names.push_back(beside.filename());
  std::sort(names.begin(), names.end());
  return nearest_name(path.filename().string(), names);
}

}  // namespace

bool holds_numbers(const OGRFieldDefn& field) {
  const OGRFieldType type = field.GetType();
  return type == OFTInteger || type == OFTInteger64 || type == OFTReal;
}

void require_permission_to_read(const std::string& dataset) {
  std::error_code failed;
  const bool is_there = std::filesystem::exists(dataset, failed);
  if (failed != std::errc::permission_denied && (!is_there || access(dataset.c_str(), R_OK) == 0)) return;
  throw Error(ErrorKind::invalid_input, "unreadable_file", "the permission to read this is missing",
              "let its owner give it, or take a copy that you may read", {.file = without_password(dataset)});
}

void require_file(const std::string& dataset, const std::string& parameter) {
  if (dataset.empty()) {
    throw Error(ErrorKind::invalid_input, "missing_parameter", parameter + " is not given", "name a file or layer");
  }
  if (!is_local_path(dataset)) return refuse_unread_changes(dataset);
  std::error_code failed;
  const bool is_there = std::filesystem::exists(dataset, failed);
  require_permission_to_read(dataset);
  if (is_pipe_or_device(dataset)) {
    throw Error(ErrorKind::invalid_input, "unreadable_file",
                "this is a pipe or a device, and files are read more than once",
                "write what comes through it to a file, and name that", {.file = dataset});
  }
  if (is_there && std::filesystem::is_regular_file(dataset, failed) &&
      std::filesystem::file_size(dataset, failed) == 0 && !failed) {
    throw Error(ErrorKind::invalid_input, "unreadable_file", "the file is empty, of 0 bytes",
                "make or copy it anew: what wrote it was broken off, or the disk was full", {.file = dataset});
  }
  if (is_there) return refuse_unread_changes(dataset);
  const std::string near = files_beside(dataset);
  throw Error(ErrorKind::invalid_input, "file_not_found", "there is no such file",
              near.empty() ? "check the path given as " + parameter : "did you mean " + near + "?",
              {.file = without_password(dataset)});
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
    const bool is_raster =
        is_local_path(connection) &&
        GDALDatasetUniquePtr(GDALDataset::Open(connection.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY)) != nullptr;
    gdal_.forget();
    if (is_raster) {
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

namespace {

// Its coordinates count from the middle of the Earth: x and y alone, which layers are read by, are no place on a map.
void refuse_geocentric(const Crs& crs, const ErrorPlace& place) {
  if (!crs.is_geocentric()) return;
  throw Error(ErrorKind::invalid_input, "geocentric_crs",
              "the CRS " + crs.name() + " is geocentric: its coordinates count from the middle of the Earth",
              "reproject it in QGIS (Reproject layer, with the Z values) to a projected or geographic CRS", place);
}

}  // namespace

Crs source_crs(const Crs& own, const CrsRule& rule, const ErrorPlace& place) {
  refuse_geocentric(own, place);
  if (rule.local_metres) {
    if (own.is_geographic()) {
      throw Error(ErrorKind::invalid_input, "degrees_in_local_metres",
                  "the coordinates are degrees of " + own.name() + ", which LOCAL_METRES would take for metres",
                  "leave LOCAL_METRES out, or give the layer in the local metres of the environment", place);
    }
    if (own.is_projected() && !own.is_projected_in_metres()) {
      throw Error(
          ErrorKind::invalid_input, "feet_in_local_metres",
          "the coordinates are feet or other units of " + own.name() + ", which LOCAL_METRES would take for metres",
          "leave LOCAL_METRES out: the coordinates are transformed then", place);
    }
    return {};
  }
  // Before all: without it GDAL makes a CRS of rasters an engineering one.
  require_proj_database();
  if (own.is_engineering()) {
    throw Error(ErrorKind::invalid_input, "engineering_crs",
                "the CRS \"" + own.name() + "\" is an engineering CRS, of which nobody knows where on Earth it lies",
                "assign the true CRS in QGIS (Layer > Set CRS), or give LOCAL_METRES to compute in its metres", place);
  }
  require_own_grids(own, place);
  if (!own.empty()) return own;
  if (rule.chosen.empty()) {
    // What is read beside the scene lies in an environment whose CRS is known, and is often a table, which has none.
    const std::string hint = rule.chosen_parameter == "CRS"
                                 ? "assign one in QGIS (Layer > Set CRS) or give CRS, or LOCAL_METRES where the "
                                   "coordinates are metres of no known CRS"
                                 : "give " + rule.chosen_parameter +
                                       ", which may be the environment's own CRS, or assign a layer one in QGIS (Layer "
                                       "> Set CRS)";
    throw Error(ErrorKind::invalid_input, "missing_crs", "there is no CRS with it", hint, place);
  }
  Crs chosen = Crs::from_text(rule.chosen, {.field = rule.chosen_parameter});
  refuse_geocentric(chosen, {.field = rule.chosen_parameter});
  return chosen;
}

}  // namespace tesseray
