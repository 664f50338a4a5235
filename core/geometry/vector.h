// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors in the scene frame: metres, x east, y north, z up.
#pragma once

#include <cmath>

#include "core/base/host_device.h"

namespace tesseray {

struct Vec2 {
  double x = 0, y = 0;
  friend TESSERAY_HD constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

TESSERAY_HD constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
TESSERAY_HD constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
TESSERAY_HD constexpr Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
TESSERAY_HD constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
// z of the cross product: positive when b lies to the left of a.
TESSERAY_HD constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
TESSERAY_HD inline double norm(Vec2 a) { return std::sqrt(dot(a, a)); }

struct Vec3 {
  double x = 0, y = 0, z = 0;
  TESSERAY_HD constexpr Vec2 xy() const { return {x, y}; }
  friend TESSERAY_HD constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

TESSERAY_HD constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
TESSERAY_HD constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TESSERAY_HD constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
TESSERAY_HD constexpr Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
TESSERAY_HD constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TESSERAY_HD constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TESSERAY_HD constexpr double squared_norm(Vec3 a) { return dot(a, a); }
TESSERAY_HD inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
// REQUIRES: a is not zero.
TESSERAY_HD inline Vec3 normalized(Vec3 a) { return (1.0 / norm(a)) * a; }
// Straight up.
inline constexpr Vec3 upwards{0, 0, 1};
// The point at height z over (or under) p.
TESSERAY_HD constexpr Vec3 at_height(Vec2 p, double z) { return {p.x, p.y, z}; }
// The mirror image of point p in the plane through `on_plane` with unit normal n.
TESSERAY_HD constexpr Vec3 mirrored(Vec3 p, Vec3 on_plane, Vec3 n) { return p - (2.0 * dot(p - on_plane, n)) * n; }
// The mirror image of a direction in a plane with unit normal n.
TESSERAY_HD constexpr Vec3 mirrored(Vec3 direction, Vec3 n) { return direction - (2.0 * dot(direction, n)) * n; }

// An axis-parallel rectangle of the ground plan; empty when min > max.
struct Rectangle {
  Vec2 min{1, 1}, max{0, 0};
  TESSERAY_HD constexpr bool empty() const { return min.x > max.x || min.y > max.y; }
  TESSERAY_HD constexpr bool contains(Vec2 p) const {
    return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y;
  }
  TESSERAY_HD constexpr void extend(Vec2 p) {
    if (empty()) {
      min = max = p;
      return;
    }
    min = {p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y};
    max = {p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y};
  }
  // REQUIRES: not empty.
  TESSERAY_HD constexpr Vec2 middle() const { return 0.5 * (min + max); }
  friend TESSERAY_HD constexpr bool operator==(const Rectangle&, const Rectangle&) = default;
};

// True when two rectangles have a point in common. REQUIRES: neither is empty.
TESSERAY_HD constexpr bool touch(const Rectangle& a, const Rectangle& b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y;
}

}  // namespace tesseray
