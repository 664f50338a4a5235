// SPDX-License-Identifier: GPL-3.0-or-later
// A scene in a GPU's memory.
#pragma once

#include <vector>

#include "cuda/device_memory.h"
#include "cuda/sight_scene.h"

namespace tesseray {

// Copies everything that a view points to; gives the same view of the copies.
class DeviceScene {
 public:
  explicit DeviceScene(const SightSceneView& host);
  const SightSceneView& view() const { return view_; }

 private:
  SightSceneView view_;
  std::vector<DeviceArray<std::byte>> arrays_;
};

}  // namespace tesseray
