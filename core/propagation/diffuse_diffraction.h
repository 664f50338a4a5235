// SPDX-License-Identifier: GPL-3.0-or-later
// Diffraction of diffusely scattered power at one edge segment, in vectors over the members of its row.
//
// An edge segment is short: its faces' reflection and the polarisation are taken at the directions from its midpoint,
// so that they are constants of a source or of a member. What changes with each pair is the Keller point, by which the
// pair's distance, spreading and shadow-boundary terms go. Members are sorted by the cotangent of their angle to the
// edge: those that a source lights lie between two Keller cones, so in a few whole vectors side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/vector_dispatch.h"
#include "core/physics/diffraction_power.h"
#include "core/propagation/interval_search.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// The members of an edge's row as observers. Frame 0 counts angles from the 0-face, frame 1 from the n-face.
class EdgeObservers {
 public:
  // `points` holds three coordinates per number, `straight_m` a length per number.
  void lay_out(const Wedge& wedge, const EdgeSegment& edge, const double* points, const double* straight_m,
               std::span<const std::uint32_t> numbers, InstructionSet instruction_set = best_instruction_set());

  // In the order of places. Working arrays are padded to whole vectors with members that nothing hits.
  std::size_t size() const { return numbers_.size(); }
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  // Where in the numbers given the one of each place was.
  std::span<const std::uint32_t> order() const { return order_; }

  struct Frame {
    std::vector<float> cos_half, sin_half, cos_scaled, sin_scaled;
    std::vector<float> te_re, te_im, tm_re, tm_im;  // of the face away from the source
  };
  const Frame& frame(bool from_other_face) const { return frames_[from_other_face ? 1 : 0]; }
  const RowIntervals& intervals() const { return intervals_; }
  const std::vector<float>& z() const { return z_; }
  const std::vector<float>& rho() const { return rho_; }
  // 0 for members inside the solid, 1 otherwise.
  const std::vector<float>& in_air() const { return in_air_; }
  const std::vector<float>& straight_m() const { return straight_m_; }

 private:
  void sort_by_cotangent(std::span<const std::uint32_t> numbers);
  void resize(std::size_t padded);

  std::vector<std::uint32_t> numbers_, order_;
  std::vector<double> places_[4];  // before sorting: z, ρ, and the angle's cosine and sine
  std::vector<float> z_, rho_, in_air_, straight_m_;
  RowIntervals intervals_;
  Frame frames_[2];
};

// A scattering tile as the edge sees it. All but the wedge's angles as floats.
struct DiffuseEdgeSource {
  PowerWedge<float> wedge;
  WedgeAngle<float> angle;
  FaceReflection<float> source_face;
  float z = 0, rho = 0;                            // axial coordinate and distance from the edge's line, m
  float soft_share = 0, hard_share = 0;            // of the power, by polarisation against the edge
  float cosine_at_midpoint = 0, cosine_slope = 0;  // normal · (Q − tile), and its change per metre along the edge
  float scale = 0;                                 // area S²/π · reflectance · 1/(8π k n²)
  float two_wave_numbers = 0;                      // 2k
  bool from_other_face = false;
  bool in_air = false;

  // `intensity_per_cosine` is what the tile sends towards the edge per steradian over cosθ_s, `polarization` the unit
  // field that it sends to the midpoint, but for the part `cross_polarization` of the power at right angles to it.
  DiffuseEdgeSource(const Wedge& wedge, const EdgeSegment& edge, const Tile& tile, double intensity_per_cosine,
                    Vec3 polarization, double cross_polarization, double wave_number);
};

// What a scattering tile sends out, and how long its rays have been: DiffusePower in floats, times what is left of it
// at the edge.
struct DiffuseEdgePower {
  float power = 0, basic = 0, length = 0, squared_length = 0, first_length_m = 0;
  std::uint32_t rays = 0;
};

// Sums at the members, by their places: of |field|², over the departure gain, times the excess length and its square.
struct EdgeBeams {
  std::vector<float> power, basic, excess, squared_excess, first_excess_m, strongest;
  std::vector<std::uint32_t> rays;

  void clear(std::size_t members);
};

// Adds what one source sends by way of the edge to all members that `bounds` admits; the same bits for any instruction
// set.
void diffract_diffuse_power(const DiffuseEdgeSource& source, const DiffuseEdgePower& power,
                            const EdgeObservers& observers, const IntervalBounds& bounds, BlockSearch& search,
                            EdgeBeams& beams, InstructionSet instruction_set = best_instruction_set());

}  // namespace tesseray
