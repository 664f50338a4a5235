// SPDX-License-Identifier: GPL-3.0-or-later
// Where antennas stand in the cities of the benchmarks: 6 m above a street, 3 m above a roof, 50 m above all roofs.
#pragma once

#include <string>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/scene.h"

namespace tesseray::testing {

struct CitySite {
  std::string name;
  Vec3 position;
};

// One of each kind about the middle of the city, by which speed has been compared from the beginning: "street",
// "rooftop", "macro".
std::vector<CitySite> sites_near_middle(const Scene& scene);

// `count` sites spread evenly over the city, the three kinds by turns: "street-1", "rooftop-2", "macro-3", "street-4"
// ….
std::vector<CitySite> sites_over_city(const Scene& scene, int count);

}  // namespace tesseray::testing
