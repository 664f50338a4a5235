// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/multiple_screens.h"

#include "core/base/vector_dispatch.h"
#include "core/physics/screen_contours.h"

namespace tesseray {
namespace {

// Loops in vectors of the best kind that this machine has.
struct VectorLoops {
  static constexpr std::uint32_t vector_bytes = 64;
  template <class Loop, class... Arguments>
  void run(Arguments... arguments) const {
    run_vectorized<Loop>(instruction_set, arguments...);
  }
  InstructionSet instruction_set = best_instruction_set();
};

}  // namespace

ScreenFactors multiple_screen_factors(std::span<const Vec2> profile, double wavelength_m,
                                      const ProfileGrounds& grounds) {
  return multiple_screen_factors(VectorLoops(), profile, wavelength_m, grounds);
}

Complex multiple_screen_factor(std::span<const Vec2> profile, double wavelength_m) {
  return multiple_screen_factors(profile, wavelength_m, {}).factor;
}

}  // namespace tesseray
