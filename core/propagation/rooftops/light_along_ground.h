// SPDX-License-Identifier: GPL-3.0-or-later
// How places along the ground light another one, in the vertical plane of a line over it (docs/physics.md §6).
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/vector_dispatch.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"

namespace tesseray {

// Phases count against any reference, lengths over which waves spread as their roots.
class LightAlongGround {
 public:
  void clear();
  // From an end of the ground on; the direct wave has come so far there.
  void add_node(Vec2 place, double direct_m);

  // From here on, the first `count` nodes as they light a place that the direct wave reaches after `reference_m`; `up`:
  // the ground's normal there. REQUIRES: none of them is there, and phases are below 10^5.
  void look_from(Vec2 place, std::size_t count, double reference_m, Vec2 up, double wave_number);
  double phase(std::size_t node) const { return phase_[node]; }
  double root_m(std::size_t node) const { return root_m_[node]; }
  // From above over the ground there, of the straight piece from a node to the next one.
  double sine_of_piece(std::size_t node) const { return 0.5 * (sine_[node] + sine_[node + 1]); }
  // ∫ e^{−j phase} dr/√r over it.
  Complex of_piece(std::size_t node) const { return {piece_re_[node], piece_im_[node]}; }

 private:
  InstructionSet instruction_set_ = best_instruction_set();
  std::vector<double> x_, y_, direct_m_;                           // by node
  std::vector<double> phase_, root_m_, turn_re_, turn_im_, sine_;  // of the place looked from
  std::vector<double> piece_re_, piece_im_;
};

}  // namespace tesseray
