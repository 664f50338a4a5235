// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/device_scene.h"

#include <cstddef>

#include "cuda/scene_copy.h"

namespace tesseray {

DeviceScene::DeviceScene(const SightSceneView& host) : view_(host) {
  for_each_array(view_, [&]<class Item>(const Item*& items, std::size_t count) {
    const DeviceArray<std::byte>& array = arrays_.emplace_back(std::as_bytes(std::span(items, count)));
    items = reinterpret_cast<const Item*>(array.data());
  });
}

}  // namespace tesseray
