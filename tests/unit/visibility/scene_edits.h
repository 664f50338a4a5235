// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a scene as people make them: buildings added, removed, raised, lowered and moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scene/scene.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::test {

struct SceneEdit {
  std::string name;
  Scene scene;  // after the edit
};

// One of each kind that the scene has a place for, at random places.
std::vector<SceneEdit> random_edits(const Scene& scene, std::uint64_t seed);

// Puts a box on the ground where nothing stands within so many tries; false when there is no such place.
bool add_box(Scene& scene, const Rectangle& within, double side_m, double height_m, testing::Random& random);

}  // namespace tesseray::test
