// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/run.h"

#include <tbb/global_control.h>

#include <algorithm>

#include "core/io/sources/passwords.h"
#include "cuda/backend.h"
#include "processing_algorithms/run/sources.h"
#include "processing_algorithms/run/version.h"

namespace tesseray {
namespace {

// The GPU that is wished for, or that is there when any device will do.
std::optional<std::string> chosen_gpu(const std::string& wish, Progress& progress) {
  if (wish == "cpu") return std::nullopt;
  const CudaDevice gpu = find_cuda_device();
  if (gpu.is_there) return gpu.name;
  if (wish == "cuda") {
    throw Error(ErrorKind::invalid_input, "no_cuda_device", "--device cuda cannot be done: " + gpu.missing,
                "use --device auto or --device cpu");
  }
  if (gpu.is_unusable) progress.warn({"gpu_not_used", gpu.missing + "; the CPU computes all"});
  return std::nullopt;
}

// A field of an input that is not there says nothing.
void warn_of_fields_without_input(const ParameterValues& values, Progress& progress) {
  for (const Parameter& parameter : values.declared()) {
    const bool is_of_input = parameter.kind == ParameterKind::field && !parameter.parent.empty();
    if (!is_of_input || !values.has(parameter.name) || values.has(parameter.parent)) continue;
    progress.warn({"field_not_used", parameter.name + " is not used, since there is no " + parameter.parent +
                                         " that it would be a field of"});
  }
}

}  // namespace

Run::Run(const Tool& tool, const GivenParameters& given, const RunSettings& settings, RunProgress& progress)
    : tool_(tool),
      values_(tool.parameters, given),
      settings_(settings),
      destinations_(values_, settings.overwrite, settings.copies),
      progress_(progress) {
  warn_of_fields_without_input(values_, progress_);
  if (settings.device == "cuda") uses_cuda();  // so that one that is missing is told of before any work
  // Some are large.
  if (!destinations_.has_database()) return;
  for (const Parameter& parameter : tool_.parameters) {
    if (!is_input_source(parameter.kind) || !values_.has(parameter.name)) continue;
    const std::string& source = values_.text(parameter.name);
    inputs_.push_back(fingerprint(source, progress_));
    const auto copy = settings_.copies.find(path_of_source(source).string());
    if (copy != settings_.copies.end()) inputs_.back().copy_of = without_password(copy->second.description);
  }
}

void Run::add_input(const std::string& file) {
  const bool is_known = std::find(further_inputs_.begin(), further_inputs_.end(), file) != further_inputs_.end();
  if (is_known || !destinations_.has_database()) return;
  further_inputs_.push_back(file);
  inputs_.push_back(fingerprint(file, progress_));
}

bool Run::uses_cuda() {
  if (!has_looked_for_gpu_) gpu_ = chosen_gpu(settings_.device, progress_);
  has_looked_for_gpu_ = true;
  return gpu_.has_value();
}

void Run::add_on_gpu(const std::string& what) {
  if (std::find(on_gpu_.begin(), on_gpu_.end(), what) == on_gpu_.end()) on_gpu_.push_back(what);
}

std::string Run::device() const {
  std::string words;
  if (gpu_) {
    std::string computed;
    for (const std::string& what : on_gpu_) computed += (computed.empty() ? "" : ", ") + what;
    words = "cuda, " + *gpu_ + " (" + (computed.empty() ? "nothing" : computed) + "); ";
  }
  const std::size_t threads = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return words + "cpu, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

bool Run::is_copy(const std::string& source) const {
  return settings_.copies.contains(path_of_source(source).string());
}

std::string Run::name_for_user(const std::string& file) const {
  const auto copy = settings_.copies.find(file);
  return copy == settings_.copies.end() || copy->second.name.empty() ? file : copy->second.name;
}

RunRecord Run::record(const LocalFrame& frame,
                      std::vector<std::pair<std::string, std::string>> failed_transmitters) const {
  RunRecord record;
  record.tool = tool_.id;
  record.version = tesseray_version;
  record.git_commit = tesseray_git_commit;
  record.parameters_json = values_.to_json();
  record.inputs = inputs_;
  record.crs = frame.crs_name;
  record.device = device();
  progress_.finish();
  record.seconds_per_stage = progress_.seconds_per_stage();
  record.peak_memory_bytes = peak_memory_bytes();
  record.failed_transmitters = std::move(failed_transmitters);
  return record;
}

}  // namespace tesseray
