// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/occlusion/height_pyramid.h"

#include <utility>

#include "core/base/infinity.h"

namespace tesseray {

HeightPyramid::HeightPyramid(Vec2 origin, double step_x, double step_y, std::int32_t columns, std::int32_t rows,
                             std::vector<float> max_height_m)
    : origin_(origin), step_x_(step_x), step_y_(step_y), columns_(columns), rows_(rows) {
  if (columns <= 0 || rows <= 0) return;
  levels_.push_back(std::move(max_height_m));
  std::int32_t below_columns = columns, below_rows = rows;
  while ((below_columns > 1 || below_rows > 1) && levels_.size() < max_pyramid_levels) {
    constexpr std::int32_t factor = 1 << pyramid_shift;
    const std::int32_t level_columns = (below_columns + factor - 1) / factor;
    const std::int32_t level_rows = (below_rows + factor - 1) / factor;
    const std::vector<float>& below = levels_.back();
    std::vector<float> level(static_cast<std::size_t>(level_columns) * static_cast<std::size_t>(level_rows),
                             -infinity_f);
    for (std::int32_t j = 0; j < below_rows; ++j) {
      for (std::int32_t i = 0; i < below_columns; ++i) {
        float& node = level[static_cast<std::size_t>(j / factor) * static_cast<std::size_t>(level_columns) +
                            static_cast<std::size_t>(i / factor)];
        node = std::max(
            node,
            below[static_cast<std::size_t>(j) * static_cast<std::size_t>(below_columns) + static_cast<std::size_t>(i)]);
      }
    }
    levels_.push_back(std::move(level));
    below_columns = level_columns;
    below_rows = level_rows;
  }
}

HeightPyramidView HeightPyramid::view() const {
  HeightPyramidView view;
  view.origin = origin_;
  view.step_x = step_x_;
  view.step_y = step_y_;
  view.columns = columns_;
  view.rows = rows_;
  view.levels = static_cast<int>(levels_.size());
  std::int32_t level_columns = columns_;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    view.max_height_m[level] = levels_[level].data();
    view.level_columns[level] = level_columns;
    level_columns = (level_columns + (1 << pyramid_shift) - 1) >> pyramid_shift;
  }
  return view;
}

float HeightPyramid::max_height_m() const {
  if (levels_.empty()) return -infinity_f;
  return *std::max_element(levels_.back().begin(), levels_.back().end());
}

}  // namespace tesseray
