// SPDX-License-Identifier: GPL-3.0-or-later
// A row of profile points in memory of a fixed size, for host and device.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// Where there is no roof, among the numbers of roofs.
inline constexpr std::uint32_t no_roof = ~0u;
TESSERAY_HD inline bool is_same_roof(std::uint32_t a, std::uint32_t b) { return a == b && a != no_roof; }

// What stands at a point of a profile: the material of the part below it, and the sine of the angle in the plan between
// the profile's plane and the edge, in steps: negative where the edge leads to the right of the plane, onwards. An edge
// across the plane has all of them, and so has what is no edge. And of which roof it is an edge, by a number.
struct ProfileEdge {
  static constexpr std::int16_t all_steps = 32767;

  std::uint16_t material = 0;
  std::int16_t sine_steps = all_steps;
  std::uint32_t roof = no_roof;

  TESSERAY_HD double sine() const { return std::fabs(sine_steps / double{all_steps}); }
};

// Points over the distance from one end (x: distance, y: height; m), each with its edge. They lie `stride` apart: a
// GPU's threads have their rows side by side. Owns nothing.
template <std::uint32_t stride>
class ProfileRow {
 public:
  TESSERAY_HD ProfileRow(Vec2* points, ProfileEdge* edges, std::uint32_t capacity)
      : points_(points), edges_(edges), capacity_(capacity) {}

  TESSERAY_HD std::uint32_t size() const { return size_; }
  TESSERAY_HD Vec2 operator[](std::uint32_t k) const { return points_[place(k)]; }
  TESSERAY_HD Vec2 back() const { return (*this)[size_ - 1]; }
  TESSERAY_HD ProfileEdge edge(std::uint32_t k) const { return edges_[place(k)]; }
  TESSERAY_HD std::uint16_t material(std::uint32_t k) const { return edge(k).material; }
  // True when a point was not taken since the row was cleared last: it had no room.
  TESSERAY_HD bool has_overflowed() const { return has_overflowed_; }

  TESSERAY_HD void clear() {
    size_ = 0;
    has_overflowed_ = false;
  }
  TESSERAY_HD void push(Vec2 point, ProfileEdge edge) {
    if (size_ == capacity_) {
      has_overflowed_ = true;
      return;
    }
    set(size_++, point, edge);
  }
  // REQUIRES: size() ≤ what it is now.
  TESSERAY_HD void shorten(std::uint32_t size) { size_ = size; }
  TESSERAY_HD void set(std::uint32_t k, Vec2 point, ProfileEdge edge) {
    points_[place(k)] = point;
    edges_[place(k)] = edge;
  }
  TESSERAY_HD void set_material(std::uint32_t k, std::uint16_t material) { edges_[place(k)].material = material; }

 private:
  TESSERAY_HD static std::size_t place(std::uint32_t k) { return std::size_t{k} * stride; }

  Vec2* points_;
  ProfileEdge* edges_;
  std::uint32_t capacity_, size_ = 0;
  bool has_overflowed_ = false;
};

}  // namespace tesseray
