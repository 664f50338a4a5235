// SPDX-License-Identifier: GPL-3.0-or-later
// Where the terrain bends along a line, for host and device. Distances along the line, `begin` among them, are in m.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// Where something that changes evenly along a line is a whole number: one place after the other.
class EqualSteps {
 public:
  // `at_start`: at distance 0. The first place is at `begin` or after it.
  TESSERAY_HD EqualSteps(double at_start, double per_m, double begin)
      : at_start_(at_start),
        m_per_step_(per_m == 0 ? infinity : 1 / per_m),
        step_(per_m < 0 ? -1 : 1),
        number_(step_ * std::ceil(step_ * (at_start + per_m * begin))) {
    place();
  }
  // Infinite where there is no such place.
  TESSERAY_HD double distance() const { return distance_; }
  // Goes on to the first place at `begin` or after it, give or take rounding.
  TESSERAY_HD void skip_to(double begin) {
    if (m_per_step_ == infinity || distance_ >= begin) return;
    number_ = step_ * std::ceil(step_ * (at_start_ + begin / m_per_step_));
    place();
  }
  // Goes on when it is here.
  TESSERAY_HD void pass(double distance_m) {
    if (distance_ > distance_m) return;
    number_ += step_;
    place();
  }

 private:
  TESSERAY_HD void place() { distance_ = m_per_step_ == infinity ? infinity : (number_ - at_start_) * m_per_step_; }

  double at_start_, m_per_step_, step_, number_, distance_ = 0;
};

// Where a line crosses sides of the terrain's triangles, and samples of the earth's bulge: one place after the other.
class TerrainBends {
 public:
  // The bulge is sampled as densely as this.
  static constexpr double bulge_step_m = 500.0;

  // The first place is at `begin` or after it.
  TESSERAY_HD TerrainBends(const TerrainView& terrain, const RooftopLine& line, double begin)
      : TerrainBends((line.from.x - terrain.south_west.x) / terrain.step_x, line.direction.x / terrain.step_x,
                     (line.from.y - terrain.south_west.y) / terrain.step_y, line.direction.y / terrain.step_y, begin) {}
  TESSERAY_HD double distance() const {
    return smaller(smaller(columns_.distance(), rows_.distance()), smaller(diagonals_.distance(), bulge_.distance()));
  }
  TESSERAY_HD void skip_to(double begin) {
    columns_.skip_to(begin);
    rows_.skip_to(begin);
    diagonals_.skip_to(begin);
    bulge_.skip_to(begin);
  }
  TESSERAY_HD void pass(double distance) {
    columns_.pass(distance);
    rows_.pass(distance);
    diagonals_.pass(distance);
    bulge_.pass(distance);
  }

 private:
  TESSERAY_HD TerrainBends(double u, double per_m_u, double v, double per_m_v, double begin)
      : columns_(u, per_m_u, begin),
        rows_(v, per_m_v, begin),
        diagonals_(u - v, per_m_u - per_m_v, begin),
        bulge_(0, 1 / bulge_step_m, begin) {}
  TESSERAY_HD static double smaller(double a, double b) { return b < a ? b : a; }

  EqualSteps columns_, rows_, diagonals_, bulge_;
};

// The blocks of the terrain that a line crosses, one after the other from a distance on.
class TerrainBlocksOnLine {
 public:
  TESSERAY_HD TerrainBlocksOnLine(const TerrainBlocksView& blocks, const TerrainView& terrain, const RooftopLine& line,
                                  double begin)
      : blocks_(blocks),
        along_x_((line.from.x - terrain.south_west.x) / terrain.step_x, line.direction.x / terrain.step_x,
                 blocks.columns, begin),
        along_y_((line.from.y - terrain.south_west.y) / terrain.step_y, line.direction.y / terrain.step_y, blocks.rows,
                 begin) {}
  // Where the line leaves the block that it is in.
  TESSERAY_HD double end() const { return along_x_.end < along_y_.end ? along_x_.end : along_y_.end; }
  TESSERAY_HD double highest_m() const {
    const std::size_t block = static_cast<std::size_t>(along_y_.number) * blocks_.columns + along_x_.number;
    return static_cast<double>(blocks_.highest_m[block]);
  }
  TESSERAY_HD void go_on() { (along_x_.end < along_y_.end ? along_x_ : along_y_).go_on(); }

 private:
  // Columns or rows of blocks.
  struct Axis {
    double at_start, m_per_cell, end = infinity;
    std::uint32_t number = 0, last;

    TESSERAY_HD Axis(double cells_at_start, double cells_per_m, std::uint32_t count, double begin)
        : at_start(cells_at_start), m_per_cell(cells_per_m == 0 ? infinity : 1 / cells_per_m), last(count - 1) {
      const double place = (at_start + cells_per_m * begin) / TerrainBlocksView::side;
      if (place > 0) number = place < last ? static_cast<std::uint32_t>(place) : last;
      find_end();
    }
    TESSERAY_HD void go_on() {
      if (m_per_cell > 0) {
        ++number;
      } else {
        --number;
      }
      find_end();
    }
    TESSERAY_HD void find_end() {
      end = infinity;
      if (m_per_cell == infinity || number == (m_per_cell > 0 ? last : 0)) return;
      end = ((number + (m_per_cell > 0 ? 1.0 : 0.0)) * TerrainBlocksView::side - at_start) * m_per_cell;
    }
  };

  const TerrainBlocksView& blocks_;
  Axis along_x_, along_y_;
};

}  // namespace tesseray
