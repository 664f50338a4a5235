// SPDX-License-Identifier: GPL-3.0-or-later
// Which sides of footprints a line over the ground plan crosses, for host and device.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"

namespace tesseray {

// The sides of a cell, and the part of the line whose crossings with them belong to the cell: from `begin_m`, and not
// at `end_m` any more. So a crossing belongs to one cell alone.
struct SidesOnLine {
  std::uint32_t first_side, end_side;
  double begin_m, end_m;
};

inline constexpr double no_crossing = -1;

// The distance (m) at which a line from `from` along the unit vector `direction` crosses a side that begins at `begin`
// and goes along `along`; no_crossing where it does not.
[[gnu::always_inline]] TESSERAY_HD inline double crossing_distance(Vec2 from, Vec2 direction, Vec2 begin, Vec2 along,
                                                                   double begin_m, double end_m) {
  const double across = direction.x * along.y - direction.y * along.x;
  const double way_x = begin.x - from.x, way_y = begin.y - from.y;
  // The line crosses at this part of `across` along the side.
  const double place = way_x * direction.y - way_y * direction.x;
  const double least = across < 0 ? across : 0.0, most = across < 0 ? 0.0 : across;
  const double distance = (way_x * along.y - way_y * along.x) / across;
  // Along the line `across` is 0 and the distance infinite, or none: no comparison holds.
  const bool crosses = (place >= least) & (place <= most) & (distance >= begin_m) & (distance < end_m);
  return crosses ? distance : no_crossing;
}

// One side after the other, as for one thread of many.
class SideCrossingsInTurn {
 public:
  // Keeps a reference to the line.
  TESSERAY_HD SideCrossingsInTurn(const RoofSidesView& sides, const RooftopLine& line) : sides_(sides), line_(line) {}

  // Calls visit(side, distance) for what crosses, in the order of the sides.
  template <class Visit>
  TESSERAY_HD void visit(const SidesOnLine& on_line, const Visit& visit) {
    for (std::uint32_t k = on_line.first_side; k < on_line.end_side; ++k) {
      const double distance =
          crossing_distance(line_.from.xy(), line_.direction, {sides_.begin_x[k], sides_.begin_y[k]},
                            {sides_.along_x[k], sides_.along_y[k]}, on_line.begin_m, on_line.end_m);
      if (distance != no_crossing) visit(k, distance);
    }
  }
  // After the last call of visit().
  template <class Visit>
  TESSERAY_HD void visit_rest(const Visit&) {}

 private:
  RoofSidesView sides_;
  const RooftopLine& line_;
};

}  // namespace tesseray
