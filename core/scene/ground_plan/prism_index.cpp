// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/prism_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// More cells than this would cost more memory than they save time.
constexpr double max_cells = 4e6;

}  // namespace

bool contains(const Rings& rings, Vec2 p) {
  bool inside = false;
  for (const Ring& ring : rings) {
    Vec2 a = ring.back();
    for (const Vec2 b : ring) {
      if ((a.y > p.y) != (b.y > p.y)) {
        // Left of the side or right of it, without dividing.
        const double side = cross(b - a, p - a);
        if ((side > 0) == (b.y > a.y)) inside = !inside;
      }
      a = b;
    }
  }
  return inside;
}

PrismIndex::PrismIndex(const Scene& scene, double cell_m) : scene_(&scene), cell_m_(cell_m) {
  Rectangle all;
  bounds_.reserve(scene.prisms.size());
  for (const Prism& prism : scene.prisms) {
    bounds_.push_back(tesseray::bounds(prism.rings));
    all.extend(bounds_.back().min);
    all.extend(bounds_.back().max);
  }
  if (bounds_.empty()) return;

  const double width = all.max.x - all.min.x, height = all.max.y - all.min.y;
  cell_m_ = std::max(cell_m_, std::sqrt(width * height / max_cells));
  origin_ = all.min;
  columns_ = static_cast<std::int64_t>(std::floor(width / cell_m_)) + 1;
  rows_ = static_cast<std::int64_t>(std::floor(height / cell_m_)) + 1;

  const auto for_cells = [this](const Rectangle& box, const auto& visit) {
    const auto column = [this](double x) { return static_cast<std::int64_t>(std::floor((x - origin_.x) / cell_m_)); };
    const auto row = [this](double y) { return static_cast<std::int64_t>(std::floor((y - origin_.y) / cell_m_)); };
    for (std::int64_t r = row(box.min.y); r <= row(box.max.y); ++r) {
      for (std::int64_t c = column(box.min.x); c <= column(box.max.x); ++c) {
        visit(static_cast<std::size_t>(r * columns_ + c));
      }
    }
  };
  // Counting sort: how many per cell, where each cell starts, then the items in prism order.
  offsets_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
  for (const Rectangle& box : bounds_) for_cells(box, [this](std::size_t cell) { ++offsets_[cell + 1]; });
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  items_.resize(offsets_.back());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t prism = 0; prism < bounds_.size(); ++prism) {
    for_cells(bounds_[prism], [&](std::size_t cell) { items_[next[cell]++] = prism; });
  }
}

std::span<const std::uint32_t> PrismIndex::candidates(Vec2 p) const {
  const double column = std::floor((p.x - origin_.x) / cell_m_), row = std::floor((p.y - origin_.y) / cell_m_);
  if (!(column >= 0 && row >= 0 && column < static_cast<double>(columns_) && row < static_cast<double>(rows_))) {
    return {};
  }
  const auto cell =
      static_cast<std::size_t>(static_cast<std::int64_t>(row) * columns_ + static_cast<std::int64_t>(column));
  return std::span(items_).subspan(offsets_[cell], offsets_[cell + 1] - offsets_[cell]);
}

std::vector<std::uint32_t> PrismIndex::candidates(const Rectangle& box) const {
  std::vector<std::uint32_t> found;
  if (columns_ == 0 || box.empty()) return found;
  const auto clamped = [this](double metres, std::int64_t count) {
    return static_cast<std::int64_t>(std::clamp(std::floor(metres / cell_m_), 0.0, static_cast<double>(count - 1)));
  };
  const std::int64_t first_column = clamped(box.min.x - origin_.x, columns_);
  const std::int64_t last_column = clamped(box.max.x - origin_.x, columns_);
  const std::int64_t first_row = clamped(box.min.y - origin_.y, rows_);
  const std::int64_t last_row = clamped(box.max.y - origin_.y, rows_);
  for (std::int64_t row = first_row; row <= last_row; ++row) {
    for (std::int64_t column = first_column; column <= last_column; ++column) {
      const auto cell = static_cast<std::size_t>(row * columns_ + column);
      for (std::uint32_t i = offsets_[cell]; i < offsets_[cell + 1]; ++i) {
        if (touch(bounds_[items_[i]], box)) found.push_back(items_[i]);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::int64_t PrismIndex::prism_at(Vec3 p) const {
  for (const std::uint32_t i : candidates(p.xy())) {
    const Prism& prism = scene_->prisms[i];
    if (p.z > prism.bottom_z && p.z < prism.top_z && bounds_[i].contains(p.xy()) && contains(prism.rings, p.xy())) {
      return i;
    }
  }
  return -1;
}

double PrismIndex::surface_height(Vec2 p) const {
  double highest = -infinity;
  for (const std::uint32_t i : candidates(p)) {
    const Prism& prism = scene_->prisms[i];
    if (prism.top_z > highest && bounds_[i].contains(p) && contains(prism.rings, p)) highest = prism.top_z;
  }
  return std::isfinite(highest) ? highest : scene_->terrain.height_at(p);
}

}  // namespace tesseray
