// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/geopackage_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/layer_styles.h"
#include "core/io/results/reference_system.h"
#include "core/io/sources/sql_text.h"

namespace tesseray {

namespace {

constexpr std::int32_t application_id = 0x47504B47;  // "GPKG"
constexpr int user_version = 10300;                  // GeoPackage 1.3.0
constexpr std::int32_t undefined_cartesian_srs = -1;
constexpr std::int32_t first_custom_srs_id = 100'000;

constexpr char undefined_wkt[] = "undefined";
// EPSG:4326 as the standard asks for it (GeoPackage 1.3, requirement 11).
constexpr char wgs84_wkt[] =
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,AUTHORITY[\"EPSG\",\"7030\"]],"
    "AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],UNIT[\"degree\","
    "0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST],"
    "AUTHORITY[\"EPSG\",\"4326\"]]";

const char* column_type_name(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "INTEGER";
    case ColumnType::real:
      return "REAL";
    case ColumnType::text:
      return "TEXT";
    case ColumnType::boolean:
      return "BOOLEAN";
  }
  return "";
}

const char* geometry_type_name(LayerGeometry geometry) {
  switch (geometry) {
    case LayerGeometry::point_z:
      return "POINT";
    case LayerGeometry::line_string_z:
      return "LINESTRING";
    case LayerGeometry::polygon_z:
      return "POLYGON";
    case LayerGeometry::multi_polygon:
      return "MULTIPOLYGON";
    case LayerGeometry::geometry:
    case LayerGeometry::none:
      break;
  }
  return "GEOMETRY";
}

bool has_heights(LayerGeometry geometry) {
  return geometry != LayerGeometry::geometry && geometry != LayerGeometry::multi_polygon;
}

// Tables that have a row for each layer, and their column with its name. Styles and metadata of a layer are others',
// who keep them when it is replaced.
constexpr std::array<std::array<const char*, 2>, 6> tables_about_layers = {{
    {"gpkg_data_columns", "table_name"},
    {"gpkg_extensions", "table_name"},
    {"gpkg_ogr_contents", "table_name"},
    {"gpkg_geometry_columns", "table_name"},
    {"gpkg_contents", "table_name"},
    {"sqlite_sequence", "name"},
}};

// The table's columns besides fid and geometry, in order.
std::vector<std::string> columns_of(SqliteDatabase& database, const std::string& table) {
  SqliteStatement list(database, "SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('fid', ?) ORDER BY cid");
  list.bind(1, table).bind(2, geometry_column);
  std::vector<std::string> names;
  while (list.step()) names.push_back(list.text(0));
  return names;
}

bool has_wkt2_column(SqliteDatabase& database) {
  return database.integer(
             "SELECT count(*) FROM pragma_table_info('gpkg_spatial_ref_sys') WHERE name = 'definition_12_063'") > 0;
}

// Whether an organisation has a number for it.
bool is_known(const ReferenceSystem& system) { return system.code > 0; }

std::optional<std::int32_t> find_reference_system(SqliteDatabase& database, const ReferenceSystem& system) {
  const bool both = has_wkt2_column(database);
  const std::string same_definition =
      "definition = ?1" + std::string(both ? " AND (?1 <> 'undefined' OR definition_12_063 = ?2)" : "");
  SqliteStatement find(database, is_known(system)
                                     ? "SELECT srs_id FROM gpkg_spatial_ref_sys WHERE upper(organization) = upper(?1) "
                                       "AND organization_coordsys_id = ?2"
                                     : "SELECT srs_id FROM gpkg_spatial_ref_sys WHERE " + same_definition);
  if (is_known(system)) {
    find.bind(1, system.organization).bind(2, std::int64_t{system.code});
  } else {
    find.bind(1, system.definition);
    if (both) find.bind(2, system.definition_wkt2);
  }
  if (!find.step()) return std::nullopt;
  return static_cast<std::int32_t>(find.integer(0));
}

// The organisation's own number, unless another system has taken it.
std::int32_t free_srs_id(SqliteDatabase& database, const ReferenceSystem& system) {
  if (is_known(system) && database.integer("SELECT count(*) FROM gpkg_spatial_ref_sys WHERE srs_id = " +
                                           std::to_string(system.code)) == 0) {
    return system.code;
  }
  return static_cast<std::int32_t>(std::max<std::int64_t>(
      first_custom_srs_id, database.integer("SELECT max(srs_id) + 1 FROM gpkg_spatial_ref_sys")));
}

void add_reference_system(SqliteDatabase& database, std::int32_t id, const ReferenceSystem& system) {
  const bool both = has_wkt2_column(database);
  SqliteStatement insert(database,
                         std::string("INSERT INTO gpkg_spatial_ref_sys (srs_name, srs_id, organization, "
                                     "organization_coordsys_id, definition") +
                             (both ? ", definition_12_063) VALUES (?, ?, ?, ?, ?, ?)" : ") VALUES (?, ?, ?, ?, ?)"));
  insert.bind(1, system.name).bind(2, std::int64_t{id}).bind(3, system.organization);
  insert.bind(4, std::int64_t{is_known(system) ? system.code : id}).bind(5, system.definition);
  if (both) insert.bind(6, system.definition_wkt2);
  insert.run();
}

}  // namespace

std::unique_ptr<GeoPackageFile> GeoPackageFile::create(const FileTarget& target, const LocalFrame& frame,
                                                       const std::vector<unsigned char>& start) {
  auto staged = std::make_unique<StagedFile>(target);
  if (!start.empty()) staged->write(0, start);
  return std::unique_ptr<GeoPackageFile>(new GeoPackageFile(target.file, std::move(staged), frame));
}

std::unique_ptr<GeoPackageFile> GeoPackageFile::extend(const std::filesystem::path& target, const LocalFrame& frame,
                                                       bool overwrite) {
  auto file = std::unique_ptr<GeoPackageFile>(new GeoPackageFile(target, nullptr, frame));
  file->overwrite_ = overwrite;
  return file;
}

GeoPackageFile::GeoPackageFile(const std::filesystem::path& target, std::unique_ptr<StagedFile> staged,
                               const LocalFrame& frame)
    : target_(target), staged_(std::move(staged)) {
  using Access = SqliteDatabase::Access;
  database_ = staged_ ? std::make_unique<SqliteDatabase>(staged_->path(), Access::staged, target)
                      : std::make_unique<SqliteDatabase>(target, Access::shared);
  // Exclusive from the start: a file that others hold is found before the work, not at the commit.
  database_->execute("BEGIN EXCLUSIVE");
  if (staged_) {
    database_->execute("PRAGMA application_id = " + std::to_string(application_id));
    database_->execute("PRAGMA user_version = " + std::to_string(user_version));
  }
  make_standard_tables();
  make_extension_tables();
  srs_id_ = find_or_add_reference_system(frame);
  // The rasters that a new file began with came without a reference system.
  if (staged_ && database_->has_table("gpkg_tile_matrix_set")) {
    const std::string set_srs = " SET srs_id = " + std::to_string(srs_id_);
    database_->execute("UPDATE gpkg_tile_matrix_set" + set_srs);
    database_->execute("UPDATE gpkg_contents" + set_srs +
                       " WHERE table_name IN (SELECT table_name FROM gpkg_tile_matrix_set)");
  }
}

void GeoPackageFile::make_standard_tables() {
  database_->execute(
      "CREATE TABLE IF NOT EXISTS gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, "
      "organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, "
      "description TEXT);"
      "CREATE TABLE IF NOT EXISTS gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, "
      "identifier TEXT UNIQUE, description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT "
      "(strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, "
      "srs_id INTEGER, CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));"
      "CREATE TABLE IF NOT EXISTS gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, "
      "geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL, "
      "CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), "
      "CONSTRAINT uk_gc_table_name UNIQUE (table_name), "
      "CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name), "
      "CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));"
      "INSERT OR IGNORE INTO gpkg_spatial_ref_sys (srs_name, srs_id, organization, "
      "organization_coordsys_id, definition, description) VALUES ('Undefined Cartesian SRS', -1, 'NONE', -1, "
      "'undefined', "
      "'undefined Cartesian coordinate reference system');"
      "INSERT OR IGNORE INTO gpkg_spatial_ref_sys (srs_name, srs_id, organization, "
      "organization_coordsys_id, definition, description) VALUES ('Undefined geographic SRS', 0, 'NONE', 0, "
      "'undefined', "
      "'undefined geographic coordinate reference system');");
}

void GeoPackageFile::make_extension_tables() {
  database_->execute(
      "CREATE TABLE IF NOT EXISTS gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, "
      "definition TEXT NOT NULL, scope TEXT NOT NULL, "
      "CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));"
      "CREATE TABLE IF NOT EXISTS gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, "
      "title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT, "
      "CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name), CONSTRAINT gdc_tn UNIQUE (table_name, name));"
      "CREATE TABLE IF NOT EXISTS gpkg_data_column_constraints (constraint_name TEXT NOT NULL, "
      "constraint_type TEXT NOT NULL, value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, "
      "max_is_inclusive BOOLEAN, description TEXT, "
      "CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value));"
      // As QGIS makes it, so that its Save style in datasource finds the same columns.
      "CREATE TABLE IF NOT EXISTS layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "
      "f_table_catalog TEXT(256), f_table_schema TEXT(256), f_table_name TEXT(256), f_geometry_column TEXT(256), "
      "styleName TEXT(30), styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT(30), "
      "ui TEXT(30), update_time DATETIME DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));"
      "INSERT OR IGNORE INTO gpkg_contents (table_name, data_type, identifier, description) "
      "VALUES ('layer_styles', 'attributes', 'layer_styles', 'QGIS styles of the layers');");
  require_style_columns(columns_of(*database_, "layer_styles"), target_);
  const std::string schema = "http://www.geopackage.org/spec121/#extension_schema";
  declare_extension("gpkg_data_columns", "", "gpkg_schema", schema, "read-write");
  declare_extension("gpkg_data_column_constraints", "", "gpkg_schema", schema, "read-write");
}

void GeoPackageFile::declare_extension(const std::string& table, const std::string& column, const std::string& name,
                                       const std::string& definition, const std::string& scope) {
  // UNIQUE takes two NULL columns for different, hence the look first.
  const std::string column_value = column.empty() ? "NULL" : quoted_text(column);
  const std::string values = quoted_text(table) + ", " + column_value + ", " + quoted_text(name) + ", " +
                             quoted_text(definition) + ", " + quoted_text(scope);
  database_->execute("INSERT INTO gpkg_extensions SELECT " + values +
                     " WHERE NOT EXISTS (SELECT 1 FROM gpkg_extensions WHERE table_name = " + quoted_text(table) +
                     " AND column_name IS " + column_value + " AND extension_name = " + quoted_text(name) + ")");
}

std::int32_t GeoPackageFile::find_or_add_reference_system(const LocalFrame& frame) {
  SqliteDatabase& database = *database_;
  if (database.integer("SELECT count(*) FROM gpkg_spatial_ref_sys WHERE srs_id = 4326") == 0) {
    add_reference_system(database, 4326,
                         {.name = "WGS 84 geodetic",
                          .organization = "EPSG",
                          .code = 4326,
                          .definition = wgs84_wkt,
                          .definition_wkt2 = undefined_wkt});
  }
  if (frame.crs_wkt.empty()) return undefined_cartesian_srs;

  const ReferenceSystem system = describe_reference_system(frame, target_);
  if (system.definition == undefined_wkt && !has_wkt2_column(database)) {
    // Only WKT 2 can say what this CRS is.
    database.execute("ALTER TABLE gpkg_spatial_ref_sys ADD COLUMN definition_12_063 TEXT NOT NULL DEFAULT 'undefined'");
    declare_extension("gpkg_spatial_ref_sys", "definition_12_063", "gpkg_crs_wkt",
                      "http://www.geopackage.org/spec120/#extension_crs_wkt", "read-write");
  }
  if (const std::optional<std::int32_t> id = find_reference_system(database, system)) return *id;
  const std::int32_t id = free_srs_id(database, system);
  add_reference_system(database, id, system);
  return id;
}

bool GeoPackageFile::is_drawn_like_its_table(const Layer& layer) {
  SqliteStatement find(*database_,
                       "SELECT geometry_type_name FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)");
  const std::string geometry = find.bind(1, layer.name).step() ? find.text(0) : std::string();
  const bool has_geometry = layer.geometry != LayerGeometry::none;
  return geometry == (has_geometry ? geometry_type_name(layer.geometry) : "") &&
         has_columns(layer, columns_of(*database_, layer.name));
}

void GeoPackageFile::drop_layer(const std::string& name) {
  // Each answer is read to its end before anything is dropped: SQLite locks what a statement still reads.
  const auto first_text = [&](const char* sql) {
    SqliteStatement find(*database_, sql);
    return find.bind(1, name).step() ? find.text(0) : std::string();
  };
  const std::string type = first_text("SELECT data_type FROM gpkg_contents WHERE lower(table_name) = lower(?)");
  const bool is_table = first_text("SELECT type FROM sqlite_master WHERE lower(name) = lower(?)") == "table";
  if (!is_table || (type != "features" && type != "attributes")) {
    throw Error(ErrorKind::invalid_input, "not_a_layer",
                std::string(is_table ? "the table is no vector layer" : "this is a view of other tables") +
                    ", so it is not replaced",
                "give the layer another name (file.gpkg|layername=…)", {.file = target_.string(), .layer = name});
  }
  const std::string geometry =
      first_text("SELECT column_name FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)");
  const std::string rtree = "rtree_" + name + "_" + geometry;
  if (!geometry.empty() && database_->has_table(rtree)) database_->execute("DROP TABLE " + quoted_name(rtree));
  database_->execute("DROP TABLE " + quoted_name(name));
  for (const auto& [table, column] : tables_about_layers) {
    if (!database_->has_table(table)) continue;
    SqliteStatement remove(*database_, std::string("DELETE FROM ") + table + " WHERE lower(" + column + ") = lower(?)");
    remove.bind(1, name).run();
  }
  if (database_->has_table("gpkg_metadata_reference")) {
    SqliteStatement remove(*database_,
                           "DELETE FROM gpkg_metadata_reference WHERE lower(table_name) = lower(?) AND row_id_value "
                           "NOTNULL");  // the row is no longer there
    remove.bind(1, name).run();
  }
}

void GeoPackageFile::begin_layer(const Layer& layer) {
  const bool exists = database_->has_table(layer.name);
  if (exists && layer.append) {
    add_newer_columns(layer);
    require_columns(columns_of(*database_, layer.name), layer, target_);
  } else {
    if (exists && !overwrite_) throw_layer_exists(target_, layer.name);
    const bool styles_fit = !exists || is_drawn_like_its_table(layer);
    if (exists) drop_layer(layer.name);
    make_table(layer);
    for (const std::string& statement : statements_for_styles(layer, styles_fit)) database_->execute(statement);
  }

  const bool has_geometry = layer.geometry != LayerGeometry::none;
  std::string columns = "fid";
  std::string parameters = "?";
  const auto add_column = [&](const std::string& name) {
    columns += ", " + quoted_name(name);
    parameters += ", ?";
  };
  if (has_geometry) add_column(geometry_column);
  for (const Column& column : layer.columns) add_column(column.name);
  const std::int64_t last = database_->integer("SELECT max(fid) FROM " + quoted_name(layer.name));
  writing_.emplace(Writing{&layer,
                           SqliteStatement(*database_, "INSERT INTO " + quoted_name(layer.name) + " (" + columns +
                                                           ") VALUES (" + parameters + ")"),
                           last + 1,
                           {},
                           std::nullopt});
  if (has_geometry) {
    const std::string rtree = "rtree_" + layer.name + "_" + geometry_column;
    database_->execute("CREATE VIRTUAL TABLE " + quoted_name(rtree) + " USING rtree(id, minx, maxx, miny, maxy)");
    writing_->rtree.emplace(*database_, rtree);
  }
}

void GeoPackageFile::make_table(const Layer& layer) {
  const bool has_geometry = layer.geometry != LayerGeometry::none;
  std::string columns = "fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL";
  if (has_geometry) columns += std::string(", ") + geometry_column + " " + geometry_type_name(layer.geometry);
  for (const Column& column : layer.columns) {
    columns += ", " + quoted_name(column.name) + " " + column_type_name(column.type);
  }
  database_->execute("CREATE TABLE " + quoted_name(layer.name) + " (" + columns + ")");

  // Identifiers are unique in a file; a foreign layer may have taken this one.
  SqliteStatement contents(*database_,
                           "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) SELECT "
                           "?1, ?2, CASE WHEN EXISTS (SELECT 1 FROM gpkg_contents WHERE identifier = ?1) THEN NULL "
                           "ELSE ?1 END, ?3, ?4");
  contents.bind(1, layer.name).bind(2, has_geometry ? "features" : "attributes").bind(3, layer.description);
  if (has_geometry) contents.bind(4, std::int64_t{srs_id_});
  contents.run();
  if (has_geometry) {
    SqliteStatement(*database_, "INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, 0)")
        .bind(1, layer.name)
        .bind(2, geometry_column)
        .bind(3, geometry_type_name(layer.geometry))
        .bind(4, std::int64_t{srs_id_})
        .bind(5, std::int64_t{has_heights(layer.geometry) ? 1 : 0})
        .run();
  }
  describe_columns(layer.name, layer.columns);
}

void GeoPackageFile::add_newer_columns(const Layer& layer) {
  const std::vector<Column> missing = newer_columns(columns_of(*database_, layer.name), layer);
  for (const Column& column : missing) {
    database_->execute("ALTER TABLE " + quoted_name(layer.name) + " ADD COLUMN " + quoted_name(column.name) + " " +
                       column_type_name(column.type));
  }
  describe_columns(layer.name, missing);
}

void GeoPackageFile::describe_columns(const std::string& table, const std::vector<Column>& columns) {
  SqliteStatement insert(*database_,
                         "INSERT INTO gpkg_data_columns (table_name, column_name, title, description) "
                         "VALUES (?, ?, ?, ?)");
  for (const Column& column : columns) {
    insert.bind(1, table).bind(2, column.name).bind(3, column_title(column.name)).bind(4, column.description).run();
  }
}

void GeoPackageFile::write(LayerRows& block) {
  Writing& writing = *writing_;
  const bool has_geometry = writing.layer->geometry != LayerGeometry::none;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const std::int64_t fid = writing.next_fid++;
    int parameter = 1;
    writing.insert.bind(parameter++, fid);
    if (has_geometry && block.geometries.is_null(i)) {
      writing.insert.bind_null(parameter++);
    } else if (has_geometry) {
      writing.insert.bind(parameter++, block.geometries.geopackage_binary(i, srs_id_));
      const Rectangle& box = block.geometries.envelope(i);
      writing.rtree->add(fid, box);
      writing.extent.extend(box.min);
      writing.extent.extend(box.max);
    }
    for (const Value* value = block.row(i); value != block.row(i) + block.columns; ++value, ++parameter) {
      switch (value->type()) {
        case Value::Type::null:
          writing.insert.bind_null(parameter);
          break;
        case Value::Type::integer:
          writing.insert.bind(parameter, value->as_integer());
          break;
        case Value::Type::real:
          writing.insert.bind(parameter, value->as_real());
          break;
        case Value::Type::text:
          writing.insert.bind(parameter, value->as_text());
          break;
      }
    }
    writing.insert.run();
  }
}

void GeoPackageFile::end_layer() {
  const Layer& layer = *writing_->layer;
  if (writing_->rtree) writing_->rtree->finish();
  const Rectangle extent = writing_->extent;
  writing_.reset();
  if (layer.geometry != LayerGeometry::none) make_spatial_index(layer);
  SqliteStatement update(*database_,
                         "UPDATE gpkg_contents SET last_change = strftime('%Y-%m-%dT%H:%M:%fZ','now'), min_x = ?2, "
                         "min_y = ?3, max_x = ?4, max_y = ?5 WHERE table_name = ?1");
  update.bind(1, layer.name);
  if (!extent.empty()) {
    update.bind(2, extent.min.x).bind(3, extent.min.y).bind(4, extent.max.x).bind(5, extent.max.y);
  }
  update.run();
}

// Declares the R-tree and keeps it in step with later edits (GeoPackage 1.3, annex F.3).
void GeoPackageFile::make_spatial_index(const Layer& layer) {
  declare_extension(layer.name, geometry_column, "gpkg_rtree_index",
                    "http://www.geopackage.org/spec120/#extension_rtree", "write-only");
  const std::string rtree_name = "rtree_" + layer.name + "_" + geometry_column;
  const std::string rtree = quoted_name(rtree_name);
  const std::string table = quoted_name(layer.name);
  const std::string geometry = quoted_name(geometry_column);
  const std::string insert = "INSERT OR REPLACE INTO " + rtree + " VALUES (NEW.fid, ST_MinX(NEW." + geometry +
                             "), ST_MaxX(NEW." + geometry + "), ST_MinY(NEW." + geometry + "), ST_MaxY(NEW." +
                             geometry + ")); ";
  const std::string remove_old = "DELETE FROM " + rtree + " WHERE id = OLD.fid; ";
  const std::string has_shape = "(NEW." + geometry + " NOTNULL AND NOT ST_IsEmpty(NEW." + geometry + "))";
  const std::string has_none = "(NEW." + geometry + " ISNULL OR ST_IsEmpty(NEW." + geometry + "))";
  const auto trigger = [&](const char* suffix, const std::string& when, const std::string& action) {
    database_->execute("CREATE TRIGGER " + quoted_name(rtree_name + "_" + suffix) + " AFTER " + when + " BEGIN " +
                       action + "END");
  };
  const std::string update_shape = "UPDATE OF " + geometry + " ON " + table + " WHEN OLD.fid = NEW.fid AND ";
  const std::string update_id = "UPDATE ON " + table + " WHEN OLD.fid != NEW.fid AND ";
  trigger("insert", "INSERT ON " + table + " WHEN " + has_shape, insert);
  trigger("update1", update_shape + has_shape, insert);
  trigger("update2", update_shape + has_none, remove_old);
  trigger("update3", update_id + has_shape, remove_old + insert);
  trigger("update4", update_id + has_none, "DELETE FROM " + rtree + " WHERE id IN (OLD.fid, NEW.fid); ");
  trigger("delete", "DELETE ON " + table + " WHEN OLD." + geometry + " NOT NULL", remove_old);
}

GeoPackageFile::~GeoPackageFile() {
  if (staged_ || !database_) return;
  // After an error of writing SQLite leaves its journal for the next reader to roll back with: be that reader.
  writing_.reset();
  database_.reset();
  try {
    SqliteDatabase(target_, SqliteDatabase::Access::shared).has_table("gpkg_contents");
  } catch (const Error&) {
    // The journal stays, and whoever opens the file next rolls back.
  }
}

void GeoPackageFile::prepare() {
  if (!staged_) return;
  database_->execute("COMMIT");
  database_.reset();
  staged_->flush();
}

void GeoPackageFile::require_publishable() {
  if (staged_) return tesseray::require_publishable(*staged_, require_nothing_of_others);
  if (!database_->was_replaced()) return;
  throw Error(ErrorKind::invalid_input, "file_replaced", "another program put another file in its place meanwhile",
              "run again to add to that, or name another file", {.file = target_.string()});
}

void GeoPackageFile::publish() {
  if (staged_) {
    publish_database(*staged_, require_nothing_of_others);
    return;
  }
  require_publishable();
  database_->execute("COMMIT");
  database_.reset();
}

}  // namespace tesseray
