// SPDX-License-Identifier: GPL-3.0-or-later
// One run of a tool: what it was given, where its results go, and what it tells at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/staged_file.h"
#include "core/io/results/result_writer.h"
#include "core/scene/scene.h"
#include "processing_algorithms/run/destinations.h"
#include "processing_algorithms/run/if_it_fits.h"
#include "processing_algorithms/run/parameter_values.h"
#include "processing_algorithms/run/resources.h"
#include "processing_algorithms/run/run_progress.h"
#include "processing_algorithms/run/tool.h"

namespace tesseray {

// What holds for any tool.
struct RunSettings {
  std::string device = "auto";  // auto, cpu, cuda
  std::size_t threads = 0;      // 0: as many as there are
  MemoryBudget memory;
  bool overwrite = false;
  Copies copies = {};
};

class Run {
 public:
  // Checks everything that can be checked without reading the inputs, then takes their fingerprints for the
  // record, where there is to be one. Throws Error(invalid_input).
  Run(const Tool& tool, const GivenParameters& given, const RunSettings& settings, RunProgress& progress);

  const Tool& tool() const { return tool_; }
  const ParameterValues& values() const { return values_; }
  const RunSettings& settings() const { return settings_; }
  const Destinations& destinations() const { return destinations_; }
  RunProgress& progress() { return progress_; }
  // An output that is a file of its own, which only replaces another where that is allowed: none was there at first.
  FileTarget target(const std::filesystem::path& file) const {
    destinations_.require_nothing_else_is_lost(file);
    return {file, settings_.overwrite ? Replaceable::anything : Replaceable::nothing};
  }
  // A file that was just read besides those that parameters name, for the record as it is now; each once.
  void add_input(const std::string& file);
  // Whether an input is a copy that the caller made for this run.
  bool is_copy(const std::string& source) const;
  // What the user calls a file that is such a copy; any other text stays.
  std::string name_for_user(const std::string& file) const;
  // True when a GPU computes what there are kernels for. The first call looks for it: runs that do not ask start none.
  bool uses_cuda();
  // Whether the CPU takes what a GPU cannot.
  bool cpu_will_do() const { return settings_.device != "cuda"; }
  // What make() makes on the GPU, a pointer, and a note that it computes `what`, in words. When its memory is not
  // enough and the CPU will do, nullptr and a warning.
  template <class Make>
  auto on_gpu(const std::string& what, const Make& make) -> decltype(make()) {
    auto made = gpu_or_cpu(
        what, make, [] { return nullptr; }, progress_);
    if (made) add_on_gpu(what);
    return made;
  }
  // What on_gpu() returns. When the GPU's memory is not enough for it and the CPU will do, a warning that the CPU
  // computes `what`, and what on_cpu() returns. Thread-safe.
  template <class OnGpu, class OnCpu>
  auto gpu_or_cpu(const std::string& what, const OnGpu& on_gpu, const OnCpu& on_cpu, Progress& progress) const
      -> decltype(on_gpu()) {
    return cpu_will_do() ? if_it_fits(what, on_gpu, on_cpu, progress) : on_gpu();
  }
  // The devices in words, and what the GPU computed so far: "cpu, 2 threads", "cuda, NVIDIA H200, 140 GiB (visibility);
  // cpu, 16 threads".
  std::string device() const;

  // What tesseray_runs says of this run: parameters, inputs, memory, and the stages so far, of which the last ends.
  RunRecord record(const LocalFrame& frame, std::vector<std::pair<std::string, std::string>> failed_transmitters) const;

 private:
  void add_on_gpu(const std::string& what);  // each once

  const Tool& tool_;
  ParameterValues values_;
  RunSettings settings_;
  Destinations destinations_;
  std::vector<std::string> further_inputs_;
  // Of before they are read: what another program makes of them meanwhile was not.
  std::vector<RunRecord::Input> inputs_;
  RunProgress& progress_;
  bool has_looked_for_gpu_ = false;
  std::optional<std::string> gpu_;
  std::vector<std::string> on_gpu_;
};

// What a run gives back besides its files.
struct Outcome {
  std::vector<std::pair<std::string, std::string>> outputs;  // "TILES" → "x.gpkg|layername=tiles"
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  std::string result_hash;  // over the rows of all layers; "" when no layer was written
  std::vector<std::pair<std::string, std::string>> failed_transmitters;  // name, message
};

// The end of a run for programs (one JSON object) and for people (a short table).
std::string outcome_as_json(const Run& run, const Outcome& outcome, const RunProgress& progress);
std::string outcome_as_text(const Outcome& outcome, const RunProgress& progress);

}  // namespace tesseray
