// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit of a scene changed of that which sights can meet: walls, and roofs and undersides of raised parts.
//
// A sight is blocked when it meets any wall or raised part, or the terrain. Of two scenes on one terrain, what both
// have blocks the same sights in both. So a pair of elements that are the same in both can lose sight of each other
// only where its sight meets an added wall, and gain it only where it meets a removed one (docs/visibility-updates.md).
#pragma once

#include <vector>

#include "core/base/infinity.h"
#include "core/geometry/vector.h"
#include "core/scene/scene.h"
#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

// A raised part, whose roof and underside sights can meet.
struct RaisedPart {
  std::vector<WallSide> outline;
  double bottom_z = 0, top_z = 0;  // m
};

// Walls and raised parts of one scene that the other has not.
struct ChangedSolids {
  std::vector<WallSide> walls;  // of a wall that became higher, what was added
  std::vector<RaisedPart> raised;

  bool empty() const { return walls.empty() && raised.empty(); }
  // True when the sight between two points meets one of them.
  bool meet(Vec3 a, Vec3 b) const;
};

// A part of the ground plan in which something changed.
struct ChangedPlace {
  Rectangle box;
  double top_z = -infinity;  // m; nothing that changed is higher
  ChangedSolids added, removed;
};

// A part that only one of the scenes has, in whole: who is inside of it sees nothing there.
struct ChangedPart {
  std::vector<WallSide> outline;
  double bottom_z = 0, top_z = 0;  // m; bottom −∞ on the ground

  bool contains(Vec3 p) const;
};

struct SceneChange {
  std::vector<ChangedPlace> places;  // apart from each other
  std::vector<ChangedPart> added, removed;

  // True when a point may have come into a part, or out of one.
  bool may_move_into_or_out_of_parts(Vec3 p) const;
};

// REQUIRES: the same terrain in both.
SceneChange find_scene_change(const Scene& before, const Scene& after);

// Grounds at one height are the same however far they reach, which without a DEM is as far as buildings do: all that
// sees and is seen is above them.
bool is_same_terrain(const Terrain& a, const Terrain& b);

}  // namespace tesseray
