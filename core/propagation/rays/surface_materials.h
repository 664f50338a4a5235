// SPDX-License-Identifier: GPL-3.0-or-later
// Which of a scene's materials a surface is of: its own, or the default of its kind of surface.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/tiling/tiling.h"

namespace tesseray {

TESSERAY_HD inline std::uint16_t surface_material(const DefaultMaterials& defaults, SurfaceKind kind,
                                                  std::uint16_t own) {
  if (own != 0) return own;
  switch (kind) {
    case SurfaceKind::ground:
      return defaults.ground;
    case SurfaceKind::wall:
      return defaults.wall;
    case SurfaceKind::roof:
      return defaults.roof;
  }
  return defaults.wall;
}

TESSERAY_HD inline std::uint16_t surface_material(const DefaultMaterials& defaults, const Tile& tile) {
  return surface_material(defaults, tile.kind, tile.material);
}

inline std::uint16_t surface_material(const Scene& scene, const Tile& tile) {
  return surface_material(scene.default_materials, tile);
}

// Of an edge segment's 0-face: the roof at a roof's edge.
TESSERAY_HD inline std::uint16_t surface_material_0(const DefaultMaterials& defaults, const EdgeSegment& edge) {
  const SurfaceKind kind = edge.kind == EdgeKind::terrain  ? SurfaceKind::ground
                           : edge.kind == EdgeKind::corner ? SurfaceKind::wall
                                                           : SurfaceKind::roof;
  return surface_material(defaults, kind, edge.material_0);
}

// Of its n-face: the wall at a roof's edge.
TESSERAY_HD inline std::uint16_t surface_material_n(const DefaultMaterials& defaults, const EdgeSegment& edge) {
  const SurfaceKind kind = edge.kind == EdgeKind::terrain ? SurfaceKind::ground : SurfaceKind::wall;
  return surface_material(defaults, kind, edge.material_n);
}

}  // namespace tesseray
