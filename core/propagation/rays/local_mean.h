// SPDX-License-Identifier: GPL-3.0-or-later
// What two rays bring together to the mean over a receiver's surroundings. docs/physics.md §3.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"

namespace tesseray {

// How wide the surroundings are, in wavelengths: the mean that Lee's drive tests take.
inline constexpr double local_mean_wavelengths = 40;
// How high they are: the standard deviation of what is known of a receiver's height above the ground around it, m.
inline constexpr double local_mean_height_m = 0.25;

// How far two rays stay in step there, 0 … 1, by their unit directions of travel: the difference of their phases
// changes from place to place by what these differ. A Gaussian window, round along the ground (`normal`: its unit
// normal) with the variance of a straight drive of `local_mean_wavelengths`; steep rays are out of step altogether.
TESSERAY_HD inline double coherence(Vec3 direction, Vec3 other, Vec3 normal, double wave_number) {
  constexpr double phase_of_drive = 2.0 * pi * local_mean_wavelengths;
  constexpr double negligible = 1e-4;
  const Vec3 difference = direction - other;
  const double across = dot(difference, normal);
  const Vec3 along = difference - across * normal;
  const double phase_of_height = wave_number * local_mean_height_m * across;
  const double value =
      std::exp(-phase_of_drive * phase_of_drive / 24.0 * dot(along, along) - 0.5 * phase_of_height * phase_of_height);
  return value > negligible ? value : 0.0;
}

// What is added to the sum of their powers, from −2 |a b| to 2 |a b|.
TESSERAY_HD inline double interference(Complex a, Complex b, double coherence) {
  return 2.0 * coherence * (a * conj(b)).re;
}

// Two amplitudes as one of the power that they have together.
TESSERAY_HD inline Complex together(Complex a, Complex b, double coherence) {
  const Complex sum = a + coherence * b;
  const double size = norm(sum);
  if (!(size > 0)) return {};
  const double power = squared_norm(a) + squared_norm(b) + interference(a, b, coherence);
  return (std::sqrt(power > 0 ? power : 0.0) / size) * sum;
}

// A ray and its reflection on the ground near which it runs, in part or all as one wave.
struct WaveAlongGround {
  double share = 0;  // of one wave, 0 … 1: in step whatever their directions
  // That grows as the height over the ground, so that its mean is greater by this part of its power.
  double raised = 0;
};

// How far the two are in step there by both: by their directions, and as one wave.
TESSERAY_HD inline double in_step(double coherence, const WaveAlongGround& wave) {
  return coherence + wave.share * (1 - coherence);
}

// The rest of a reflection's amplitude, which is in step with other such rests alone.
TESSERAY_HD inline double out_of_step(double in_step) {
  const double power = 1 - in_step * in_step;
  return power > 0 ? std::sqrt(power) : 0.0;
}

// A ray's reflection on the ground, with its phase, and how far the two are in step.
struct ReflectionInStep {
  Complex amplitude{0, 0};
  double in_step = 0;
};

// REQUIRES: `height_m` is over the ground.
TESSERAY_HD inline WaveAlongGround wave_along_ground(double share, double height_m) {
  if (!(share > 0) || !(height_m > 0)) return {};
  const double spread = local_mean_height_m / height_m;
  return {share, share * spread * spread};
}

// What such rays add to the sum of their powers, `both` without the growth; `whole`: the power of all in step. The wave
// grows with its height as long as they cancel in part: heights beyond turn the phase between them, which brings back
// no more than they took from each other.
TESSERAY_HD inline double raised_interference(double both, double whole, const WaveAlongGround& wave) {
  if (!(both < 0)) return both;
  const double raised = both + wave.raised * whole;
  return raised < 0 ? raised : 0;
}

// Of a ray and its reflection.
TESSERAY_HD inline double interference(Complex ray, Complex reflected, double coherence, const WaveAlongGround& wave) {
  const double both = interference(ray, reflected, in_step(coherence, wave));
  return raised_interference(both, squared_norm(ray + reflected), wave);
}

}  // namespace tesseray
