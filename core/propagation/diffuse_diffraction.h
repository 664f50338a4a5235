// SPDX-License-Identifier: GPL-3.0-or-later
// Diffraction of diffusely scattered power at one edge segment, in vectors over the members of its row.
//
// An edge segment is short: its faces' reflection and the polarisation are taken at the directions from its midpoint,
// so that they are constants of a source or of a member. What changes with each pair is the Keller point, by which the
// pair's distance, spreading and shadow-boundary terms go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/vector_dispatch.h"
#include "core/physics/diffraction_power.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// The members of an edge's row as observers. Frame 0 counts angles from the 0-face, frame 1 from the n-face.
class EdgeObservers {
 public:
  // Forgets the observers of the edge before.
  void begin(const Wedge& wedge, const EdgeSegment& edge);
  void add(Vec3 point);

  struct Frame {
    std::vector<float> cos_half, sin_half, cos_scaled, sin_scaled;
    std::vector<float> te_re, te_im, tm_re, tm_im;  // of the face away from the source
  };
  const Frame& frame(bool from_other_face) const { return frames_[from_other_face ? 1 : 0]; }
  const std::vector<float>& z() const { return z_; }
  const std::vector<float>& rho() const { return rho_; }
  // 0 for members inside the solid, 1 otherwise.
  const std::vector<float>& in_air() const { return in_air_; }

 private:
  Wedge wedge_;
  EdgeSegment edge_;
  double cos_half_exterior_ = 0, sin_half_exterior_ = 0;  // of half the exterior angle
  std::vector<float> z_, rho_, in_air_;
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

// One number per hit; what follows after those is working space.
struct DiffuseEdgeResult {
  std::vector<float> density;   // |field|² at the member per unit of source power
  std::vector<float> length_m;  // from the tile by way of the edge
  std::vector<std::uint32_t> padded_hits;
};

// For each of the row members `hits`; the same bits for any instruction set.
void diffract_diffuse_power(const DiffuseEdgeSource& source, const EdgeObservers& observers,
                            std::span<const std::uint32_t> hits, DiffuseEdgeResult& result,
                            InstructionSet instruction_set = best_instruction_set());

}  // namespace tesseray
