// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/read_clutter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/blank_text.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/located_raster.h"

namespace tesseray {
namespace {

constexpr double most_cells = 1e8;
constexpr std::size_t most_classes = std::numeric_limits<std::uint8_t>::max();

// Classes by name in the order of their numbers, which begin with 1.
class ClassNumbers {
 public:
  explicit ClassNumbers(ErrorPlace place) : place_(std::move(place)) {}

  std::uint8_t of(const std::string& name) {
    const auto [entry, is_new] = numbers_.emplace(name, static_cast<std::uint8_t>(names_.size() + 1));
    if (!is_new) return entry->second;
    if (names_.size() == most_classes) {
      throw Error(ErrorKind::invalid_input, "too_many_classes",
                  "there are more than " + std::to_string(most_classes) + " clutter classes",
                  "check that the values are classes, or merge some of them", place_);
    }
    names_.push_back(name);
    return entry->second;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  ErrorPlace place_;
  std::map<std::string, std::uint8_t> numbers_;
  std::vector<std::string> names_;
};

class ClassRaster : public LocatedRaster {
 public:
  ClassRaster(const std::string& file, const CrsRule& rule) : LocatedRaster(file, "CLUTTER", rule), numbers_(place()) {}

  Error elsewhere() const {
    return error("clutter_elsewhere", "the clutter raster does not reach where the buildings are",
                 "check the CRS of both, or give a raster of the place");
  }
  void require_cells(double count) const {
    if (count <= most_cells) return;
    throw error("clutter_too_large", "there would be " + std::to_string(std::llround(count)) + " clutter cells",
                "give EXTENT, or a raster of larger pixels");
  }

  // The pixels that have a part in a box of pixel coordinates.
  PixelWindow window_over(const Rectangle& pixels) const {
    const auto number = [](double place, int size) {
      return static_cast<int>(std::clamp(place, 0.0, static_cast<double>(size)));
    };
    PixelWindow window{number(std::floor(pixels.min.x), columns()), number(std::floor(pixels.min.y), rows())};
    window.columns = number(std::ceil(pixels.max.x), columns()) - window.column;
    window.rows = number(std::ceil(pixels.max.y), rows()) - window.row;
    return window;
  }

  // Row by row as in the file.
  std::vector<std::uint8_t> read(const PixelWindow& window, Progress& progress) {
    require_cells(double{1} * window.columns * window.rows);
    std::vector<std::uint8_t> cells;
    std::vector<double> values(static_cast<std::size_t>(window.columns));
    std::vector<GByte> is_valid(values.size());
    for (int row = 0; row < window.rows; ++row) {
      progress.throw_if_cancelled();
      read_row(window, row, values.data(), is_valid.data());
      for (std::size_t i = 0; i < values.size(); ++i) cells.push_back(is_valid[i] == 0 ? 0 : number_of(values[i]));
    }
    return cells;
  }

  std::vector<std::string> take_classes() { return numbers_.take(); }

 private:
  std::uint8_t number_of(double value) {
    if (std::isnan(value)) return 0;
    // Neighbours are mostly of one class.
    if (last_ && last_->first == value) return last_->second;
    constexpr double greatest_code = 9007199254740992;  // 2^53: up to there each whole number has its own value
    if (value != std::floor(value) || std::fabs(value) > greatest_code) {
      throw error("not_classes", "the raster's values are no whole numbers (" + std::to_string(value) + ")",
                  "give a raster with a code for each class as CLUTTER");
    }
    last_ = {value, numbers_.of(name_of(static_cast<std::int64_t>(value)))};
    return last_->second;
  }

  std::string name_of(std::int64_t code) {
    char** const categories = band().GetCategoryNames();
    const bool is_category = categories != nullptr && code >= 0 && code < CSLCount(categories);
    const std::string_view name = is_category ? trimmed(categories[code]) : std::string_view();
    return name.empty() ? std::to_string(code) : std::string(name);
  }

  ClassNumbers numbers_;
  std::optional<std::pair<double, std::uint8_t>> last_;
};

// The raster's own pixels over the area.
Clutter own_cells(ClassRaster& raster, const Rectangle& area, Progress& progress) {
  const PixelWindow window = raster.window_over(raster.to_pixels(area));
  if (window.empty()) throw raster.elsewhere();
  const std::vector<std::uint8_t> cells = raster.read(window, progress);
  Clutter clutter;
  clutter.step_x = raster.across().x;
  clutter.step_y = std::fabs(raster.down().y);
  clutter.columns = static_cast<std::uint32_t>(window.columns);
  clutter.rows = static_cast<std::uint32_t>(window.rows);
  const Vec2 first = raster.to_crs({double{1} * window.column, double{1} * window.row});
  const bool from_south = raster.has_first_row_in_south();
  clutter.south_west = {first.x, from_south ? first.y : first.y - clutter.rows * clutter.step_y};
  for (std::uint32_t row = 0; row < clutter.rows; ++row) {
    const auto line = cells.begin() + static_cast<std::ptrdiff_t>(from_south ? row : clutter.rows - 1 - row) *
                                          static_cast<std::ptrdiff_t>(clutter.columns);
    clutter.cells.insert(clutter.cells.end(), line, line + clutter.columns);
  }
  return clutter;
}

// Cells of the environment, each with the class of the pixel at its middle.
Clutter resampled_cells(ClassRaster& raster, const Crs& environment, const Rectangle& area, Progress& progress) {
  const PointTransform to_raster(environment, raster.crs(), area);
  const Rectangle raster_area = raster.area_of(to_raster, area);
  if (raster_area.empty()) throw raster.elsewhere();
  const PixelWindow window = raster.window_over(raster.to_pixels(raster_area));
  if (window.empty()) throw raster.elsewhere();
  const double side_m =
      raster.pixel_side_m(PointTransform(raster.crs(), environment, raster_area), raster_area.middle());
  if (!std::isfinite(side_m) || side_m <= 0) throw raster.elsewhere();
  const std::vector<std::uint8_t> pixels = raster.read(window, progress);

  Clutter clutter;
  clutter.step_x = clutter.step_y = side_m;
  clutter.south_west = area.min;
  const Vec2 size = (1 / side_m) * (area.max - area.min);
  raster.require_cells(std::ceil(size.x) * std::ceil(size.y));
  clutter.columns = static_cast<std::uint32_t>(std::ceil(size.x));
  clutter.rows = static_cast<std::uint32_t>(std::ceil(size.y));
  std::vector<Vec2> middles(clutter.columns);
  for (std::uint32_t row = 0; row < clutter.rows; ++row) {
    progress.throw_if_cancelled();
    for (std::uint32_t column = 0; column < clutter.columns; ++column) {
      middles[column] = area.min + side_m * Vec2{column + 0.5, row + 0.5};
    }
    to_raster.apply(middles);
    for (const Vec2 middle : middles) {
      const Vec2 pixel = raster.to_pixel(middle);
      const double column = std::floor(pixel.x) - window.column, line = std::floor(pixel.y) - window.row;
      const bool is_there = column >= 0 && column < window.columns && line >= 0 && line < window.rows;
      const double place = line * window.columns + column;
      clutter.cells.push_back(is_there ? pixels[static_cast<std::size_t>(place)] : std::uint8_t{0});
    }
  }
  return clutter;
}

}  // namespace

RawClutter read_clutter_raster(const std::string& file, const Crs& environment, const CrsRule& rule,
                               const Rectangle& area, std::vector<Issue>& issues, Progress& progress) {
  ClassRaster raster(file, rule);
  raster.check_metres(area.middle());
  if (const std::string caveat = PointTransform(environment, raster.crs(), area).caveat(); !caveat.empty()) {
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_datum_shift", caveat, raster.place().file));
  }
  RawClutter clutter;
  clutter.grid = raster.is_in(environment) ? own_cells(raster, area, progress)
                                           : resampled_cells(raster, environment, area, progress);
  clutter.classes = raster.take_classes();
  if (clutter.classes.empty()) throw raster.elsewhere();
  return clutter;
}

RawClutter read_clutter_areas(FootprintLayer& layer, const std::string& class_field, Progress& progress) {
  using Names = std::string_view;
  constexpr std::array aliases = {Names("clutter"),   Names("clutterclass"), Names("class"), Names("landuse"),
                                  Names("landcover"), Names("natural"),      Names("code")};
  const AttributeSearch search{class_field, "CLUTTER_FIELD", aliases, {}, "landuse"};
  const std::optional<Attribute> of_class = find_attribute(layer.source, search);
  if (!of_class) {
    throw missing_attribute(layer.source.fields(), search, "the clutter class", "name it with CLUTTER_FIELD",
                            layer.source.place());
  }
  struct ClassedArea {
    RawClutterArea area;
    std::string name;
  };
  std::vector<ClassedArea> classed;
  std::size_t without_class = 0;
  for_each_footprint(
      layer, progress, [](const OGRFeature&) { return true; },
      [&](const OGRFeature& feature, const RawFootprint& footprint) {
        const std::optional<std::string> name = of_class->text(feature);
        if (!name) {
          ++without_class;
          return;
        }
        ClassedArea& here = classed.emplace_back();
        static_cast<RawFootprint&>(here.area) = footprint;
        here.name = *name;
      });
  // Later ones lie on top of earlier ones, and a spatial index gives rows in its own order. OSM's are in that of the
  // file.
  if (!layer.source.is_osm()) {
    std::stable_sort(classed.begin(), classed.end(),
                     [](const ClassedArea& a, const ClassedArea& b) { return a.area.feature_id < b.area.feature_id; });
  }
  RawClutter clutter;
  ClassNumbers numbers(layer.source.place());
  for (ClassedArea& each : classed) {
    each.area.clutter_class = numbers.of(each.name);
    clutter.areas.push_back(std::move(each.area));
  }
  if (without_class > 0) {
    layer.issues.push_back(
        layer_issue(Issue::Action::dropped, "clutter_without_class",
                    std::to_string(without_class) +
                        (without_class == 1 ? " area of clutter has no " : " areas of clutter have no ") +
                        of_class->name() + ": left out",
                    layer.source.layer_name()));
  }
  if (clutter.areas.empty()) {
    layer.issues.push_back(
        layer_issue(Issue::Action::assumed, "no_clutter", "no clutter touches the area", layer.source.layer_name()));
  }
  clutter.classes = numbers.take();
  return clutter;
}

}  // namespace tesseray
