// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of one evaluation of the physics that ray launching repeats most: wedge diffraction and reflection.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/physics/diffraction.h"
#include "core/physics/material.h"

namespace tesseray {
namespace {

constexpr double frequency_hz = 850e6;
const double wave_number = 2.0 * pi / wavelength_m(frequency_hz);

// A vertical corner of two lossy walls, a wave from the street, and observers around it.
struct Corner {
  Wedge wedge;
  Vec3 k_i = normalized(Vec3{-0.8, -0.5, -0.1});
  ComplexVec3 incident{{0.02, 0.0}, {-0.01, 0.0}, {0.3, 0.1}};
  std::vector<Vec3> to_observers;
  std::vector<double> distances_m;

  Corner() {
    wedge.eps_0 = wedge.eps_n = relative_permittivity({5.0, 0.01}, frequency_hz);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> angle(0.0, 1.5 * pi), distance(2.0, 60.0);
    const double along = k_i.z, across = std::sqrt(1.0 - along * along);
    for (int i = 0; i < 4096; ++i) {
      const double phi = angle(random);
      to_observers.push_back({across * std::cos(phi), across * std::sin(phi), along});
      distances_m.push_back(distance(random));
    }
  }
};

template <TransitionAccuracy accuracy>
void DiffractedField(benchmark::State& state) {
  const Corner corner;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(diffracted_field<accuracy>(corner.wedge, corner.incident, corner.k_i,
                                                        corner.to_observers[i], corner.distances_m[i], wave_number));
    i = (i + 1) % corner.to_observers.size();
  }
}
BENCHMARK(DiffractedField<TransitionAccuracy::fast>);
BENCHMARK(DiffractedField<TransitionAccuracy::accurate>);

// The way of the launcher: the wedge and the incident ray are prepared once for all observers.
void DiffractedFieldPrepared(benchmark::State& state) {
  const Corner corner;
  const WedgeIncidence incidence = wedge_incidence(corner.wedge, corner.k_i);
  std::size_t i = 0;
  for (auto _ : state) {
    const double distance_m = corner.distances_m[i];
    benchmark::DoNotOptimize(diffracted_field(incidence, corner.incident, corner.k_i, corner.to_observers[i],
                                              {distance_m, distance_m, distance_m}, wave_number));
    i = (i + 1) % corner.to_observers.size();
  }
}
BENCHMARK(DiffractedFieldPrepared);

void ReflectedField(benchmark::State& state) {
  const Corner corner;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(reflected_field(corner.incident, corner.to_observers[i], {1, 0, 0}, corner.wedge.eps_0));
    i = (i + 1) % corner.to_observers.size();
  }
}
BENCHMARK(ReflectedField);

// A wrong but quick evaluation is worth nothing: the fast form must be the accurate one within 1e-4.
bool fast_is_right() {
  const Corner corner;
  for (std::size_t i = 0; i < corner.to_observers.size(); ++i) {
    const auto field = [&](auto accuracy) {
      return diffracted_field<accuracy()>(corner.wedge, corner.incident, corner.k_i, corner.to_observers[i],
                                          corner.distances_m[i], wave_number);
    };
    const ComplexVec3 fast = field(std::integral_constant<TransitionAccuracy, TransitionAccuracy::fast>{});
    const ComplexVec3 accurate = field(std::integral_constant<TransitionAccuracy, TransitionAccuracy::accurate>{});
    if (squared_norm(fast - accurate) > 1e-8 * squared_norm(accurate)) return false;
  }
  return true;
}

}  // namespace
}  // namespace tesseray

int main(int argc, char** argv) {
  if (!tesseray::fast_is_right()) return EXIT_FAILURE;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
