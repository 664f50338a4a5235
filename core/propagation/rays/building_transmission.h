// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the building nearest to an antenna, or the one that it stands on (paper 002, §2.6; docs/physics.md §8).
//
// Such a building hides whole streets from a site at its corner, and what goes through it is stronger there than what
// goes around. It is taken as transparent for what the antenna sees; the ray pays for each outer wall or roof that it
// passes, and for each metre inside. Parts of the building count as one solid: nothing is paid between them. So do
// houses that touch it wall to wall, and those that touch these: a solid is one whatever features the data cut it into.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/propagation/rays/ray_launching_options.h"
#include "core/scene/scene.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class BuildingTransmission {
 public:
  // The building nearest to `antenna` in the plan, with all that touches it; several that are equally near. Keeps a
  // reference to the scene.
  BuildingTransmission(const Scene& scene, Vec3 antenna, double frequency_hz, const TransmissionOptions& options);

  // False in a scene without buildings.
  bool any() const { return !parts_.empty(); }
  // The scene without the building. REQUIRES: any().
  const Occlusion& occlusion_without() const { return *occlusion_; }
  // False for a straight way that certainly does not meet the building.
  bool may_hide(Vec3 from, Vec3 to) const;
  // The factor of the amplitude on the straight way; 1 for one that does not meet the building.
  double amplitude(Vec3 from, Vec3 to) const;
  // The same in dB of loss.
  double loss_db(Vec3 from, Vec3 to) const;

 private:
  struct Crossing {
    double begin_m, end_m;
    std::uint16_t material_at_begin, material_at_end;  // of the wall, or the roof
    std::uint32_t part;
  };

  void find_parts(Vec3 antenna);
  void add_rest_of_house();
  // Whether there is air between two crossings, of which the first ends before the other begins.
  bool is_air_between(const Crossing& before, const Crossing& after, Vec3 from, Vec3 direction) const;
  std::vector<Crossing> crossings(Vec3 from, Vec3 to) const;
  double wall_loss_db(std::uint16_t material) const;

  const Scene& scene_;
  double frequency_hz_;
  TransmissionOptions options_;
  std::vector<std::uint32_t> parts_;  // prisms of the building
  Rectangle bounds_;                  // of the parts in the plan, with a margin
  double top_z_ = 0;                  // of the highest, likewise
  std::unique_ptr<Scene> scene_without_;
  std::unique_ptr<Occlusion> occlusion_;
};

}  // namespace tesseray
