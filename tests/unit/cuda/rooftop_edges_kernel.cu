// SPDX-License-Identifier: GPL-3.0-or-later
// The part of rays over the roofs that must have the CPU's bits, as a kernel of its own: kernel_arithmetic_test.py
// looks at its instructions. It has none of CUDA's sines and logarithms, which fuse operations.
#include "core/physics/screen_choice.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"

namespace tesseray {

__global__ void find_edges(const __grid_constant__ RooftopSceneView scene, Vec3 from, Vec3 to, double wavelength_m,
                           Vec2* points, ProfileEdge* edges, std::uint32_t capacity, ScreenChoice* choice) {
  ProfileRow<32> row(points + threadIdx.x, edges + threadIdx.x, capacity);
  const RooftopLine line(from, to, wavelength_m);
  if (RooftopProfileTrace(scene, line, row).run()) choice[threadIdx.x] = choose_screens(row, wavelength_m);
}

}  // namespace tesseray
