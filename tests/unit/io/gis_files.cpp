// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/io/gis_files.h"

#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>

namespace tesseray::testing {
namespace {

OGRFieldType field_type(char type) { return type == 'i' ? OFTInteger : type == 'r' ? OFTReal : OFTString; }

std::optional<OGRSpatialReference> reference(const std::string& text) {
  if (text.empty()) return std::nullopt;
  OGRSpatialReference result;
  if (result.SetFromUserInput(text.c_str()) != OGRERR_NONE) throw std::runtime_error("test CRS " + text);
  result.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  return result;
}

void set_value(OGRFeature& feature, int field, const FieldValue& value) {
  if (const int* integer = std::get_if<int>(&value)) {
    feature.SetField(field, *integer);
  } else if (const double* real = std::get_if<double>(&value)) {
    feature.SetField(field, *real);
  } else if (const std::string* text = std::get_if<std::string>(&value)) {
    feature.SetField(field, text->c_str());
  } else {
    feature.SetFieldNull(field);
  }
}

void add_feature(OGRLayer& layer, const TestFeature& content) {
  OGRFeature feature(layer.GetLayerDefn());
  for (std::size_t i = 0; i < content.values.size(); ++i) set_value(feature, static_cast<int>(i), content.values[i]);
  if (!content.wkt.empty()) {
    OGRGeometry* geometry = nullptr;
    if (OGRGeometryFactory::createFromWkt(content.wkt.c_str(), nullptr, &geometry) != OGRERR_NONE) {
      throw std::runtime_error("test WKT " + content.wkt);
    }
    feature.SetGeometryDirectly(geometry);
  }
  if (layer.CreateFeature(&feature) != OGRERR_NONE) throw std::runtime_error("test feature");
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  static std::atomic<int> count{0};
  path_ = std::filesystem::temp_directory_path() /
          ("tesseray_io_" + std::to_string(getpid()) + "_" + std::to_string(count++));
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string write_layer(const std::string& path, const TestLayer& content) {
  GDALAllRegister();
  GDALDatasetUniquePtr dataset;
  if (std::filesystem::exists(path)) {
    dataset.reset(GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
  } else {
    GDALDriver* driver = GetGDALDriverManager()->GetDriverByName(content.driver.c_str());
    dataset.reset(driver->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr));
  }
  if (dataset == nullptr) throw std::runtime_error("test file " + path);
  std::optional<OGRSpatialReference> crs = reference(content.crs);
  const OGRwkbGeometryType type = content.geometry == "NONE" ? wkbNone : OGRFromOGCGeomType(content.geometry.c_str());
  OGRLayer* layer = dataset->CreateLayer(content.name.c_str(), crs ? &*crs : nullptr, type);
  if (layer == nullptr) throw std::runtime_error("test layer in " + path);
  for (const auto& [name, field] : content.fields) {
    OGRFieldDefn definition(name.c_str(), field_type(field));
    if (layer->CreateField(&definition) != OGRERR_NONE) throw std::runtime_error("test field " + name);
  }
  for (const TestFeature& feature : content.features) add_feature(*layer, feature);
  return path;
}

std::string write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string write_raster(const std::string& path, const TestRaster& content) {
  GDALAllRegister();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  const GDALDatasetUniquePtr dataset(driver->Create(path.c_str(), content.columns, content.rows, content.bands,
                                                    GDALGetDataTypeByName(content.type.c_str()), nullptr));
  if (dataset == nullptr) throw std::runtime_error("test raster " + path);
  std::array<double, 6> geo_transform = content.geo_transform;
  dataset->SetGeoTransform(geo_transform.data());
  if (const std::optional<OGRSpatialReference> crs = reference(content.crs)) dataset->SetSpatialRef(&*crs);
  GDALRasterBand& band = *dataset->GetRasterBand(1);
  if (content.no_data) band.SetNoDataValue(*content.no_data);
  if (!content.unit.empty()) band.SetUnitType(content.unit.c_str());
  if (!content.categories.empty()) {
    CPLStringList names;
    for (const std::string& name : content.categories) names.AddString(name.c_str());
    band.SetCategoryNames(names.List());
  }
  if (content.scale != 1) band.SetScale(content.scale);
  if (content.offset != 0) band.SetOffset(content.offset);
  std::vector<double> row_values(static_cast<std::size_t>(content.columns));
  for (int row = 0; row < content.rows; ++row) {
    for (int column = 0; column < content.columns; ++column) {
      row_values[static_cast<std::size_t>(column)] = content.value(column, row);
    }
    if (band.RasterIO(GF_Write, 0, row, content.columns, 1, row_values.data(), content.columns, 1, GDT_Float64, 0, 0,
                      nullptr) != CE_None) {
      throw std::runtime_error("test raster " + path);
    }
  }
  return path;
}

std::string box(double x, double y, double width, double height) {
  const auto corner = [](double cx, double cy) { return std::to_string(cx) + " " + std::to_string(cy); };
  return "POLYGON ((" + corner(x, y) + ", " + corner(x + width, y) + ", " + corner(x + width, y + height) + ", " +
         corner(x, y + height) + ", " + corner(x, y) + "))";
}

std::string point(double x, double y) { return "POINT (" + std::to_string(x) + " " + std::to_string(y) + ")"; }

ProjTransform::ProjTransform(const std::string& from, const std::string& to) : context_(proj_context_create()) {
  PJ* any_order = proj_create_crs_to_crs(context_, from.c_str(), to.c_str(), nullptr);
  transformation_ = proj_normalize_for_visualization(context_, any_order);
  proj_destroy(any_order);
}

ProjTransform::~ProjTransform() {
  proj_destroy(transformation_);
  proj_context_destroy(context_);
}

Vec2 ProjTransform::operator()(Vec2 p) const {
  const PJ_COORD result = proj_trans(transformation_, PJ_FWD, proj_coord(p.x, p.y, 0, 0));
  return {result.xy.x, result.xy.y};
}

Vec2 proj_transform(const std::string& from, const std::string& to, Vec2 p) { return ProjTransform(from, to)(p); }

std::size_t count(const std::vector<Issue>& issues, const std::string& code) {
  return static_cast<std::size_t>(
      std::count_if(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.code == code; }));
}

}  // namespace tesseray::testing
