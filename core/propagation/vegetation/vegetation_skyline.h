// SPDX-License-Identifier: GPL-3.0-or-later
// What vegetation stands around one point, by direction: so that of the legs from there to a whole visibility row those
// that meet none are told apart without walking each of them.
//
// How it works. The cells that hold vegetation are gathered into boxes, small ones within larger ones. Seen from a
// point a box covers some sectors of the plan: there it lowers the distance within which legs are clear, and raises the
// slope above which they pass over all treetops. Boxes far away are taken as a whole. It is a bound: a leg that is not
// clear may still meet nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/propagation/vegetation/vegetation_loss.h"

namespace tesseray {

// Cells with vegetation as boxes on two levels; thread-safe.
class VegetationBoxes {
 public:
  struct Box {
    Rectangle plan;  // empty without vegetation
    double top_z = 0;
  };

  // REQUIRES: prisms are not empty.
  explicit VegetationBoxes(const VegetationPrisms& prisms);

  // Calls visit(box) for boxes that hold all vegetation within `distance_m` of a place, the larger ones where they are
  // far away.
  template <class Visit>
  void visit_around(Vec2 place, double distance_m, const Visit& visit) const;

 private:
  CellGrid large_grid_, small_grid_;
  std::vector<Box> large_, small_;
};

class VegetationSkyline {
 public:
  // Keeps a reference to the boxes.
  explicit VegetationSkyline(const VegetationBoxes& boxes) : boxes_(boxes) {}

  // Of the points with these numbers, those to which a leg from `from` may lose anything, in their order; valid until
  // the next call. `coordinates`: x, y and z of each number.
  std::span<const std::uint32_t> find_behind(Vec3 from, const double* coordinates,
                                             std::span<const std::uint32_t> numbers);

 private:
  static constexpr std::size_t sectors = 512;

  void raise(Vec3 from, const VegetationBoxes::Box& box);

  const VegetationBoxes& boxes_;
  std::vector<float> clear_m_, slope_;  // by sector: legs are clear that are shorter or steeper
  std::vector<std::uint32_t> sector_of_, behind_;
  std::vector<float> leg_m_, leg_slope_;
};

}  // namespace tesseray
