// SPDX-License-Identifier: GPL-3.0-or-later
// Points from OGR layers and from tables with coordinates in two columns: transmitters, receivers, drive tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/vector_source.h"
#include "core/scene/scene.h"

namespace tesseray {

struct PointRow {
  const OGRFeature& feature;
  Vec2 position;        // in the source's CRS; NaN with a problem
  std::string problem;  // why there is no position: "latitude \"x\" is not a number"; empty: none
};

// Example:
//   PointSource points(input.source, input.crs, frame, "TRANSMITTERS");
//   points.for_each(progress, [&](const PointRow& row) { …; positions.push_back(row.position); });
//   points.to_environment(positions, progress);
class PointSource {
 public:
  // `crs`: overrides the layer's, or says what a table's x and y are in; empty: the layer's, and WGS 84 for columns
  // named as latitude and longitude. `frame`: the environment's. `parameter`: what the source was given as; its CRS
  // was given as parameter + "_CRS". Throws Error for a source without points, columns or a CRS; a table without
  // columns is taken where places are `optional`, and its rows have none.
  enum class Places { needed, optional };
  PointSource(const std::string& source, const std::string& crs, const LocalFrame& frame, const std::string& parameter,
              Places places = Places::needed);

  const OGRFeatureDefn& fields() { return source_.fields(); }
  std::string layer_name() { return source_.layer_name(); }
  ErrorPlace place() { return source_.place(); }
  ErrorPlace place(const OGRFeature& feature) { return source_.place(feature); }
  const Crs& environment() const { return environment_; }

  // The attribute that `search` finds, unless it is one of the coordinates.
  std::optional<Attribute> find(const AttributeSearch& search);

  // Calls take(row) for each feature in file order. Rows of a table without any value, as spreadsheets leave them at
  // its end, are none. Throws Error when there is no other.
  template <class Take>
  void for_each(Progress& progress, const Take& take) {
    constexpr std::size_t rows_between_checks = 4096;
    warn_of_long_rows(progress);
    source_.rewind();
    std::size_t count = 0;
    while (const OGRFeatureUniquePtr feature = source_.next()) {
      if (columns_ && holds_nothing(*feature)) continue;
      if (++count % rows_between_checks == 0) progress.throw_if_cancelled();
      take(row_of(*feature));
    }
    if (count == 0) throw empty_source();
  }

  // From the source's CRS to the environment's; NaN stays. Warns of the transformation's caveat. Throws Error
  // when they contradict the source's CRS.
  void to_environment(std::vector<Vec2>& positions, Progress& progress);

 private:
  struct Columns {
    Attribute x, y;
    bool are_degrees = false;  // by their names
  };
  void find_columns(const Crs& given, Places places);
  void choose_crs(const Crs& given, const std::string& crs_parameter);
  static bool holds_nothing(const OGRFeature& feature);
  PointRow row_of(const OGRFeature& feature) const;
  PointRow row_from_columns(const OGRFeature& feature) const;
  Error empty_source();
  void warn_of_long_rows(Progress& progress);

  VectorSource source_;
  Crs environment_, own_crs_, crs_;  // crs_: the one that positions are taken to be in
  std::optional<Columns> columns_;   // for tables
  bool has_places_ = true;
};

}  // namespace tesseray
