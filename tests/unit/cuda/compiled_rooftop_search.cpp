// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/cuda/compiled_rooftop_search.h"

#include <vector>

#include "cuda/rooftop_batch.h"

// Of ptx_to_cpp.py.
extern "C" void run_rooftop_kernel(const void* parameters, unsigned block, unsigned thread);

namespace tesseray::test {
namespace {

class CompiledRooftopSearch final : public RooftopSearch {
 public:
  explicit CompiledRooftopSearch(const RooftopSceneView& scene) : scene_(scene) {}

  std::size_t most_targets() const override { return capacity_.targets; }
  std::size_t host_bytes() const override { return 0; }

  void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) override {
    constexpr unsigned threads_per_block = 128;  // as kernel_launch.h has it
    std::vector<Vec2> points(capacity_.all_points());
    std::vector<ProfileEdge> edges(capacity_.all_points());
    const auto count = static_cast<std::uint32_t>(targets.size());
    const RooftopBatch batch = {scene_,           rays,          targets.data(), found.data(), count,
                                capacity_.points, points.data(), edges.data()};
    for (unsigned k = 0; k < count; ++k) run_rooftop_kernel(&batch, k / threads_per_block, k % threads_per_block);
  }

 private:
  RooftopSceneView scene_;
  RooftopCapacity capacity_{.targets = 256};
};

}  // namespace

std::unique_ptr<RooftopSearch> make_compiled_rooftop_search(const RooftopSceneView& scene) {
  return std::make_unique<CompiledRooftopSearch>(scene);
}

}  // namespace tesseray::test
