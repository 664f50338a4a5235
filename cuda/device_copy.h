// SPDX-License-Identifier: GPL-3.0-or-later
// A scene in a GPU's memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/device_memory.h"
#include "cuda/scene_copy.h"

namespace tesseray {

// Copies everything that a view points to; gives the same view of the copies.
template <class View>
class DeviceCopy {
 public:
  explicit DeviceCopy(const View& host) : view_(host) {
    for_each_array(view_, [&]<class Item>(const Item*& items, std::size_t count) {
      const DeviceArray<std::byte>& array = arrays_.emplace_back(std::as_bytes(std::span(items, count)));
      items = reinterpret_cast<const Item*>(array.data());
    });
  }
  const View& view() const { return view_; }

 private:
  View view_;
  std::vector<DeviceArray<std::byte>> arrays_;
};

}  // namespace tesseray
