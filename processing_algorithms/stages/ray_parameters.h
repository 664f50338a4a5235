// SPDX-License-Identifier: GPL-3.0-or-later
// Which rays there are, what happens to them and how they are summed, as the parameters say.
#pragma once

#include <memory>
#include <vector>

#include "core/propagation/rays/ray_launching_options.h"
#include "core/visibility/visibility.h"
#include "processing_algorithms/run/parameter.h"
#include "processing_algorithms/run/parameter_values.h"

namespace tesseray {

// The receiving end.
std::vector<Parameter> receiver_parameters();
// RECEIVER_GAIN, which is among them: the antenna of what is predicted, and of what was measured.
Parameter receiver_gain_parameter();

// How rays are launched and summed.
std::vector<Parameter> propagation_parameters();

// What the parameters say of how rays are launched and summed.
RayLaunchingOptions ray_launching_options(const ParameterValues& values);
// Of these, what any model of single rays needs: receivers, vegetation and the summation.
void read_link_options(const ParameterValues& values, RayLaunchingOptions& options);

// The rows by which rays find their targets: the visibility's own, or the paper's rows of parent tiles.
class RayRows {
 public:
  RayRows(const ParameterValues& values, const Visibility& visibility, const Tiling& tiling);
  const Visibility& visibility() const { return parents_ ? *parents_ : own_; }

 private:
  const Visibility& own_;
  std::unique_ptr<Visibility> parents_;
};

}  // namespace tesseray
