// SPDX-License-Identifier: GPL-3.0-or-later
// The field that an exact ray brings: the launcher's formulas for reflection, diffraction, antennas and vegetation, at
// the ray's own points.
#pragma once

#include "core/physics/diffraction.h"
#include "core/propagation/images/exact_path.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/vegetation/vegetation_loss.h"

namespace tesseray {

struct ReceivedPath {
  Complex amplitude;  // without phase by distance; |amplitude|² is the path gain over the EIRP
  double departure_gain = 1, receive_gain = 1;  // of the antennas' patterns, over the transmitting one's maximum
  double length_m = 0;
};

// Keeps references to what it is made of. Thread-safe.
class ExactField {
 public:
  ExactField(const Scene& scene, const Reflectors& reflectors, const RealEdges& edges, const Link& link,
             const VegetationLoss& vegetation);

  ReceivedPath receive(const ExactPath& path) const;

 private:
  struct Wave;
  struct EdgeOnPath;
  Wedge wedge_of(const EdgeSegment& edge) const;
  EdgeOnPath edge_at(const ExactPath& path, std::size_t at, const Wave& wave, double next_m) const;
  void reflect(const Reflector& reflector, Wave& wave) const;
  void diffract(const ExactPath& path, std::size_t at, Wave& wave) const;

  const Scene& scene_;
  const Reflectors& reflectors_;
  const RealEdges& edges_;
  const Link& link_;
  const VegetationLoss& vegetation_;
};

}  // namespace tesseray
