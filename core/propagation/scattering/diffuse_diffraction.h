// SPDX-License-Identifier: GPL-3.0-or-later
// Diffraction of diffusely scattered power at one edge segment (edge_observer.h), in vectors over the members of its
// row. Members are sorted by the cotangent of their angle to the edge: those that a source lights lie between two
// Keller cones, so in a few whole vectors side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/vector_dispatch.h"
#include "core/propagation/rays/wideband.h"
#include "core/propagation/rows/interval_search.h"
#include "core/propagation/scattering/edge_observer.h"
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
  // The place of each of the numbers given.
  std::span<const std::uint32_t> places() const { return places_of_; }

  struct Frame {
    std::vector<float> cos_half, sin_half, cos_scaled, sin_scaled;
    std::vector<float> te_re, te_im, tm_re, tm_im;  // of the face from which angles count
  };
  const Frame& frame(bool from_other_face) const { return frames_[from_other_face ? 1 : 0]; }
  const RowIntervals& intervals() const { return intervals_; }
  const std::vector<float>& z() const { return z_; }
  const std::vector<float>& rho() const { return rho_; }
  const std::vector<float>& rise() const { return rise_; }
  // 0 for members inside the solid, 1 otherwise.
  const std::vector<float>& in_air() const { return in_air_; }
  const std::vector<float>& straight_m() const { return straight_m_; }

 private:
  void sort_by_cotangent(std::span<const std::uint32_t> numbers);
  void resize(std::size_t padded);

  std::vector<std::uint32_t> numbers_, order_, places_of_;
  std::vector<double> places_[4];  // before sorting: z, ρ, and the angle's cosine and sine
  std::vector<float> z_, rho_, rise_, in_air_, straight_m_;
  RowIntervals intervals_;
  Frame frames_[2];
};

// DiffuseEdgeSum of each member, by their places.
struct EdgeBeams {
  std::vector<float> power, basic, excess, squared_excess, first_excess_m, strongest, along, across, strongest_z;
  std::vector<std::uint32_t> rays;
  // EdgePair of the source that was added last: valid in the blocks that its search found.
  std::vector<float> pair_density, pair_length_m, pair_keller_z;

  void clear(std::size_t members);
  DiffuseEdgeSum at(std::size_t place) const {
    return {power[place],     basic[place], excess[place], squared_excess[place], first_excess_m[place],
            strongest[place], rays[place],  along[place],  across[place],         strongest_z[place]};
  }
};

// Σ of sources' DirectionMoments at each member, by their places, times what each source brings per unit of its power.
struct EdgeDepartures {
  std::vector<double> cos_azimuth, sin_azimuth, cos_elevation, sin_elevation;

  void clear(std::size_t members);
  DirectionMoments at(std::size_t place) const {
    return {cos_azimuth[place], sin_azimuth[place], cos_elevation[place], sin_elevation[place]};
  }
  // Of the source that was added last to the beams. `search`: with which it was. The same bits for any instruction set.
  void add(double share, const DirectionMoments& moments, const EdgeBeams& beams, const BlockSearch& search,
           InstructionSet instruction_set = best_instruction_set());
};

// Σ at each member, by their places, of what sources bring, times the cosine and the sine of the angle between the edge
// and the way on which it comes, which is the same before the edge and behind it.
struct EdgeArrivals {
  std::vector<double> along, across;

  void clear(std::size_t members);
  // Of the source that was added last to the beams, with that power. `search`: with which it was. The same bits for any
  // instruction set.
  void add(const DiffuseEdgeSource& source, double power, const EdgeObservers& observers, const EdgeBeams& beams,
           const BlockSearch& search, InstructionSet instruction_set = best_instruction_set());
};

// Adds what one source sends by way of the edge to all members that `bounds` admits; the same bits for any instruction
// set.
void diffract_diffuse_power(const DiffuseEdgeSource& source, const DiffuseEdgePower& power,
                            const EdgeObservers& observers, const IntervalBounds& bounds, BlockSearch& search,
                            EdgeBeams& beams, InstructionSet instruction_set = best_instruction_set());

}  // namespace tesseray
