// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/source_sample.h"

#include "core/base/hash.h"

namespace tesseray {
namespace {

// The weight above which a source is kept for certain: Σ min(1, weight / threshold) = most.
double threshold_for(const std::vector<ScatteringSource>& sources, std::size_t most) {
  double threshold = 0;
  for (int turn = 0; turn < 8; ++turn) {
    double weak = 0;
    std::size_t certain = 0;
    for (const ScatteringSource& source : sources) {
      if (turn > 0 && source.weight >= threshold) {
        ++certain;
      } else {
        weak += source.weight;
      }
    }
    if (certain >= most) break;
    const double next = weak / static_cast<double>(most - certain);
    if (next == threshold) break;
    threshold = next;
  }
  return threshold;
}

}  // namespace

void thin_sources(std::vector<ScatteringSource>& sources, std::size_t most, std::uint64_t seed) {
  if (most == 0 || sources.size() <= most) return;
  const double threshold = threshold_for(sources, most);
  // One random number for all: a source is drawn where the running sum of probabilities passes a whole number.
  double sum = hashed_fraction(seed);
  std::size_t kept = 0;
  for (ScatteringSource& source : sources) {
    if (source.weight >= threshold) {
      sources[kept++] = source;
      continue;
    }
    sum += source.weight / threshold;
    if (sum < 1) continue;
    sum -= 1;
    source.share *= threshold / source.weight;
    sources[kept++] = source;
  }
  sources.resize(kept);
}

}  // namespace tesseray
