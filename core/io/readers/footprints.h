// SPDX-License-Identifier: GPL-3.0-or-later
// Polygons of a layer as footprints in the environment CRS.
#pragma once

#include <ogr_geometry.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/vector_source.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// A polygon layer on its way into the environment CRS.
struct FootprintLayer {
  VectorSource& source;
  PointTransform to_environment;
  std::optional<Rectangle> area;            // environment CRS; only footprints whose bounding boxes touch it are read
  std::optional<Rectangle> source_area;     // the same, or more, in the layer's CRS
  std::vector<Issue>& issues;               // features that cannot be footprints are listed here
  std::optional<std::size_t> not_read = 0;  // features outside of the area; none: nobody has counted them
};

// `area`: in the environment's CRS; empty: everywhere. The caveat of the way into that CRS is an issue.
FootprintLayer footprint_layer(VectorSource& source, const Crs& crs, const Crs& environment,
                               const std::optional<Rectangle>& area, std::vector<Issue>& issues);

// Calls take(feature, footprint) for each feature with polygons that touch the area, in file order, until it has
// gone through all of them. `wanted` may reject a feature before its geometry is looked at.
// Properties: 1. Curves become lines, Z and M are left out. 2. Parts of a collection that are no polygons are
// dropped with an issue. 3. A feature without any polygon, with a coordinate that is not finite or cannot be
// transformed, is dropped with an issue. 4. What does not touch the area is counted in `not_read`. With an area, those
// without geometry are listed and those outside counted only of a file of at most 200,000 features. Returns how many
// features were looked at.
template <class Wanted, class Take>
std::size_t for_each_footprint(FootprintLayer& layer, Progress& progress, const Wanted& wanted, const Take& take);

// The footprint of one feature, or nothing: outside of the area, or dropped with an issue.
std::optional<RawFootprint> footprint_of(const OGRFeature& feature, FootprintLayer& layer);
// Whether it touches the extent, if there is one. What is read around that is left out in the end, and does not count.
bool is_within(const RawFootprint& footprint, const std::optional<Rectangle>& extent);
// The feature's number. OSM counts ways and relations apart; relations get negative numbers, as osm2pgsql does it.
std::int64_t footprint_id(const OGRFeature& feature, bool is_osm);

// What a filter by place has passed over: the issues about wanted features without geometry, wherever they are meant to
// be, and the number of those outside of the area. looked_at: the features that it has not passed over.
void note_passed_over(FootprintLayer& layer, std::size_t looked_at, Progress& progress,
                      const std::function<bool(const OGRFeature&)>& wanted);

// An issue about a feature of the layer, with its outline where there is one.
Issue footprint_issue(Issue::Action action, const std::string& code, const std::string& message,
                      const std::string& layer, const RawFootprint& footprint);
// An issue about the whole layer.
Issue layer_issue(Issue::Action action, const std::string& code, const std::string& message, const std::string& layer);

template <class Wanted, class Take>
std::size_t for_each_footprint(FootprintLayer& layer, Progress& progress, const Wanted& wanted, const Take& take) {
  constexpr std::size_t features_between_checks = 1024;
  OGRLayer& features = layer.source.layer();
  features.SetSpatialFilter(nullptr);
  if (const std::optional<Rectangle>& box = layer.source_area) {
    features.SetSpatialFilterRect(box->min.x, box->min.y, box->max.x, box->max.y);
  }
  layer.source.rewind();
  std::size_t count = 0;
  while (const OGRFeatureUniquePtr feature = layer.source.next()) {
    if (++count % features_between_checks == 0) progress.throw_if_cancelled();
    if (!wanted(*feature)) continue;
    if (const std::optional<RawFootprint> footprint = footprint_of(*feature, layer)) take(*feature, *footprint);
  }
  if (layer.source_area) note_passed_over(layer, count, progress, wanted);
  return count;
}

}  // namespace tesseray
