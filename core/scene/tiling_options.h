// SPDX-License-Identifier: GPL-3.0-or-later
// How a scene is cut into tiles: what files keep with a scene, so that it is cut the same way again.
#pragma once

namespace tesseray {

struct TilingOptions {
  double tile_area_m2 = 100.0;
  double min_wall_width_m = 1.0;
  double min_wall_area_m2 = 4.0;
  double ridge_angle_deg = 195.0;  // a terrain side is an edge when its exterior angle exceeds this
};

}  // namespace tesseray
