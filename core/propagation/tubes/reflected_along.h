// SPDX-License-Identifier: GPL-3.0-or-later
// The field along a ray that tiles alone have reflected, for host and device: the planes and its last direction say all
// of it.
#pragma once

#include <cstddef>

#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// The field of the transmitter's or the scattered ray that leaves the last tile of `chain`, reflections only, along
// `direction`. `rays`: of whom the view, departure() and reflected() are asked, as in bounced_rays.h.
template <class Rays>
TESSERAY_HD LinkView::Departure reflected_along(const InteractionChain& chain, Vec3 direction, const Rays& rays) {
  const Tile* const tiles = rays.view().environment.tiles;
  const std::size_t first = chain.is_scattered() ? 1 : 0;
  Vec3 k = direction;
  for (std::size_t i = chain.length; i-- > first;) k = mirrored(k, tiles[chain.elements[i]].normal);
  LinkView::Departure departure = rays.departure(chain, k);
  for (std::size_t i = first; i < chain.length; ++i) {
    const Tile& tile = tiles[chain.elements[i]];
    departure.field = rays.reflected(chain, departure.field, k, tile);
    k = mirrored(k, tile.normal);
  }
  return departure;
}

// What the ground reflects along a direction of the direct ray alone, of which it mirrors another part than of what
// goes on from there.
TESSERAY_HD inline ComplexVec3 direct_ray_reflected_along(Vec3 direction, const Tile& ground,
                                                          const LaunchView& launch) {
  const Vec3 k = mirrored(direction, ground.normal);
  return reflected_by_grazed_ground(launch.surface(ground), launch.link.depart(k).field, k, ground.normal);
}

// Of whom reflected_along() asks: rays of the transmitter, which nothing scatters.
struct ReflectedRays {
  const LaunchView& launch;

  TESSERAY_HD const LaunchView& view() const { return launch; }
  TESSERAY_HD LinkView::Departure departure(const InteractionChain&, Vec3 direction) const {
    return launch.link.depart(direction);
  }
  TESSERAY_HD ComplexVec3 reflected(const InteractionChain&, const ComplexVec3& incident, Vec3 incidence,
                                    const Tile& tile) const {
    return specularly_reflected(launch, incident, incidence, tile);
  }
};

}  // namespace tesseray
