// SPDX-License-Identifier: GPL-3.0-or-later
// An environment in a GPU's memory, for all that works over it.
#pragma once

#include <memory>

#include "core/propagation/scattering/row_scatterer.h"
#include "core/propagation/tubes/tube_bouncer.h"
#include "cuda/device_copy.h"

namespace tesseray {

using DeviceEnvironment = DeviceCopy<EnvironmentView>;

// See backend.h.
std::unique_ptr<TubeBouncer> make_cuda_tube_bouncer(std::shared_ptr<const DeviceEnvironment> environment);
std::unique_ptr<RowScatterer> make_cuda_row_scatterer(std::shared_ptr<const DeviceEnvironment> environment);

}  // namespace tesseray
