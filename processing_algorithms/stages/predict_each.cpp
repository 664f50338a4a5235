// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/predict_each.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/base/error.h"

namespace tesseray {
namespace {

bool stops_all(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return true;
  const auto* error = dynamic_cast<const Error*>(&failure);
  return error != nullptr && (error->kind() == ErrorKind::cancelled || error->kind() == ErrorKind::resources);
}

// What the transmitters under way have in common: how far they are together, and whether one has ended them all.
struct SharedProgress {
  Progress& whole;
  std::atomic<double> done{0};
  std::atomic<bool> is_stopped{false};
};

// How far one transmitter is.
class PartOfTransmitter final : public Progress {
 public:
  // `share`: of the whole.
  PartOfTransmitter(SharedProgress& shared, double share) : shared_(shared), share_(share) {}

  void advance(double fraction) override {
    double before = done_.load();
    while (before < fraction && !done_.compare_exchange_weak(before, fraction)) {
    }
    if (before >= fraction) return;
    const double more = share_ * (fraction - before);
    shared_.whole.advance(shared_.done.fetch_add(more) + more);
  }
  void warn(const Warning& warning) override { shared_.whole.warn(warning); }
  bool is_cancelled() const override { return shared_.is_stopped || shared_.whole.is_cancelled(); }

 private:
  SharedProgress& shared_;
  double share_;
  std::atomic<double> done_{0};
};

class EachTransmitter {
 public:
  EachTransmitter(const std::vector<const Transmitter*>& transmitters,
                  const std::function<TransmitterPrediction(const Transmitter&, Progress&)>& predict,
                  std::vector<double> shares, Progress& progress)
      : transmitters_(transmitters),
        predict_(predict),
        shares_(std::move(shares)),
        shared_{progress},
        predictions_(transmitters.size()),
        failures_(transmitters.size()) {}

  void run(std::size_t at_once) {
    // No exception leaves a task: it would end the loops within the other transmitters' as if they were done.
    tbb::parallel_for(std::size_t{0}, std::min(at_once, transmitters_.size()), [this](std::size_t) {
      // A thread that waits for others within a transmitter begins no other one meanwhile.
      tbb::this_task_arena::isolate([this] {
        for (std::size_t t = next_++; t < transmitters_.size() && !shared_.is_stopped; t = next_++) predict_one(t);
      });
    });
    if (shared_.is_stopped) std::rethrow_exception(stopped_by_);
  }

  void move_to(Predictions& predictions) {
    for (std::size_t t = 0; t < transmitters_.size(); ++t) {
      if (predictions_[t]) predictions.of_transmitters.push_back(std::move(*predictions_[t]));
      if (failures_[t]) predictions.failed.emplace_back(transmitters_[t]->name, message_of(failures_[t]));
    }
    if (!predictions.of_transmitters.empty()) return;
    const auto first = std::find_if(failures_.begin(), failures_.end(), [](const auto& f) { return f != nullptr; });
    if (first != failures_.end()) std::rethrow_exception(*first);
  }

 private:
  void predict_one(std::size_t t) {
    PartOfTransmitter part(shared_, shares_[t]);
    try {
      predictions_[t] = predict_(*transmitters_[t], part);
    } catch (const std::exception& failure) {
      if (stops_all(failure)) return stop();
      failures_[t] = std::current_exception();
      shared_.whole.warn({"transmitter_failed", transmitters_[t]->name + ": " + failure.what()});
    }
    part.advance(1);
  }
  // The first one to do so says why: the others are cancelled by it.
  void stop() {
    if (!is_stopping_.exchange(true)) {
      stopped_by_ = std::current_exception();
      shared_.is_stopped = true;
    }
  }
  static std::string message_of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& known) {
      return known.what();
    }
  }

  const std::vector<const Transmitter*>& transmitters_;
  const std::function<TransmitterPrediction(const Transmitter&, Progress&)>& predict_;
  std::vector<double> shares_;  // of the progress
  SharedProgress shared_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::optional<TransmitterPrediction>> predictions_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<bool> is_stopping_{false};
  std::exception_ptr stopped_by_;
};

// Of the progress, by what each has to do.
std::vector<double> shares_of(const std::vector<const Transmitter*>& transmitters,
                              const std::function<double(const Transmitter&)>& work, const Progress& progress) {
  std::vector<double> shares(transmitters.size(), 1);
  if (work && transmitters.size() > 1) {
    tbb::parallel_for(std::size_t{0}, shares.size(), [&](std::size_t t) {
      progress.throw_if_cancelled();
      shares[t] = work(*transmitters[t]);
    });
  }
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= all;
  return shares;
}

}  // namespace

Predictions predict_each(const std::vector<Transmitter>& transmitters,
                         const std::function<TransmitterPrediction(const Transmitter&, Progress&)>& predict,
                         Progress& progress, std::size_t at_once, std::vector<TransmitterPrediction> begun,
                         const std::function<double(const Transmitter&)>& work) {
  const std::size_t taken_over = begun.size();
  Predictions predictions{std::move(begun), {}, taken_over};
  std::unordered_set<std::int64_t> there;
  for (const TransmitterPrediction& known : predictions.of_transmitters) there.insert(known.transmitter_id);
  std::vector<const Transmitter*> left;
  for (const Transmitter& transmitter : transmitters) {
    if (!there.contains(transmitter.transmitter_id)) left.push_back(&transmitter);
  }
  EachTransmitter each(left, predict, shares_of(left, work, progress), progress);
  each.run(at_once);
  each.move_to(predictions);
  std::sort(predictions.of_transmitters.begin(), predictions.of_transmitters.end(),
            [](const auto& a, const auto& b) { return a.transmitter_id < b.transmitter_id; });
  return predictions;
}

std::size_t transmitters_at_once(const MemoryBudget& memory, const RayLauncher& launcher, std::size_t targets,
                                 std::size_t transmitters) {
  const RayLaunchingOptions& options = launcher.options();
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::uint64_t bytes_of_launch = launcher.bytes_of_launch(threads);
  const std::uint64_t bytes_of_predictions =
      transmitters * targets *
      (sizeof(TargetPrediction) + WidebandPredictions::bytes_per_target(options.wideband, options.delay_profile_rays));
  const std::uint64_t bytes_of_all = bytes_of_predictions + launcher.bytes_besides_launches();
  memory.require(bytes_of_all + bytes_of_launch,
                 "the prediction of " + std::to_string(transmitters) + " transmitters at " + std::to_string(targets) +
                     " tiles and receivers",
                 "make the EXTENT smaller, the TILE_AREA larger, give fewer RECEIVERS at a time, or allow more memory");
  // Less may be left by now.
  const std::uint64_t left = memory.left_bytes(), for_launches = left - std::min(left, bytes_of_all);
  const std::uint64_t fitting = for_launches / (bytes_of_launch + launcher.bytes_of_tubes());
  return std::min<std::uint64_t>({transmitters, threads, std::max<std::uint64_t>(fitting, 1)});
}

}  // namespace tesseray
