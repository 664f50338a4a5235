// SPDX-License-Identifier: GPL-3.0-or-later
// A row of profile points in memory of a fixed size, for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// Points over the distance from one end (x: distance, y: height; m), each with the material of the part below it. They
// lie `stride` apart: a GPU's threads have their rows side by side. Owns nothing.
template <std::uint32_t stride>
class ProfileRow {
 public:
  TESSERAY_HD ProfileRow(Vec2* points, std::uint16_t* materials, std::uint32_t capacity)
      : points_(points), materials_(materials), capacity_(capacity) {}

  TESSERAY_HD std::uint32_t size() const { return size_; }
  TESSERAY_HD Vec2 operator[](std::uint32_t k) const { return points_[place(k)]; }
  TESSERAY_HD Vec2 back() const { return (*this)[size_ - 1]; }
  TESSERAY_HD std::uint16_t material(std::uint32_t k) const { return materials_[place(k)]; }
  // True when a point was not taken since the row was cleared last: it had no room.
  TESSERAY_HD bool has_overflowed() const { return has_overflowed_; }

  TESSERAY_HD void clear() {
    size_ = 0;
    has_overflowed_ = false;
  }
  TESSERAY_HD void push(Vec2 point, std::uint16_t material) {
    if (size_ == capacity_) {
      has_overflowed_ = true;
      return;
    }
    set(size_++, point, material);
  }
  // REQUIRES: size() ≤ what it is now.
  TESSERAY_HD void shorten(std::uint32_t size) { size_ = size; }
  TESSERAY_HD void set(std::uint32_t k, Vec2 point, std::uint16_t material) {
    points_[place(k)] = point;
    materials_[place(k)] = material;
  }
  TESSERAY_HD void set_x(std::uint32_t k, double x) { points_[place(k)].x = x; }
  TESSERAY_HD void set_material(std::uint32_t k, std::uint16_t material) { materials_[place(k)] = material; }

 private:
  TESSERAY_HD static std::size_t place(std::uint32_t k) { return std::size_t{k} * stride; }

  Vec2* points_;
  std::uint16_t* materials_;
  std::uint32_t capacity_, size_ = 0;
  bool has_overflowed_ = false;
};

}  // namespace tesseray
