// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include "cuda/rooftop_batch.h"

namespace tesseray {
namespace {

class HostRooftopSearch final : public RooftopSearch {
 public:
  HostRooftopSearch(const RooftopSceneView& scene, const RooftopCapacity& capacity, RooftopBody body)
      : scene_(scene), capacity_(capacity), body_(body) {}

  std::size_t most_targets() const override { return capacity_.targets; }
  std::size_t host_bytes() const override { return capacity_.all_points() * (sizeof(Vec2) + sizeof(std::uint16_t)); }

  void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) override {
    std::vector<Vec2> points(capacity_.all_points());
    std::vector<ProfileEdge> edges(capacity_.all_points());
    const auto count = static_cast<std::uint32_t>(targets.size());
    const RooftopBatch batch = {scene_,           rays,          targets.data(), found.data(), count,
                                capacity_.points, points.data(), edges.data()};
    for (std::uint32_t k = 0; k < count; ++k) body_(batch, k);
  }

 private:
  RooftopSceneView scene_;
  RooftopCapacity capacity_;
  RooftopBody body_;
};

}  // namespace

std::unique_ptr<RooftopSearch> make_host_rooftop_search(const RooftopSceneView& scene, const RooftopCapacity& capacity,
                                                        RooftopBody body) {
  return std::make_unique<HostRooftopSearch>(scene, capacity, body);
}

}  // namespace tesseray
