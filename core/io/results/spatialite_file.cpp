// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/spatialite_file.h"

#include <gdal_priv.h>
#include <ogrsf_frmts.h>

#include "core/base/error.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/layer_styles.h"
#include "core/io/results/reference_system.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/memory_file.h"
#include "core/io/sources/sql_text.h"

namespace tesseray {

namespace {

OGRwkbGeometryType ogr_type(LayerGeometry geometry) {
  switch (geometry) {
    case LayerGeometry::none:
      return wkbNone;
    case LayerGeometry::point_z:
      return wkbPoint25D;
    case LayerGeometry::line_string_z:
      return wkbLineString25D;
    case LayerGeometry::polygon_z:
      return wkbPolygon25D;
    case LayerGeometry::multi_polygon:
      return wkbMultiPolygon;
    case LayerGeometry::geometry:
      break;
  }
  return wkbUnknown;
}

OGRFieldType ogr_type(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return OFTInteger64;
    case ColumnType::real:
      return OFTReal;
    case ColumnType::text:
      return OFTString;
    case ColumnType::boolean:
      break;
  }
  return OFTInteger;
}

// An empty SpatiaLite database. It is made in memory, since OGR insists on making its file itself while ours exists
// already, locked and named.
void make_empty_database(StagedFile& staged) {
  GdalSession session;
  const MemoryFile memory(".sqlite");
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("SQLite");
  const char* const options[] = {"SPATIALITE=YES", "INIT_WITH_EPSG=NO", nullptr};
  GDALDatasetUniquePtr dataset(
      driver == nullptr ? nullptr
                        : driver->Create(memory.name().c_str(), 0, 0, 0, GDT_Unknown, const_cast<char**>(options)));
  const bool is_made = dataset != nullptr;
  dataset.reset();
  if (!is_made || memory.bytes().empty()) {
    throw Error(ErrorKind::invalid_input, "no_spatialite",
                "this GDAL cannot make SpatiaLite databases (" + session.last_failure() + ")",
                "write a GeoPackage (.gpkg) instead", {.file = staged.target().string()});
  }
  staged.write(0, memory.bytes());
}

std::vector<std::string> columns_of(OGRLayer& table) {
  std::vector<std::string> names;
  OGRFeatureDefn& definition = *table.GetLayerDefn();
  names.reserve(static_cast<std::size_t>(definition.GetFieldCount()));
  for (int i = 0; i < definition.GetFieldCount(); ++i) names.emplace_back(definition.GetFieldDefn(i)->GetNameRef());
  return names;
}

void copy_database(const StagedFile& to) {
  SqliteDatabase source(to.target(), SqliteDatabase::Access::shared);
  SqliteDatabase copy(to.path(), SqliteDatabase::Access::staged, to.target());
  source.copy_to(copy);
}

}  // namespace

SpatialiteFile::SpatialiteFile(const FileTarget& target, const LocalFrame& frame, bool keep, bool overwrite)
    : lock_(keep ? std::make_optional<SqliteWriteLock>(target.file) : std::nullopt),
      staged_(target),
      overwrite_(overwrite) {
  if (keep) {
    copy_database(staged_);
  } else {
    make_empty_database(staged_);
  }
  GdalSession session;
  dataset_.reset(GDALDataset::Open(staged_.path().c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
  if (!dataset_) fail("opened", session.last_failure());
  if (!frame.crs_wkt.empty()) {
    crs_ = read_reference_system(frame, target.file);
    crs_->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  }
  // Nothing of a failed run is kept, and the finished file is flushed once.
  execute("PRAGMA synchronous = OFF");
  execute("PRAGMA journal_mode = OFF");
  if (dataset_->StartTransaction() != OGRERR_NONE) fail("written", session.last_failure());
}

SpatialiteFile::~SpatialiteFile() {
  GdalSession session;
  dataset_.reset();
}

void SpatialiteFile::fail(const std::string& doing, const std::string& reason) const {
  // GDAL's message is often about what came of it only.
  if (!staged_.has_room()) throw_disk_full(staged_.path(), staged_.target());
  throw Error(ErrorKind::resources, "write_failed", "the SpatiaLite database cannot be " + doing + " (" + reason + ")",
              "check the disk, or write a GeoPackage (.gpkg)", {.file = staged_.target().string()});
}

void SpatialiteFile::execute(const std::string& sql) {
  GdalSession session;
  dataset_->ReleaseResultSet(dataset_->ExecuteSQL(sql.c_str(), nullptr, nullptr));
  if (!session.last_failure().empty()) fail("written", session.last_failure());
}

void SpatialiteFile::begin_layer(const Layer& layer) {
  GdalSession session;
  layer_ = &layer;
  table_ = dataset_->GetLayerByName(layer.name.c_str());
  if (table_ != nullptr && layer.append) {
    for (const Column& column : newer_columns(columns_of(*table_), layer)) make_column(column);
    return require_columns(columns_of(*table_), layer, staged_.target());
  }
  if (table_ != nullptr && !overwrite_) throw_layer_exists(staged_.target(), layer.name);
  styles_fit_ = table_ == nullptr || (wkbFlatten(table_->GetGeomType()) == wkbFlatten(ogr_type(layer.geometry)) &&
                                      has_columns(layer, columns_of(*table_)));
  for (int i = 0; table_ != nullptr && i < dataset_->GetLayerCount(); ++i) {
    if (dataset_->GetLayer(i) == table_) {
      if (dataset_->DeleteLayer(i) != OGRERR_NONE) fail("cleared of the layer " + layer.name, session.last_failure());
      table_ = nullptr;
    }
  }
  const std::string geometry_option = std::string("GEOMETRY_NAME=") + geometry_column;
  const char* const options[] = {"LAUNDER=NO", "FID=fid", "SPATIAL_INDEX=YES", geometry_option.c_str(), nullptr};
  table_ = dataset_->CreateLayer(layer.name.c_str(), layer.geometry == LayerGeometry::none ? nullptr : crs_.get(),
                                 ogr_type(layer.geometry), const_cast<char**>(options));
  if (table_ == nullptr) fail("given the layer " + layer.name, session.last_failure());
  for (const Column& column : layer.columns) make_column(column);
}

void SpatialiteFile::make_column(const Column& column) {
  GdalSession session;
  OGRFieldDefn field(column.name.c_str(), ogr_type(column.type));
  if (column.type == ColumnType::boolean) field.SetSubType(OFSTBoolean);
  if (table_->CreateField(&field) != OGRERR_NONE) fail("given the field " + column.name, session.last_failure());
}

void SpatialiteFile::write(LayerRows& block) {
  GdalSession session;
  OGRFeature feature(table_->GetLayerDefn());
  for (std::size_t i = 0; i < block.rows; ++i) {
    feature.SetFID(OGRNullFID);
    OGRGeometry* geometry = nullptr;
    if (layer_->geometry != LayerGeometry::none && !block.geometries.is_null(i)) {
      const auto wkb = block.geometries.wkb(i);
      if (OGRGeometryFactory::createFromWkb(wkb.data(), crs_.get(), &geometry, wkb.size()) != OGRERR_NONE) {
        fail("given a geometry of " + layer_->name, session.last_failure());
      }
    }
    feature.SetGeometryDirectly(geometry);
    const Value* value = block.row(i);
    for (int field = 0; field < static_cast<int>(block.columns); ++field, ++value) {
      switch (value->type()) {
        case Value::Type::null:
          feature.SetFieldNull(field);
          break;
        case Value::Type::integer:
          feature.SetField(field, static_cast<GIntBig>(value->as_integer()));
          break;
        case Value::Type::real:
          feature.SetField(field, value->as_real());
          break;
        case Value::Type::text:
          feature.SetField(field, std::string(value->as_text()).c_str());
          break;
      }
    }
    if (table_->CreateFeature(&feature) != OGRERR_NONE) fail("written", session.last_failure());
  }
}

void SpatialiteFile::end_layer() {
  GdalSession session;
  if (table_->SyncToDisk() != OGRERR_NONE) fail("written", session.last_failure());
  require_registered(*layer_);
  add_styles(*layer_);
  table_ = nullptr;
}

// No program finds the geometries of a layer that is not in SpatiaLite's books, and who fails to enter it tells nobody.
void SpatialiteFile::require_registered(const Layer& layer) {
  if (layer.geometry == LayerGeometry::none) return;
  GdalSession session;
  const std::string sql =
      "SELECT 1 FROM geometry_columns WHERE lower(f_table_name) = lower(" + quoted_text(layer.name) + ")";
  OGRLayer* const entries = dataset_->ExecuteSQL(sql.c_str(), nullptr, nullptr);
  const bool is_registered = entries != nullptr && entries->GetFeatureCount() > 0;
  dataset_->ReleaseResultSet(entries);
  if (!is_registered) fail("given the geometries of " + layer.name, "SpatiaLite does not register them");
}

void SpatialiteFile::add_styles(const Layer& layer) {
  if (layer.styles.empty()) return;
  execute(
      "CREATE TABLE IF NOT EXISTS layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT, f_table_catalog VARCHAR(256), "
      "f_table_schema VARCHAR(256), f_table_name VARCHAR(256), f_geometry_column VARCHAR(256), styleName VARCHAR(30), "
      "styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner VARCHAR(30), ui TEXT, "
      "update_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
  if (OGRLayer* const styles = dataset_->GetLayerByName("layer_styles")) {
    require_style_columns(columns_of(*styles), staged_.target());
  }
  for (const std::string& statement : statements_for_styles(layer, styles_fit_)) execute(statement);
}

void SpatialiteFile::prepare() {
  GdalSession session;
  if (dataset_->CommitTransaction() != OGRERR_NONE) fail("written", session.last_failure());
  dataset_.reset();
  if (!session.last_failure().empty()) fail("written", session.last_failure());
  // SpatiaLite tells some errors of writing to nobody but standard error.
  SqliteDatabase written(staged_.path(), SqliteDatabase::Access::shared, staged_.target());
  SqliteStatement check(written, "PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") fail("written", "it is damaged");
  staged_.flush();
}

void SpatialiteFile::require_publishable() {
  if (lock_) {
    staged_.require_untaken();
  } else {
    tesseray::require_publishable(staged_, require_nothing_of_others);
  }
}

void SpatialiteFile::publish() {
  if (lock_) {
    staged_.publish();
  } else {
    publish_database(staged_, require_nothing_of_others);
  }
}

}  // namespace tesseray
