// SPDX-License-Identifier: GPL-3.0-or-later
// The field behind absorbing screens, carried from contour to contour, for host and device (multiple_screens.h says
// how). The two loops that take the time are classes of their own, so that a CPU runs them in vectors and a GPU's
// thread in turn, with the same bits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"

namespace tesseray {

namespace physics_detail {

// Gauss–Legendre nodes and weights of 12 points on [0, 1].
inline constexpr std::uint32_t rule_size = 12;
struct QuadratureRule {
  double node[rule_size] = {0.009219682876640378, 0.0479413718147626,  0.11504866290284765, 0.20634102285669126,
                            0.31608425050090994,  0.43738329574426554, 0.5626167042557344,  0.6839157494990901,
                            0.7936589771433087,   0.8849513370971523,  0.9520586281852375,  0.9907803171233596};
  double weight[rule_size] = {0.02358766819325601, 0.05346966299765944, 0.08003916427167306, 0.10158371336153282,
                              0.11674626826917732, 0.12457352290670134, 0.12457352290670134, 0.11674626826917732,
                              0.10158371336153282, 0.08003916427167306, 0.05346966299765944, 0.02358766819325601};
};

inline constexpr std::uint32_t most_panels = 3;
inline constexpr std::uint32_t most_nodes = 40;  // of most_panels, in whole vectors of up to 8
static_assert(most_nodes >= rule_size * most_panels && most_nodes % 8 == 0);
// Contours end where the integrand has fallen to e^−12, and a panel spans 11 widths √(r/k) of the next link's kernel.
inline constexpr double contour_decay = 12.0;
inline constexpr double widths_per_panel = 11.0;

// e^x for x ≤ 0, within 1e-11 of itself, in a form that the compiler turns into vectors.
[[gnu::always_inline]] TESSERAY_HD inline double exp_of_negative(double x) {
  const double in_range = x > -700.0 ? x : -700.0;
  // 2^n e^r with n whole: adding 1.5·2^52 leaves n in the lowest bits.
  constexpr double shifter = 0x1.8p52;
  const double shifted = in_range * 1.44269504088896340736 + shifter;
  const double n = shifted - shifter;
  const double r = (in_range - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const double high =
      (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040)) + r4 * (1.0 / 40320 + r * (1.0 / 362880));
  const auto exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(low + r4 * high) + exponent);
}

// cos x and −sin x for 0 ≤ x < 10^5, within 1e-11 of the truth, in a form that the compiler turns into vectors.
[[gnu::always_inline]] TESSERAY_HD inline void turned_back(double x, double& cosine, double& minus_sine) {
  // x = n π/2 + r with n whole, |r| ≤ π/4: adding 1.5·2^52 leaves n in the lowest bits.
  constexpr double shifter = 0x1.8p52;
  const double shifted = x * 0.63661977236758134308 + shifter;
  const double n = shifted - shifter;
  const double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const double r2 = r * r, r4 = r2 * r2;
  const double sine = r * ((1.0 - r2 * (1.0 / 6)) +
                           r4 * ((1.0 / 120 - r2 * (1.0 / 5040)) + r4 * (1.0 / 362880 - r2 * (1.0 / 39916800))));
  const double even =
      (1.0 - r2 * (1.0 / 2)) +
      r4 * ((1.0 / 24 - r2 * (1.0 / 720)) + r4 * ((1.0 / 40320 - r2 * (1.0 / 3628800)) + r4 * (1.0 / 479001600)));
  const auto quarter = std::bit_cast<std::uint64_t>(shifted);
  const bool odd = (quarter & 1) != 0;
  const double c = odd ? sine : even, s = odd ? even : sine;
  // cos x: +even, −sine, −even, +sine. sin x: +sine, +even, −sine, −even.
  const std::uint64_t flip_cosine = ((quarter + 1) & 2) << 62, flip_sine = (~quarter & 2) << 62;
  cosine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(c) ^ flip_cosine);
  minus_sine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(s) ^ flip_sine);
}

// The field along one edge's contour, in columns. Nodes beyond those in use are 0, up to whole vectors.
struct Contour {
  std::array<double, most_nodes> t{}, weight_re{}, weight_im{};
  std::array<double, most_nodes> re{}, im{};
  std::uint32_t nodes = 0, padded = 0;
};

// The field carried from one contour to the next: sums of e^{−steepness (t − t')²} over the nodes before.
struct CarryField {
  [[gnu::always_inline]] TESSERAY_HD static void run(const double* before_t, const double* before_re,
                                                     const double* before_im, std::uint32_t before,
                                                     const double* __restrict t, std::uint32_t count, double steepness,
                                                     double* __restrict re, double* __restrict im) {
    for (std::uint32_t b = 0; b < before; ++b) {
      const double from = before_t[b], field_re = before_re[b], field_im = before_im[b];
      for (std::uint32_t a = 0; a < count; ++a) {
        const double way = t[a] - from;
        const double kernel = exp_of_negative(-steepness * (way * way));
        re[a] += kernel * field_re;
        im[a] += kernel * field_im;
      }
    }
  }
  // The same sums in the same order, node by node: what a GPU's thread adds up stays in registers.
  TESSERAY_HD static void run_in_turn(const double* before_t, const double* before_re, const double* before_im,
                                      std::uint32_t before, const double* t, std::uint32_t count, double steepness,
                                      double* re, double* im) {
    for (std::uint32_t a = 0; a < count; ++a) {
      double sum_re = re[a], sum_im = im[a];
      for (std::uint32_t b = 0; b < before; ++b) {
        const double way = t[a] - before_t[b];
        const double kernel = exp_of_negative(-steepness * (way * way));
        sum_re += kernel * before_re[b];
        sum_im += kernel * before_im[b];
      }
      re[a] = sum_re;
      im[a] = sum_im;
    }
  }
};

// Weights of the nodes: `weight` · exp(−(1 + j) linear t).
struct WeighNodes {
  [[gnu::always_inline]] TESSERAY_HD static void run(const double* __restrict t, const double* __restrict weight,
                                                     std::uint32_t count, double linear, double* __restrict re,
                                                     double* __restrict im) {
    for (std::uint32_t a = 0; a < count; ++a) {
      const double angle = linear * t[a];
      const double size = weight[a] * exp_of_negative(-angle);
      double cosine = 0, minus_sine = 0;
      turned_back(angle, cosine, minus_sine);
      re[a] = size * cosine;
      im[a] = size * minus_sine;
    }
  }
  TESSERAY_HD static void run_in_turn(const double* t, const double* weight, std::uint32_t count, double linear,
                                      double* re, double* im) {
    run(t, weight, count, linear, re, im);
  }
};

// What a contour lies in: the bend of the path at its edge and what is around.
struct ContourPlace {
  double bend = 0;       // rad
  double tension_m = 0;  // a c / (a + c) by the edge's distances to the two ends
  double link_m = 0;     // the shorter distance to a neighbour
  double after_m = 0;    // to the next one
};

template <class Loops>
TESSERAY_HD inline void lay_contour(const Loops& loops, const ContourPlace& place, double wave_number,
                                    Contour& contour) {
  // Along t the integrand falls at least like exp(−k t²/(2 tension) − k bend t/√2).
  const double linear = wave_number * place.bend / std::sqrt(2.0), square = 0.5 * wave_number / place.tension_m;
  const double end = 2.0 * contour_decay / (linear + std::sqrt(linear * linear + 4.0 * square * contour_decay));
  const double wanted = std::ceil(end * std::sqrt(wave_number / place.link_m) / widths_per_panel);
  const std::uint32_t panels = wanted > most_panels ? most_panels
                               : wanted > 1.0       ? static_cast<std::uint32_t>(wanted)
                                                    : 1;
  const double panel = end / static_cast<double>(panels);
  // dz √(jk/2πr) = dt e^{−jπ/4} e^{jπ/4} √(k/2πr)
  const double scale = panel * std::sqrt(wave_number / (2.0 * pi * place.after_m));
  constexpr QuadratureRule rule;
  std::array<double, most_nodes> weight;
  contour.nodes = 0;
  for (std::uint32_t p = 0; p < panels; ++p) {
    for (std::uint32_t i = 0; i < rule_size; ++i) {
      contour.t[contour.nodes] = (static_cast<double>(p) + rule.node[i]) * panel;
      weight[contour.nodes++] = scale * rule.weight[i];
    }
  }
  contour.padded = (contour.nodes + Loops::width - 1) / Loops::width * Loops::width;
  for (std::uint32_t a = contour.nodes; a < contour.padded; ++a) contour.t[a] = weight[a] = 0;
  // exp(−jk bend t e^{−jπ/4})
  loops.template run<WeighNodes>(contour.t.data(), weight.data(), contour.padded, linear, contour.weight_re.data(),
                                 contour.weight_im.data());
}

// The field that comes to each node of a contour becomes the one that leaves it.
TESSERAY_HD inline void weigh(Contour& contour) {
  for (std::uint32_t a = 0; a < contour.padded; ++a) {
    const double re = contour.re[a], im = contour.im[a];
    contour.re[a] = contour.weight_re[a] * re - contour.weight_im[a] * im;
    contour.im[a] = contour.weight_re[a] * im + contour.weight_im[a] * re;
  }
}

// To `count` nodes at t of the next contour, over a link.
template <class Loops>
TESSERAY_HD inline void carry_field(const Loops& loops, const Contour& before, const double* t, std::uint32_t count,
                                    double steepness, double* re, double* im) {
  for (std::uint32_t a = 0; a < count; ++a) re[a] = im[a] = 0;
  loops.template run<CarryField>(before.t.data(), before.re.data(), before.im.data(), before.nodes, t, count, steepness,
                                 re, im);
}

}  // namespace physics_detail

// Loops for one thread of many.
struct LoopsInTurn {
  static constexpr std::uint32_t width = 1;
  template <class Loop, class... Arguments>
  TESSERAY_HD void run(Arguments... arguments) const {
    Loop::run_in_turn(arguments...);
  }
};

// multiple_screen_factor, with the long loops run by `loops`: LoopsInTurn, or one that takes `width` turns at once.
template <class Loops>
TESSERAY_HD inline Complex multiple_screen_factor(const Loops& loops, std::span<const Vec2> profile,
                                                  double wavelength_m) {
  using namespace physics_detail;
  const std::size_t size = profile.size();
  if (size < 3) return {1.0, 0.0};
  const Vec2 from = profile[0], to = profile[size - 1];
  const double wave_number = 2.0 * pi / wavelength_m, distance = to.x - from.x;
  const auto height = [&](std::size_t i) {
    return profile[i].y - (from.y + (to.y - from.y) * (profile[i].x - from.x) / distance);
  };
  const auto link = [&](std::size_t i) { return profile[i + 1].x - profile[i].x; };

  // The transmitter and the receiver lie on the line: contours of one node at 0.
  Contour contours[2];
  Contour *contour = &contours[0], *before = &contours[1];
  before->nodes = 1;
  before->re[0] = 1;
  double phase = 0;
  for (std::size_t i = 1; i + 1 < size; ++i) {
    const double bend = (height(i) - height(i - 1)) / link(i - 1) + (height(i) - height(i + 1)) / link(i);
    const double to_start = profile[i].x - from.x, to_end = to.x - profile[i].x;
    const double shorter_m = link(i) < link(i - 1) ? link(i) : link(i - 1);
    lay_contour(loops, {bend, to_start * to_end / distance, shorter_m, link(i)}, wave_number, *contour);
    carry_field(loops, *before, contour->t.data(), contour->padded, 0.5 * wave_number / link(i - 1), contour->re.data(),
                contour->im.data());
    weigh(*contour);
    Contour* const done = contour;
    contour = before;
    before = done;
    phase += 0.5 * wave_number * height(i) * bend;
  }
  const double receiver = 0;
  Complex sum;
  carry_field(loops, *before, &receiver, 1, 0.5 * wave_number / link(size - 2), &sum.re, &sum.im);
  return (std::sqrt(distance / link(0)) * exp_j(-phase)) * sum;
}

}  // namespace tesseray
