// SPDX-License-Identifier: GPL-3.0-or-later
// All rays between two points among a few boxes on flat ground, by trying every sequence of planes and edges: no
// images are pruned, shortest ways are searched for numerically, and sight is a segment against boxes. Nothing is
// shared with the image method of core/propagation/images.
#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray::testing {

// A box turned about the vertical, standing on the ground at height 0.
struct TurnedBox {
  Vec2 centre;
  double angle = 0;                           // rad
  double half_x = 1, half_y = 1, height = 1;  // m

  Prism prism(std::int64_t building_id) const;
};

struct BruteForceRay {
  std::string interactions;  // as in Ray
  double length_m = 0;
  std::vector<Vec3> points;
};

class BruteForceRays {
 public:
  // The ground is a plane without end.
  explicit BruteForceRays(std::vector<TurnedBox> boxes);

  std::vector<BruteForceRay> reflected(Vec3 from, Vec3 to, int most_reflections) const;
  // With one diffraction and at most so many reflections before and after together.
  std::vector<BruteForceRay> diffracted(Vec3 from, Vec3 to, int most_reflections) const;
  // With two diffractions and at most so many reflections before, between and after them together. With a reflection
  // between them both may be at one edge.
  std::vector<BruteForceRay> diffracted_twice(Vec3 from, Vec3 to, int most_reflections) const;
  // True when the open segment meets no box and does not go below the ground.
  bool is_free(Vec3 a, Vec3 b) const;

 private:
  struct Plane {
    Vec3 centre, normal, half_u, half_v;  // half_u = 0: the whole plane
  };
  struct Edge {
    Vec3 begin, end, normal_0, normal_n;  // of its two faces
    Vec3 outwards() const;                // unit, halfway between them
    bool is_in_air(Vec3 p) const;         // as seen from the edge: not within the right angle of the solid
  };
  // Sequences of planes of one length.
  template <class Visit>
  void for_sequences(int length, const Visit& visit) const;
  bool meets_in_turn(const std::vector<int>& sequence, Vec3 from, Vec3 to, std::vector<Vec3>& points) const;
  Vec3 image(const std::vector<int>& sequence, Vec3 point) const;
  bool legs_are_free(const std::vector<Vec3>& points, const std::vector<Vec3>& lifts) const;
  std::string letters(const std::vector<int>& sequence) const;
  void add_twice_diffracted(const Edge& first, const Edge& second, const std::vector<int> (&reflections)[3], Vec3 from,
                            Vec3 to, std::vector<BruteForceRay>& rays) const;

  std::vector<TurnedBox> boxes_;
  std::vector<Plane> planes_;
  std::vector<Edge> edges_;
};

}  // namespace tesseray::testing
