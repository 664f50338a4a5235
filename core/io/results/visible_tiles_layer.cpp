// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

using enum ColumnType;

Layer visible_tiles_layer(const std::string& name, const Scene& scene, const Tiling& tiling, Vec3 viewpoint,
                          std::span<const std::uint32_t> visible) {
  Layer layer{.name = name, .description = "The tiles that a point sees", .geometry = LayerGeometry::polygon_z};
  layer.styles = styles::tiles();
  const auto way = [viewpoint](const Tile& t) { return t.centroid - viewpoint; };
  std::vector<Field<Tile>> fields = tile_identity_fields(scene);
  const std::vector<Field<Tile>> as_seen = {
      {{"distance_m", real, "Distance from the point, m"}, [way](const Tile& t) { return Value::real(norm(way(t))); }},
      {{"elevation_deg", real, "Elevation seen from the point, above the horizon, degrees"},
       [way](const Tile& t) { return Value::real(degrees(std::asin(way(t).z / norm(way(t))))); }},
  };
  fields.insert(fields.end(), as_seen.begin(), as_seen.end());
  return with_rows<Tile>(
      std::move(layer), scene.frame.origin, visible.size(),
      [&tiling, visible](std::size_t i) -> const Tile& { return tiling.tiles[visible[i]]; }, std::move(fields),
      [](const Tile& t, GeometryEncoder& encoder) { encoder.quadrilateral(corners_of(t).corners); });
}

}  // namespace tesseray
