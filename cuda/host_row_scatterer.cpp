// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "cuda/host_sharing.h"
#include "cuda/scatter_batch.h"
#include "cuda/scatter_by_edges.h"
#include "cuda/scatter_by_mirrors.h"
#include "cuda/scatter_last.h"
#include "cuda/thread_block.h"

namespace tesseray {
namespace {

constexpr std::uint64_t worth_threads = 3;

class HostLaunchScatterer final : public LaunchScatterer {
 public:
  HostLaunchScatterer(const ScatteringView& scattering, const ScatterCapacity& capacity)
      : scattering_(scattering),
        scattered_sums_(scattering.launch.environment.points.tile_count),
        sums_(scattered_sums_.size()),
        locks_(scattered_sums_.size(), 0),
        weights_(capacity.members),
        weighed_(capacity.members),
        sources_(capacity.members),
        at_edges_(capacity.members),
        at_mirrors_(capacity.members),
        rays_(capacity.members),
        candidates_(capacity.members),
        estimates_(capacity.members),
        targets_(capacity.members),
        stand_for_(capacity.members) {}

  PairCounts gather(const RowBatch& batch) override {
    return work_on(batch, [](RowMemory& memory, const ScatterBatch& bodies, std::uint32_t r) {
      gather_row<HostSharing>(HostBlock(), memory, bodies, r);
    });
  }

  PairCounts reflect(const RowBatch& batch) override {
    return work_on(batch, [](RowMemory& memory, const ScatterBatch& bodies, std::uint32_t r) {
      reflect_row<HostSharing>(HostBlock(), memory, bodies, r);
    });
  }

  PairCounts diffract(const RowBatch& batch) override {
    return work_on(batch, [](RowMemory& memory, const ScatterBatch& bodies, std::uint32_t r) {
      diffract_row<HostSharing>(HostBlock(), memory, bodies, r);
    });
  }

  void know(std::span<const float> known_gains) override {
    known_gains_.assign(known_gains.begin(), known_gains.end());
    scattering_.known_gains = known_gains_.data();
  }

  void add_to(std::span<ArrivalSums> sums, std::span<ScatteredSums> scattered_sums) override {
    hand_over_sums(std::span(sums_), sums);
    hand_over_sums(std::span(scattered_sums_), scattered_sums);
  }

 private:
  template <class Body>
  PairCounts work_on(const RowBatch& batch, const Body& body) {
    const std::lock_guard lock(mutex_);
    PairCounts counts;
    const ScatterBatch bodies = {.scattering = scattering_,
                                 .rows = batch.rows.data(),
                                 .row_count = static_cast<std::uint32_t>(batch.rows.size()),
                                 .members = batch.members.data(),
                                 .weights = weights_.data(),
                                 .weighed = weighed_.data(),
                                 .sources = sources_.data(),
                                 .at_edges = at_edges_.data(),
                                 .at_mirrors = at_mirrors_.data(),
                                 .rays = rays_.data(),
                                 .candidates = candidates_.data(),
                                 .estimates = estimates_.data(),
                                 .targets = targets_.data(),
                                 .stand_for = stand_for_.data(),
                                 .scattered_sums = scattered_sums_.data(),
                                 .sums = sums_.data(),
                                 .locks = locks_.data(),
                                 .counts = &counts};
    for_all_on_host(0, bodies.row_count, worth_threads, [&](std::uint64_t r) {
      RowMemory memory;
      body(memory, bodies, static_cast<std::uint32_t>(r));
    });
    return counts;
  }

  ScatteringView scattering_;
  std::mutex mutex_;
  std::vector<float> known_gains_;
  std::vector<ScatteredSums> scattered_sums_;
  std::vector<ArrivalSums> sums_;
  std::vector<std::uint32_t> locks_;
  std::vector<double> weights_;
  std::vector<ScatteringSource> weighed_;
  std::vector<ScatteringSource> sources_;
  std::vector<SourceAtEdge> at_edges_;
  std::vector<SourceAtMirror> at_mirrors_;
  std::vector<DiffuseSum> rays_;
  std::vector<std::uint32_t> candidates_;
  std::vector<float> estimates_;
  std::vector<std::uint32_t> targets_;
  std::vector<float> stand_for_;
};

class HostRowScatterer final : public RowScatterer {
 public:
  HostRowScatterer(const EnvironmentView& environment, const ScatterCapacity& capacity)
      : environment_(environment), capacity_(capacity.at_least(environment.points)) {}

  RowLimits limits() const override { return capacity_.limits(); }
  std::size_t host_bytes() const override {
    return capacity_.members *
           (sizeof(double) + 2 * sizeof(ScatteringSource) + sizeof(SourceAtEdge) + sizeof(SourceAtMirror) +
            sizeof(DiffuseSum) + 2 * sizeof(std::uint32_t) + 2 * sizeof(float));
  }
  std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) override {
    ScatteringView view = launch;
    view.launch.environment = environment_;
    return std::make_unique<HostLaunchScatterer>(view, capacity_);
  }

 private:
  EnvironmentView environment_;
  ScatterCapacity capacity_;
};

}  // namespace

ScatterCapacity ScatterCapacity::at_least(const TargetPointsView& points) const {
  return {std::max(rows, 1u), std::max(members, points.element_count())};
}

std::unique_ptr<RowScatterer> make_host_row_scatterer(const EnvironmentView& environment,
                                                      const ScatterCapacity& capacity) {
  return std::make_unique<HostRowScatterer>(environment, capacity);
}

}  // namespace tesseray
