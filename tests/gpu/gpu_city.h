// SPDX-License-Identifier: GPL-3.0-or-later
// What the programs of this folder have in common: the cities that they are given, and how they take time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/scene/file/scene_file.h"

namespace tesseray {

// A scene file (.tscene), or a synthetic city by the side in metres (4480: 20 km², 414,559 tiles). Throws
// Error(invalid_input) for anything else.
SceneFile city_of(const std::string& name);

// 6 m over a street, 3 m over a roof, and 50 m above all roofs, near the middle of a city.
struct Antenna {
  const char* name;
  Vec3 position;
};
std::vector<Antenna> antennas_of(const Scene& scene);

// Places 3 m over roofs, spread over a city; fewer where there are no roofs.
std::vector<Vec3> rooftops_of(const Scene& scene, std::size_t count);

// What a program is to do with a city.
enum class GpuTask {
  compare,   // the GPU with the CPU, and their times
  only_gpu,  // neither compare nor time: for tools that look over the GPU's shoulder
  on_host,   // needs no GPU: the kernel's body on the host
};
struct GpuCommand {
  std::string city;
  GpuTask task = GpuTask::compare;
  std::vector<std::string> options;  // that a program has besides
};

// Runs a program's main part on its command line, "CITY [--only-gpu | --on-host]" and its own options; task(command) is
// true when all is equal. The exit status: 0 equal, 1 not equal, 2 bad command line or file, 3 no GPU.
int run_on_city(const char* program, int argc, char** argv, bool (*task)(const GpuCommand&),
                const char* own_options = "");

// The same for a Comparison(city) with run() and run_on_host(), true when all is equal, and run_only_gpu().
template <class Comparison>
bool compare_by(Comparison&& comparison, GpuTask task) {
  if (task == GpuTask::on_host) return comparison.run_on_host();
  if (task == GpuTask::compare) return comparison.run();
  comparison.run_only_gpu();
  return true;
}
template <class Comparison>
int compare_on_city(const char* program, int argc, char** argv) {
  return run_on_city(program, argc, argv,
                     [](const GpuCommand& command) { return compare_by(Comparison(command.city), command.task); });
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
// Wall time of work(), s.
double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return seconds_since(begin);
}

// Prints what something took beside its bar, which is for an H200 and a city of 412,000 tiles; nothing for smaller
// ones.
void print_with_bar(const std::string& what, double seconds, double bar_s, std::size_t tiles);

}  // namespace tesseray
