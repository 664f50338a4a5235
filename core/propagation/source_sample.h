// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer scattering tiles that stand for all that light an element.
//
// An edge segment, or a mirroring tile, is lit by hundreds of tiles that scatter. What they bring to a target is a sum,
// so it can be estimated from a sample: strong tiles are kept as they are, of the weak ones each is kept with a
// probability in proportion to its power at the element, and then counts as many times more. The expectation is the sum
// itself (no bias); tiles follow each other in the sample as in the row, that is by their place in the city, so that
// neighbours stand for each other. The sample depends on the element alone: the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tesseray {

// A tile whose scattered power reaches an element.
struct ScatteringSource {
  std::uint32_t tile = 0;
  double weight = 0;  // its power at the element
  double share = 1;   // what vegetation leaves of that power, times what it stands for
};

// Leaves about `most` of the sources (all when there are no more, or when `most` is 0) and raises the shares of those
// that are drawn. `seed` tells elements apart. REQUIRES: weights above 0.
void thin_sources(std::vector<ScatteringSource>& sources, std::size_t most, std::uint64_t seed);

}  // namespace tesseray
