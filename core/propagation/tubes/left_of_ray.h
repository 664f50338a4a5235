// SPDX-License-Identifier: GPL-3.0-or-later
// What is left of a ray on its way besides what elements send on, for host and device.
#pragma once

namespace tesseray {

// What roofs, corners or the ground near a straight line leave of a ray: of its amplitude, and of its phase as a length
// that it seems to go more (VirtualSource::offset_m).
struct LeftOfRay {
  double amplitude = 1, offset_m = 0;
  bool comes_near = false;   // any roof
  bool is_one_edge = false;  // that does

  // The same after what something else leaves besides.
  LeftOfRay and_of(const LeftOfRay& besides) const {
    return {amplitude * besides.amplitude, offset_m + besides.offset_m, comes_near, is_one_edge};
  }
};

}  // namespace tesseray
