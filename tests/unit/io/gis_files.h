// SPDX-License-Identifier: GPL-3.0-or-later
// Small GIS files made by GDAL for the tests of the readers.
#pragma once

#include <proj.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/scene.h"

namespace tesseray::testing {

// A folder of its own that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

using FieldValue = std::variant<std::monostate, int, double, std::string>;  // monostate: NULL

struct TestFeature {
  std::string wkt;  // empty: no geometry
  std::vector<FieldValue> values = {};
};

struct TestLayer {
  std::string driver = "GPKG";
  std::string name = "layer";
  std::string crs = "EPSG:32632";                         // any text; empty: none
  std::string geometry = "POLYGON";                       // as OGR spells it; "NONE" for a table
  std::vector<std::pair<std::string, char>> fields = {};  // name and type: i, r (real), s (string)
  std::vector<TestFeature> features = {};
};

// Makes the file, or adds the layer to it. Returns its path.
std::string write_layer(const std::string& path, const TestLayer& layer);
std::string write_text(const std::string& path, const std::string& text);

struct TestRaster {
  std::string crs = "EPSG:32632";
  std::array<double, 6> geo_transform = {500000, 10, 0, 5000400, 0, -10};
  int columns = 40, rows = 40, bands = 1;
  std::string type = "Float32";
  std::optional<double> no_data = {};
  std::string unit = {};
  std::vector<std::string> categories = {};  // names of the values 0, 1, …
  double scale = 1, offset = 0;
  std::function<double(int column, int row)> value = [](int, int) { return 100.0; };
};
std::string write_raster(const std::string& path, const TestRaster& raster);

// WKT of an axis-parallel rectangle.
std::string box(double x, double y, double width, double height);
std::string point(double x, double y);

// Transforms with PROJ's own C interface: independent of what the readers use. Longitude, easting first.
class ProjTransform {
 public:
  ProjTransform(const std::string& from, const std::string& to);
  ~ProjTransform();
  ProjTransform(const ProjTransform&) = delete;
  ProjTransform& operator=(const ProjTransform&) = delete;
  Vec2 operator()(Vec2 p) const;

 private:
  PJ_CONTEXT* context_;
  PJ* transformation_;
};
Vec2 proj_transform(const std::string& from, const std::string& to, Vec2 p);

// How many issues have a code.
std::size_t count(const std::vector<Issue>& issues, const std::string& code);

}  // namespace tesseray::testing
