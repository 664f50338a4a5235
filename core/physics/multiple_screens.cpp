// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/multiple_screens.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/units.h"
#include "core/base/vector_dispatch.h"
#include "core/physics/knife_edge.h"

namespace tesseray {
namespace {

using Profile = std::span<const Vec2>;

// Gauss–Legendre nodes and weights of 12 points on [0, 1].
constexpr std::size_t rule_size = 12;
constexpr std::array<double, rule_size> rule_node = {0.009219682876640378, 0.0479413718147626,  0.11504866290284765,
                                                     0.20634102285669126,  0.31608425050090994, 0.43738329574426554,
                                                     0.5626167042557344,   0.6839157494990901,  0.7936589771433087,
                                                     0.8849513370971523,   0.9520586281852375,  0.9907803171233596};
constexpr std::array<double, rule_size> rule_weight = {0.02358766819325601, 0.05346966299765944, 0.08003916427167306,
                                                       0.10158371336153282, 0.11674626826917732, 0.12457352290670134,
                                                       0.12457352290670134, 0.11674626826917732, 0.10158371336153282,
                                                       0.08003916427167306, 0.05346966299765944, 0.02358766819325601};
constexpr std::size_t most_panels = 3;
constexpr std::size_t vector_width = 8;
constexpr std::size_t most_nodes = 40;  // of most_panels, in whole vectors
static_assert(most_nodes >= rule_size * most_panels && most_nodes % vector_width == 0);
// Contours end where the integrand has fallen to e^−12, and a panel spans 11 widths √(r/k) of the next link's kernel.
constexpr double decay = 12.0;
constexpr double widths_per_panel = 11.0;

// ν, of the edge i of a profile between the points j and m.
double parameter(Profile profile, std::size_t i, std::size_t j, std::size_t m, double wavelength_m) {
  const Vec2 from = profile[j], edge = profile[i], to = profile[m];
  const double before = edge.x - from.x, after = to.x - edge.x;
  const double clearance = edge.y - (from.y + (to.y - from.y) * before / (before + after));
  return fresnel_parameter(clearance, before, after, wavelength_m);
}

struct Candidate {
  std::size_t index = 0;
  double nu = -std::numeric_limits<double>::infinity();
};

// The edge between two points that stands highest above their line; none: ν is −∞.
Candidate highest_between(Profile profile, std::size_t j, std::size_t m, double wavelength_m) {
  const Vec2 from = profile[j], to = profile[m];
  const double slope = (to.y - from.y) / (to.x - from.x);
  std::size_t highest = j;
  // ν |ν| but for what is the same for all.
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = j + 1; i < m; ++i) {
    const double before = profile[i].x - from.x, after = to.x - profile[i].x;
    const double clearance = profile[i].y - (from.y + slope * before);
    const double squared = clearance * std::fabs(clearance) / (before * after);
    if (squared <= most) continue;
    most = squared;
    highest = i;
  }
  return highest == j ? Candidate{} : Candidate{highest, parameter(profile, highest, j, m, wavelength_m)};
}

// An edge that its later chosen neighbours left far below their line.
void drop_overtaken(Profile profile, double wavelength_m, std::vector<std::size_t>& chosen) {
  while (chosen.size() > 2) {
    Candidate lowest{0, negligible_fresnel_parameter};
    for (std::size_t p = 1; p + 1 < chosen.size(); ++p) {
      const double nu = parameter(profile, chosen[p], chosen[p - 1], chosen[p + 1], wavelength_m);
      if (nu < lowest.nu) lowest = {p, nu};
    }
    if (lowest.index == 0) return;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(lowest.index));
  }
}

// e^x for x ≤ 0, within 1e-11 of itself, in a form that the compiler turns into vectors.
[[gnu::always_inline]] inline double exp_of_negative(double x) {
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
[[gnu::always_inline]] inline void turned_back(double x, double& cosine, double& minus_sine) {
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
  std::size_t nodes = 0, padded = 0;
};

// The field carried from one contour to the next: sums of e^{−steepness (t − t')²} over the nodes before.
struct CarryField {
  [[gnu::always_inline]] static void run(const double* before_t, const double* before_re, const double* before_im,
                                         std::size_t before, const double* __restrict t, std::size_t count,
                                         double steepness, double* __restrict re, double* __restrict im) {
    for (std::size_t b = 0; b < before; ++b) {
      const double from = before_t[b], field_re = before_re[b], field_im = before_im[b];
      for (std::size_t a = 0; a < count; ++a) {
        const double way = t[a] - from;
        const double kernel = exp_of_negative(-steepness * (way * way));
        re[a] += kernel * field_re;
        im[a] += kernel * field_im;
      }
    }
  }
};

// Weights of the nodes: `weight` · exp(−(1 + j) linear t).
struct WeighNodes {
  [[gnu::always_inline]] static void run(const double* __restrict t, const double* __restrict weight, std::size_t count,
                                         double linear, double* __restrict re, double* __restrict im) {
    for (std::size_t a = 0; a < count; ++a) {
      const double angle = linear * t[a];
      const double size = weight[a] * exp_of_negative(-angle);
      double cosine = 0, minus_sine = 0;
      turned_back(angle, cosine, minus_sine);
      re[a] = size * cosine;
      im[a] = size * minus_sine;
    }
  }
};

// `bend` of the path at the edge, rad; `tension_m` = a c / (a + c) by its distances to the two ends; `link_m`, the
// shorter distance to a neighbour; `after_m`, that to the next one.
void lay_contour(double bend, double tension_m, double link_m, double after_m, double wave_number,
                 InstructionSet instruction_set, Contour& contour) {
  // Along t the integrand falls at least like exp(−k t²/(2 tension) − k bend t/√2).
  const double linear = wave_number * bend / std::sqrt(2.0), square = 0.5 * wave_number / tension_m;
  const double end = 2.0 * decay / (linear + std::sqrt(linear * linear + 4.0 * square * decay));
  const double panels_wanted = std::ceil(end * std::sqrt(wave_number / link_m) / widths_per_panel);
  const auto panels = static_cast<std::size_t>(std::clamp(panels_wanted, 1.0, static_cast<double>(most_panels)));
  const double panel = end / static_cast<double>(panels);
  // dz √(jk/2πr) = dt e^{−jπ/4} e^{jπ/4} √(k/2πr)
  const double scale = panel * std::sqrt(wave_number / (2.0 * pi * after_m));
  std::array<double, most_nodes> weight;
  contour.nodes = 0;
  for (std::size_t p = 0; p < panels; ++p) {
    for (std::size_t i = 0; i < rule_size; ++i) {
      contour.t[contour.nodes] = (static_cast<double>(p) + rule_node[i]) * panel;
      weight[contour.nodes++] = scale * rule_weight[i];
    }
  }
  contour.padded = (contour.nodes + vector_width - 1) / vector_width * vector_width;
  for (std::size_t a = contour.nodes; a < contour.padded; ++a) contour.t[a] = weight[a] = 0;
  // exp(−jk bend t e^{−jπ/4})
  run_vectorized<WeighNodes>(instruction_set, contour.t.data(), weight.data(), contour.padded, linear,
                             contour.weight_re.data(), contour.weight_im.data());
}

// The field that comes to each node of a contour becomes the one that leaves it.
void weigh(Contour& contour) {
  for (std::size_t a = 0; a < contour.padded; ++a) {
    const double re = contour.re[a], im = contour.im[a];
    contour.re[a] = contour.weight_re[a] * re - contour.weight_im[a] * im;
    contour.im[a] = contour.weight_re[a] * im + contour.weight_im[a] * re;
  }
}

}  // namespace

void choose_screens(Profile profile, double wavelength_m, std::vector<Vec2>& chosen) {
  std::vector<std::size_t> indices{0, profile.size() - 1};
  std::vector<Candidate> between{highest_between(profile, 0, profile.size() - 1, wavelength_m)};
  while (indices.size() < most_screens + 2) {
    const auto best = std::max_element(between.begin(), between.end(),
                                       [](const Candidate& a, const Candidate& b) { return a.nu < b.nu; });
    if (!(best->nu > negligible_fresnel_parameter)) break;
    const std::ptrdiff_t gap = best - between.begin();
    const std::size_t index = best->index;
    *best = highest_between(profile, index, indices[static_cast<std::size_t>(gap) + 1], wavelength_m);
    between.insert(between.begin() + gap,
                   highest_between(profile, indices[static_cast<std::size_t>(gap)], index, wavelength_m));
    indices.insert(indices.begin() + gap + 1, index);
  }
  drop_overtaken(profile, wavelength_m, indices);
  chosen.clear();
  for (const std::size_t index : indices) chosen.push_back(profile[index]);
}

Complex multiple_screen_factor(Profile profile, double wavelength_m) {
  if (profile.size() < 3) return {1.0, 0.0};
  const Vec2 from = profile.front(), to = profile.back();
  const double wave_number = 2.0 * pi / wavelength_m, distance = to.x - from.x;
  const auto height = [&](std::size_t i) {
    return profile[i].y - (from.y + (to.y - from.y) * (profile[i].x - from.x) / distance);
  };
  const auto link = [&](std::size_t i) { return profile[i + 1].x - profile[i].x; };

  const InstructionSet instruction_set = best_instruction_set();
  const auto carry = [&](const Contour& before, const double* t, std::size_t count, double link_m, double* re,
                         double* im) {
    std::fill_n(re, count, 0.0);
    std::fill_n(im, count, 0.0);
    run_vectorized<CarryField>(instruction_set, before.t.data(), before.re.data(), before.im.data(), before.nodes, t,
                               count, 0.5 * wave_number / link_m, re, im);
  };
  // The transmitter and the receiver lie on the line: contours of one node at 0.
  Contour contour, before;
  before.nodes = 1;
  before.re[0] = 1;
  double phase = 0;
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    const double bend = (height(i) - height(i - 1)) / link(i - 1) + (height(i) - height(i + 1)) / link(i);
    const double to_start = profile[i].x - from.x, to_end = to.x - profile[i].x;
    lay_contour(bend, to_start * to_end / distance, std::min(link(i - 1), link(i)), link(i), wave_number,
                instruction_set, contour);
    carry(before, contour.t.data(), contour.padded, link(i - 1), contour.re.data(), contour.im.data());
    weigh(contour);
    std::swap(contour, before);
    phase += 0.5 * wave_number * height(i) * bend;
  }
  const double receiver = 0;
  Complex sum;
  carry(before, &receiver, 1, link(profile.size() - 2), &sum.re, &sum.im);
  return (std::sqrt(distance / link(0)) * exp_j(-phase)) * sum;
}

}  // namespace tesseray
