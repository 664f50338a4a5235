// SPDX-License-Identifier: GPL-3.0-or-later
#include <ogrsf_frmts.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/hexadecimal.h"
#include "core/base/is_there.h"
#include "core/io/results/environment_file.h"
#include "core/io/results/environment_format.h"
#include "core/io/results/grid_coverage.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/source_file.h"
#include "core/io/sources/write_ahead_log.h"
#include "core/scene/file/scene_file.h"
#include "core/tiling/tiling.h"

namespace tesseray {

namespace {

constexpr char make_anew[] = "make the environment anew with tileenvironment";

// Reads an environment's tables, naming file, layer and field when one is not as it should be.
class EnvironmentReader {
 public:
  explicit EnvironmentReader(const std::filesystem::path& path) : path_(path) {
    require_permission_to_read(path.string());
    if (!is_there(path)) {
      throw Error(ErrorKind::invalid_input, "file_not_found", "the file does not exist",
                  "give the environment that tileenvironment wrote", {.file = path.string()});
    }
    refuse_unread_changes(path.string());
    constexpr const char* drivers[] = {"GPKG", nullptr};
    dataset_.reset(GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY, drivers));
    session_.refuse_locked(path.string());
    if (!dataset_ || dataset_->GetLayerByName(environment_table) == nullptr) {
      throw Error(ErrorKind::invalid_input, "not_an_environment", "the file is not an environment",
                  "give the environment that tileenvironment wrote", {.file = path.string()});
    }
  }

  // Calls `take` for each feature of a layer, in the order in which they were written.
  template <class Take>
  void for_each(const std::string& name, const Take& take) {
    session_.forget();
    OGRLayer* layer = dataset_->GetLayerByName(name.c_str());
    if (layer == nullptr) fail(name, "", "the layer is missing");
    for (const OGRFeatureUniquePtr& feature : *layer) take(*feature);
    if (session_.last_failure().empty()) return;
    session_.refuse_locked_meanwhile(path_.string());
    fail(name, "", "the layer cannot be read (" + session_.last_failure() + ")");
  }

  double real(const OGRFeature& feature, const char* field) const {
    return feature.GetFieldAsDouble(set_field(feature, field));
  }
  std::int64_t integer(const OGRFeature& feature, const char* field) const {
    return feature.GetFieldAsInteger64(set_field(feature, field));
  }
  std::string text(const OGRFeature& feature, const char* field) const {
    const int index = feature.GetFieldIndex(field);
    return index < 0 ? std::string() : feature.GetFieldAsString(index);
  }

  // Rings without their closing points, in scene coordinates, order and first points kept.
  Rings rings(const OGRFeature& feature, Vec2 origin) const {
    const OGRGeometry* geometry = feature.GetGeometryRef();
    if (geometry == nullptr || wkbFlatten(geometry->getGeometryType()) != wkbPolygon) {
      fail(feature.GetDefnRef()->GetName(), "", "feature " + std::to_string(feature.GetFID()) + " is no polygon");
    }
    Rings rings;
    for (const OGRLinearRing* from : *geometry->toPolygon()) {
      Ring& ring = rings.emplace_back();
      for (int i = 0; i + 1 < from->getNumPoints(); ++i) ring.push_back(Vec2{from->getX(i), from->getY(i)} - origin);
    }
    return rings;
  }

  [[noreturn]] void fail(const std::string& layer, const std::string& field, const std::string& message) const {
    throw Error(ErrorKind::invalid_input, "bad_environment", message, make_anew,
                {.file = path_.string(), .layer = layer, .field = field});
  }

 private:
  int set_field(const OGRFeature& feature, const char* field) const {
    const int index = feature.GetFieldIndex(field);
    if (index < 0 || !feature.IsFieldSetAndNotNull(index)) {
      fail(feature.GetDefnRef()->GetName(), field, "feature " + std::to_string(feature.GetFID()) + " has no value");
    }
    return index;
  }

  std::filesystem::path path_;
  GdalSession session_;
  GDALDatasetUniquePtr dataset_;
};

// What the metadata row says beside the scene.
struct Stored {
  std::string scene_hash, environment_hash, crs_hash;
  std::uint32_t terrain_columns = 0, terrain_rows = 0;
};

Stored read_metadata(EnvironmentReader& reader, Environment& environment) {
  Stored stored;
  int rows = 0;
  reader.for_each(environment_table, [&](const OGRFeature& row) {
    ++rows;
    const std::int64_t version = reader.integer(row, "format_version");
    if (version != environment_format_version) {
      reader.fail(environment_table, "format_version",
                  "the environment is of format version " + std::to_string(version) + "; this Tesseray reads version " +
                      std::to_string(environment_format_version));
    }
    Scene& scene = environment.scene;
    scene.frame.crs_name = reader.text(row, "crs_name");
    scene.frame.crs_wkt = reader.text(row, "crs_wkt");
    scene.frame.origin = {reader.real(row, "origin_x"), reader.real(row, "origin_y")};
    scene.extent.min = {reader.real(row, "extent_min_x"), reader.real(row, "extent_min_y")};
    scene.extent.max = {reader.real(row, "extent_max_x"), reader.real(row, "extent_max_y")};
    scene.terrain.south_west = {reader.real(row, "terrain_x"), reader.real(row, "terrain_y")};
    scene.terrain.step_x = reader.real(row, "terrain_step_x");
    scene.terrain.step_y = reader.real(row, "terrain_step_y");
    stored.terrain_columns = static_cast<std::uint32_t>(reader.integer(row, "terrain_columns"));
    stored.terrain_rows = static_cast<std::uint32_t>(reader.integer(row, "terrain_rows"));
    // Environments written before there was clutter say nothing of it.
    if (row.GetFieldIndex("clutter_columns") >= 0) {
      scene.clutter.south_west = {reader.real(row, "clutter_x"), reader.real(row, "clutter_y")};
      scene.clutter.step_x = reader.real(row, "clutter_step_x");
      scene.clutter.step_y = reader.real(row, "clutter_step_y");
      scene.clutter.columns = static_cast<std::uint32_t>(reader.integer(row, "clutter_columns"));
      scene.clutter.rows = static_cast<std::uint32_t>(reader.integer(row, "clutter_rows"));
    }
    environment.tiling_options = {.tile_area_m2 = reader.real(row, "tile_area_m2"),
                                  .min_wall_width_m = reader.real(row, "min_wall_width_m"),
                                  .min_wall_area_m2 = reader.real(row, "min_wall_area_m2"),
                                  .ridge_angle_deg = reader.real(row, "ridge_angle_deg")};
    stored.scene_hash = reader.text(row, "scene_hash");
    stored.environment_hash = reader.text(row, "environment_hash");
    stored.crs_hash = reader.text(row, "crs_hash");
  });
  if (rows != 1) reader.fail(environment_table, "", "the table has " + std::to_string(rows) + " rows instead of one");
  return stored;
}

void read_materials(EnvironmentReader& reader, Scene& scene) {
  scene.materials.clear();
  reader.for_each("materials", [&](const OGRFeature& row) {
    Material& material = scene.materials.emplace_back();
    material = {reader.text(row, "name"), reader.real(row, "a"), reader.real(row, "b"), reader.real(row, "c"),
                reader.real(row, "d")};
    // Environments written before ranges were kept have none.
    if (row.GetFieldIndex("minimum_ghz") < 0) return;
    material.minimum_ghz = reader.real(row, "minimum_ghz");
    material.maximum_ghz = reader.real(row, "maximum_ghz");
  });
}

void read_buildings(EnvironmentReader& reader, Scene& scene) {
  reader.for_each("buildings", [&](const OGRFeature& row) {
    Prism prism;
    prism.building_id = reader.integer(row, "building_id");
    prism.source_feature = reader.integer(row, "source_feature");
    prism.part = static_cast<std::uint32_t>(reader.integer(row, "part"));
    prism.rings = reader.rings(row, scene.frame.origin);
    prism.bottom_z = reader.real(row, "base_z");
    prism.top_z = reader.real(row, "roof_z");
    prism.on_ground = reader.integer(row, "on_ground") != 0;
    const std::int64_t material = reader.integer(row, "material_id");
    if (material < 0 || material >= static_cast<std::int64_t>(scene.materials.size())) {
      reader.fail("buildings", "material_id",
                  "feature " + std::to_string(row.GetFID()) + " has material " + std::to_string(material) +
                      ", which does not exist");
    }
    prism.material = static_cast<std::uint16_t>(material);
    scene.prisms.push_back(std::move(prism));
  });
}

void read_vegetation(EnvironmentReader& reader, Scene& scene) {
  reader.for_each("vegetation", [&](const OGRFeature& row) {
    VegetationArea area;
    area.source_feature = reader.integer(row, "source_feature");
    area.rings = reader.rings(row, scene.frame.origin);
    area.bottom_z = reader.real(row, "base_z");
    area.top_z = reader.real(row, "top_z");
    scene.vegetation.push_back(std::move(area));
  });
}

void read_clutter(EnvironmentReader& reader, const std::filesystem::path& path, Clutter& clutter) {
  if (clutter.columns == 0) return;
  reader.for_each("clutter_classes",
                  [&](const OGRFeature& row) { clutter.classes.push_back(reader.text(row, "name")); });
  for (const float number : read_coverage(path, clutter_table, clutter.columns, clutter.rows)) {
    const bool is_class = number >= 0 && number <= static_cast<float>(clutter.classes.size());
    if (!is_class) reader.fail(clutter_table, "", "a cell has a class that the table clutter_classes does not have");
    clutter.cells.push_back(static_cast<std::uint8_t>(number));
  }
}

// Which version of tiling an environment's hash is of; 0 when its scene, its options or its CRS are not those that it
// was written with.
int version_of_tiling(const Environment& environment, const Stored& stored) {
  const std::uint64_t scene = scene_hash(environment.scene);
  if (hexadecimal(scene) != stored.scene_hash) return 0;
  // Environments written before the CRS had a hash have none.
  if (!stored.crs_hash.empty() && hexadecimal(crs_hash(environment.scene.frame)) != stored.crs_hash) return 0;
  int version = tiling_version;
  while (version > 0 &&
         hexadecimal(environment_hash(scene, environment.tiling_options, version)) != stored.environment_hash) {
    --version;
  }
  return version;
}

}  // namespace

Environment read_environment(const std::filesystem::path& path, Progress& progress) {
  progress.begin_stage("environment");
  if (is_scene_file(path)) {
    SceneFile file = read_scene_file(path);
    return {std::move(file.scene), file.tiling_options};
  }
  Environment environment;
  EnvironmentReader reader(path);
  const Stored stored = read_metadata(reader, environment);
  Scene& scene = environment.scene;
  read_materials(reader, scene);
  progress.throw_if_cancelled();
  read_buildings(reader, scene);
  read_vegetation(reader, scene);
  read_clutter(reader, path, scene.clutter);
  progress.throw_if_cancelled();
  scene.terrain.columns = stored.terrain_columns;
  scene.terrain.rows = stored.terrain_rows;
  scene.terrain.height_m = read_coverage(path, terrain_table, stored.terrain_columns, stored.terrain_rows);
  const int version = version_of_tiling(environment, stored);
  if (version == 0) {
    throw Error(ErrorKind::invalid_input, "environment_edited",
                "the environment's layers, or its table tesseray_environment, were edited after tileenvironment wrote "
                "them, so that they no longer fit together",
                "edit the building data instead and make the environment anew with tileenvironment",
                {.file = path.string()});
  }
  if (version < tiling_version) {
    progress.warn({"environment_of_earlier_version",
                   path.string() + " was written when buildings were cut into other tiles: its layers tiles and edges "
                                   "are not quite those of results; make it anew with tileenvironment"});
  }
  progress.advance(1);
  return environment;
}

}  // namespace tesseray
