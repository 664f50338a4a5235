// SPDX-License-Identifier: GPL-3.0-or-later
// What vegetation takes from rays (paper 002, §2.6; docs/physics.md §8): each straight leg loses by the metres that it
// runs inside vegetation.
//
// How it works. The prisms of vegetation are cut along square cells of 16 m. A cell knows its areas, the sides of their
// outlines near it and which of them its reference point is inside of. A leg is clipped to the box of all vegetation
// and walks the cells; in a cell whose trees reach up to it, the sides that it crosses cut it into pieces, in and out
// by turns, and pieces in which several areas overlap count once. So the length is exact. Legs run between the points
// that visibility speaks of (antenna, centroids, midpoints, receivers), so that the loss is one of a pair of elements:
// with tiles as targets the lengths of all pairs that see each other are worked out before the first transmitter
// (VegetationPairs), once for both directions, for all tubes, passes over the rows and transmitters. Only legs from the
// antenna and over the roofs are asked for one by one, and all legs where rays arrive at a few receivers alone.
//
// What it costs. Most pairs have no vegetation between them: what stands around an element, by direction
// (VegetationSkyline), tells so of its whole row at a few nanoseconds each. The others take a few hundred, and 16 bytes
// per pair, up to 1 GiB; beyond that nothing is kept and each leg asks when it is met. Without vegetation, or with the
// model `none`, nothing is asked.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/physics/vegetation.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/scene.h"
#include "core/visibility/occlusion/cell_grid.h"

namespace tesseray {

// Polygons from bottom_z to top_z, as one solid: where they overlap they count once. Thread-safe.
class VegetationPrisms {
 public:
  explicit VegetationPrisms(const std::vector<VegetationArea>& areas);

  bool empty() const { return areas_in_cells_.empty(); }
  // The square cells along which prisms are cut, and the highest top in one of them, −∞ without any. REQUIRES: not
  // empty.
  const CellGrid& cells() const { return grid_; }
  double top_of_cell(std::int32_t i, std::int32_t j) const { return top_of_cell_[grid_.index(i, j)]; }
  // Metres of the straight segment inside vegetation. The same bits with the ends exchanged.
  double length_inside(Vec3 a, Vec3 b) const;

 private:
  struct Side {
    Vec2 begin, end;
  };
  struct AreaInCell {
    double bottom_z = 0, top_z = 0;
    std::uint32_t sides_begin = 0, sides_end = 0;
    bool has_reference_point = false;
  };
  struct Line;

  void add_areas(const std::vector<VegetationArea>& areas);
  Vec2 reference_point(std::int32_t i, std::int32_t j) const;
  // Of a point on a side what lies a little to the left counts, so that of two areas that share it one has the point.
  bool has_in_plan(const AreaInCell& area, Vec2 reference, Vec2 point, Vec2 left) const;
  // Appends where the way is inside of one area, within a cell.
  void add_intervals(const AreaInCell& area, Vec2 reference, const Line& line, double begin_m, double end_m,
                     std::vector<Interval>& inside) const;
  double length_in_cell(std::int32_t i, std::int32_t j, const Line& line, double begin_m, double end_m,
                        std::vector<Interval>& inside) const;

  CellGrid grid_;
  double lowest_m_ = 0, highest_m_ = 0;
  std::vector<std::uint32_t> areas_of_cell_;  // offsets into areas_in_cells_
  std::vector<AreaInCell> areas_in_cells_;
  std::vector<double> top_of_cell_;  // −∞ for empty cells
  std::vector<Side> sides_;
};

// What vegetation takes by the metre at one frequency.
struct VegetationRate {
  double nepers_per_m = 0;    // 0: nothing
  double maximum_nepers = 0;  // 0: does not saturate

  // The factor of the field after so many metres. Lengths are floats wherever they come from, so that kept ones are
  // the same.
  TESSERAY_HD double amplitude_after(float length_m) const {
    return length_m > 0 ? std::exp(-loss_nepers(static_cast<double>(length_m))) : 1.0;
  }
  TESSERAY_HD double loss_nepers(double length_m) const {
    return maximum_nepers > 0 ? saturating_vegetation_loss_db(length_m, nepers_per_m, maximum_nepers)
                              : specific_vegetation_loss_db(length_m, nepers_per_m);
  }
};

// The loss of straight legs at one frequency.
class VegetationLoss {
 public:
  // Keeps a reference to the prisms. REQUIRES: frequency_hz > 0.
  VegetationLoss(const VegetationPrisms& prisms, VegetationModel model, double db_per_m, double frequency_hz);

  const VegetationRate& rate() const { return rate_; }
  // False when no leg loses anything.
  bool any() const { return rate_.nepers_per_m > 0; }
  // The factor of the field on a straight leg: 1 outside of vegetation.
  double amplitude(Vec3 a, Vec3 b) const {
    if (!any()) return 1.0;
    return amplitude_after(static_cast<float>(prisms_->length_inside(a, b)));
  }
  double amplitude_after(float length_m) const { return rate_.amplitude_after(length_m); }

 private:
  const VegetationPrisms* prisms_;
  VegetationRate rate_;
};

// What vegetation leaves of a ray's amplitude at its target.
struct VegetationAtTarget {
  double ray = 1, companion = 1;  // the ray itself, and the one that is reflected on the ground before the target
};
TESSERAY_HD inline VegetationAtTarget operator*(double before, const VegetationAtTarget& on_last_leg) {
  return {before * on_last_leg.ray, before * on_last_leg.companion};
}

}  // namespace tesseray
