// SPDX-License-Identifier: GPL-3.0-or-later
// The field behind absorbing screens, carried from contour to contour, for host and device (multiple_screens.h says
// how). The two loops that take the time are classes of their own, so that a CPU runs them in vectors and a GPU's
// thread in turn, with the same bits. Places t along contours are in m, `linear` and wave numbers per m, `steepness`
// per m².
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/functions_in_vectors.h"
#include "core/physics/screen_choice.h"
#include "core/physics/screen_factors.h"

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

inline constexpr std::uint32_t most_panels = 8;
inline constexpr std::uint32_t most_nodes = 96;  // of most_panels, in whole vectors of up to 16
static_assert(most_nodes >= rule_size * most_panels && most_nodes % 16 == 0);
// Contours end where the integrand has fallen to e^−12, and a panel spans 11 widths √(r/k) of the next link's kernel.
// Where that takes more than most_panels, edges stand so near each other, for how far the ends are, that two act as
// one: at grazing they take 0.2 dB more than it.
inline constexpr double contour_decay = 12.0;
inline constexpr double widths_per_panel = 11.0;
// What is carried along adds up without cancelling but for phases, so that single precision serves; the phases
// themselves need double. Where the path bends away over an edge, weights grow along its contour and the kernel makes
// up for it; edges over which they would grow by more than single precision holds count as crowded.
inline constexpr double most_weight_exponent = 45;

// The field along one edge's contour, in columns, t ascending. Nodes beyond those in use have no weight, up to whole
// vectors.
struct Contour {
  std::array<float, most_nodes> t{}, re{}, im{}, weight_re{}, weight_im{};
  std::uint32_t nodes = 0, padded = 0;
};

// e^{−steepness way²}, and 0 beyond the reach of the kernel.
[[gnu::always_inline]] TESSERAY_HD inline float kernel_at(float way, float steepness, float reach) {
  const float kernel = exp_in_vectors(-steepness * (way * way));
  return (way < reach) & (way > -reach) ? kernel : 0.0f;
}
// Where the kernel ends, m.
TESSERAY_HD inline float reach_of(float steepness) { return std::sqrt(-least_exponent / steepness); }
// Farther away than this a node certainly is beyond it, whatever is rounded.
TESSERAY_HD inline float beyond_reach_of(float steepness) { return 1.001f * reach_of(steepness); }

// The field carried from one contour to the next: sums of e^{−steepness (t − t')²} over the nodes before. t and
// before_t ascend.
struct CarryField {
  [[gnu::always_inline]] TESSERAY_HD static void run(const float* before_t, const float* before_re,
                                                     const float* before_im, std::uint32_t before,
                                                     const float* __restrict t, std::uint32_t count, float steepness,
                                                     float* __restrict re, float* __restrict im) {
    // Nodes that the kernel reaches lie side by side; they are taken in whole vectors.
    constexpr std::uint32_t width = 16;
    const float reach = reach_of(steepness), beyond = beyond_reach_of(steepness);
    std::uint32_t first = 0, end = 0;
    for (std::uint32_t b = 0; b < before; ++b) {
      const float from = before_t[b], field_re = before_re[b], field_im = before_im[b];
      while (first + width < count && t[first + width - 1] < from - beyond) first += width;
      while (end < count && t[end] < from + beyond) end = end + width < count ? end + width : count;
      for (std::uint32_t a = first; a < end; ++a) {
        const float kernel = kernel_at(t[a] - from, steepness, reach);
        re[a] += kernel * field_re;
        im[a] += kernel * field_im;
      }
    }
  }
  // The same sums in the same order, node by node: what a GPU's thread adds up stays in registers.
  TESSERAY_HD static void run_in_turn(const float* before_t, const float* before_re, const float* before_im,
                                      std::uint32_t before, const float* t, std::uint32_t count, float steepness,
                                      float* re, float* im) {
    const float reach = reach_of(steepness), beyond = beyond_reach_of(steepness);
    std::uint32_t first = 0;
    for (std::uint32_t a = 0; a < count; ++a) {
      float sum_re = re[a], sum_im = im[a];
      while (first < before && before_t[first] < t[a] - beyond) ++first;
      for (std::uint32_t b = first; b < before && before_t[b] < t[a] + beyond; ++b) {
        const float kernel = kernel_at(t[a] - before_t[b], steepness, reach);
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
                                                     std::uint32_t count, double linear, float* __restrict re,
                                                     float* __restrict im) {
    for (std::uint32_t a = 0; a < count; ++a) {
      const double angle = linear * t[a];
      const double size = weight[a] * exp_in_vectors(-angle);
      double cosine = 0, minus_sine = 0;
      turned_back(angle, cosine, minus_sine);
      re[a] = static_cast<float>(size * cosine);
      im[a] = static_cast<float>(size * minus_sine);
    }
  }
  TESSERAY_HD static void run_in_turn(const double* t, const double* weight, std::uint32_t count, double linear,
                                      float* re, float* im) {
    run(t, weight, count, linear, re, im);
  }
};

// One edge's contour.
struct ContourPlace {
  double height_m = 0;  // of the edge above the straight line between the ends
  double bend = 0;      // of the path at the edge, rad
  double linear = 0;    // k bend/√2, per m
  double end_m = 0;     // of the contour
  double after_m = 0;   // to the next edge, or the receiver
  double panels = 0;    // that it should have
};

// The contours of a profile's edges, by the numbers of its points.
class ContourChain {
 public:
  // REQUIRES: 3 to most_screens + 2 points.
  TESSERAY_HD ContourChain(std::span<const Vec2> profile, double wave_number)
      : size_(profile.size()), wave_number_(wave_number), distance_m_(profile[size_ - 1].x - profile[0].x) {
    place_edges(profile);
    for (std::size_t i = 1; i + 1 < size_; ++i) end_like_the_path(profile, i);
    // What comes over a neighbour's contour goes no farther than its end and the reach of the kernel between.
    for (std::size_t i = 2; i + 1 < size_; ++i) end_with(places_[i - 1], i, places_[i - 1].after_m);
    for (std::size_t i = size_ - 3; i >= 1; --i) end_with(places_[i + 1], i, places_[i].after_m);
    for (std::size_t i = 1; i + 1 < size_; ++i) {
      const double before_m = places_[i - 1].after_m, after_m = places_[i].after_m;
      const double link_m = after_m < before_m ? after_m : before_m;
      places_[i].panels = places_[i].end_m * std::sqrt(wave_number_ / link_m) / widths_per_panel;
      if (-places_[i].linear * places_[i].end_m > most_weight_exponent) places_[i].panels = most_panels + 1;
    }
  }

  TESSERAY_HD std::size_t size() const { return size_; }
  TESSERAY_HD double wave_number() const { return wave_number_; }
  TESSERAY_HD double distance_m() const { return distance_m_; }
  TESSERAY_HD const ContourPlace& operator[](std::size_t i) const { return places_[i]; }

  // The first of two neighbouring edges that stand too near each other for contours of most_panels; 0 for none.
  TESSERAY_HD std::size_t crowded() const {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i + 2 < size_; ++i) {
      if (places_[i].panels <= most_panels && places_[i + 1].panels <= most_panels) continue;
      if (nearest == 0 || places_[i].after_m < places_[nearest].after_m) nearest = i;
    }
    return nearest;
  }

 private:
  TESSERAY_HD void place_edges(std::span<const Vec2> profile) {
    const Vec2 from = profile[0], to = profile[size_ - 1];
    for (std::size_t i = 0; i < size_; ++i) {
      places_[i].height_m = profile[i].y - (from.y + (to.y - from.y) * (profile[i].x - from.x) / distance_m_);
      if (i + 1 < size_) places_[i].after_m = profile[i + 1].x - profile[i].x;
    }
    for (std::size_t i = 1; i + 1 < size_; ++i) {
      places_[i].bend = (places_[i].height_m - places_[i - 1].height_m) / places_[i - 1].after_m +
                        (places_[i].height_m - places_[i + 1].height_m) / places_[i].after_m;
      places_[i].linear = wave_number_ * places_[i].bend / std::sqrt(2.0);
    }
  }

  // Along t the integrand falls at least like exp(−k t²/(2 tension) − k bend t/√2), tension a c / (a + c) by the edge's
  // distances to the two ends, and the bend that of the flattest ways to it and from it: what comes over a neighbour
  // that is hardly lower and very near comes from far above that, too.
  TESSERAY_HD void end_like_the_path(std::span<const Vec2> profile, std::size_t i) {
    const double to_start = profile[i].x - profile[0].x, to_end = profile[size_ - 1].x - profile[i].x;
    const double bend = flattest_rise(profile, i, 0, i) + flattest_rise(profile, i, i + 1, size_);
    places_[i].end_m =
        fall_to_end(wave_number_ * bend / std::sqrt(2.0), 0.5 * wave_number_ * distance_m_ / (to_start * to_end));
  }

  // To an edge from the points begin … end − 1, on one side of it.
  TESSERAY_HD double flattest_rise(std::span<const Vec2> profile, std::size_t i, std::size_t begin,
                                   std::size_t end) const {
    double flattest = infinity;
    for (std::size_t j = begin; j < end; ++j) {
      const double rise = (places_[i].height_m - places_[j].height_m) / std::fabs(profile[i].x - profile[j].x);
      if (rise < flattest) flattest = rise;
    }
    return flattest;
  }

  TESSERAY_HD void end_with(const ContourPlace& neighbour, std::size_t i, double link_m) {
    const double linear = places_[i].linear < 0 ? places_[i].linear : 0;
    const double end_m = neighbour.end_m + fall_to_end(linear, 0.5 * wave_number_ / link_m);
    if (end_m < places_[i].end_m) places_[i].end_m = end_m;
  }

  // Where exp(−square t² − linear t) has fallen to the end of a contour.
  TESSERAY_HD static double fall_to_end(double linear, double square) {
    return 2.0 * contour_decay / (linear + std::sqrt(linear * linear + 4.0 * square * contour_decay));
  }

  ContourPlace places_[most_screens + 2];
  std::size_t size_;
  double wave_number_, distance_m_;
};

// Leaves the higher one of two neighbours, over the line between those around them.
TESSERAY_HD inline void merge_edges(Vec2* points, std::size_t& count, std::size_t first) {
  const Vec2 from = points[first - 1], to = points[first + 2];
  const auto above = [&](Vec2 point) {
    return point.y - (from.y + (to.y - from.y) * (point.x - from.x) / (to.x - from.x));
  };
  const Vec2 a = points[first], b = points[first + 1];
  // The same from either end.
  points[first] = a.y == b.y ? 0.5 * (a + b) : above(a) < above(b) ? b : a;
  --count;
  for (std::size_t i = first + 1; i < count; ++i) points[i] = points[i + 1];
}

template <class Loops>
TESSERAY_HD inline void lay_contour(const Loops& loops, const ContourPlace& place, double linear, double link_m,
                                    double wave_number, Contour& contour) {
  const double whole = std::ceil(place.panels);
  const std::uint32_t panels = whole > most_panels ? most_panels : whole > 1.0 ? static_cast<std::uint32_t>(whole) : 1;
  const double panel = place.end_m / static_cast<double>(panels);
  // dz √(jk/2πr) = dt e^{−jπ/4} e^{jπ/4} √(k/2πr)
  const double scale = panel * std::sqrt(wave_number / (2.0 * pi * link_m));
  constexpr QuadratureRule rule;
  std::array<double, most_nodes> t, weight;
  contour.nodes = 0;
  for (std::uint32_t p = 0; p < panels; ++p) {
    for (std::uint32_t i = 0; i < rule_size; ++i) {
      t[contour.nodes] = (static_cast<double>(p) + rule.node[i]) * panel;
      weight[contour.nodes++] = scale * rule.weight[i];
    }
  }
  constexpr std::uint32_t width = Loops::vector_bytes > sizeof(float) ? Loops::vector_bytes / sizeof(float) : 1;
  contour.padded = (contour.nodes + width - 1) / width * width;
  for (std::uint32_t a = contour.nodes; a < contour.padded; ++a) {
    t[a] = t[contour.nodes - 1];
    weight[a] = 0;
  }
  for (std::uint32_t a = 0; a < contour.padded; ++a) contour.t[a] = static_cast<float>(t[a]);
  // exp(−jk bend t e^{−jπ/4})
  loops.template run<WeighNodes>(t.data(), weight.data(), contour.padded, linear, contour.weight_re.data(),
                                 contour.weight_im.data());
}

// The field that comes to each node of a contour becomes the one that leaves it.
TESSERAY_HD inline void weigh(Contour& contour) {
  for (std::uint32_t a = 0; a < contour.padded; ++a) {
    const float re = contour.re[a], im = contour.im[a];
    contour.re[a] = contour.weight_re[a] * re - contour.weight_im[a] * im;
    contour.im[a] = contour.weight_re[a] * im + contour.weight_im[a] * re;
  }
}

// To `count` nodes at t of the next contour, over a link.
template <class Loops>
TESSERAY_HD inline void carry_field(const Loops& loops, const Contour& before, const float* t, std::uint32_t count,
                                    double steepness, float* re, float* im) {
  for (std::uint32_t a = 0; a < count; ++a) re[a] = im[a] = 0;
  loops.template run<CarryField>(before.t.data(), before.re.data(), before.im.data(), before.nodes, t, count,
                                 static_cast<float>(steepness), re, im);
}

// From the first contour to the end at which it all begins. The end lies on the line: a contour of one node at 0.
template <class Loops>
TESSERAY_HD inline Complex carry_to_end(const Loops& loops, const Contour& first, double steepness) {
  const float end = 0;
  float re = 0, im = 0;
  carry_field(loops, first, &end, 1, steepness, &re, &im);
  return {static_cast<double>(re), static_cast<double>(im)};
}

// The field times exp(−(1 + j) linear t): that of a point farther along the contour's other direction. Changes the
// contour's weights.
template <class Loops>
TESSERAY_HD inline void lower_field(const Loops& loops, Contour& contour, double linear) {
  std::array<double, most_nodes> t, weight;
  for (std::uint32_t a = 0; a < contour.padded; ++a) {
    t[a] = static_cast<double>(contour.t[a]);
    weight[a] = 1;
  }
  loops.template run<WeighNodes>(t.data(), weight.data(), contour.padded, linear, contour.weight_re.data(),
                                 contour.weight_im.data());
  weigh(contour);
}

// What exp(−jk (h + below)²/2r) has in its middle term, along h = t e^{−jπ/4}.
TESSERAY_HD inline double linear_of_image(double wave_number, double below_m, double link_m) {
  return wave_number * below_m / (link_m * std::sqrt(2.0));
}

// Adds what comes from the contour before by way of the ground under the link: from its image, whose nodes lie along
// the other direction. Of `before` and `image` nothing is left.
template <class Loops>
TESSERAY_HD inline void add_by_ground(const Loops& loops, const GroundUnderLink& ground, double link_m,
                                      double wave_number, Contour& before, Contour& image, Contour& contour) {
  const double steepness = 0.5 * wave_number / link_m, below_m = ground.image_below_m;
  const double linear = linear_of_image(wave_number, below_m, link_m);
  if (linear != 0) lower_field(loops, before, linear);
  const Complex reflection = exp_j(-steepness * (below_m * below_m)) * ground.reflection;
  const auto factor_re = static_cast<float>(reflection.re), factor_im = static_cast<float>(reflection.im);
  image.nodes = before.nodes;
  for (std::uint32_t b = 0; b < image.nodes; ++b) {
    const std::uint32_t of = image.nodes - 1 - b;
    image.t[b] = -before.t[of];
    image.re[b] = factor_re * before.re[of] - factor_im * before.im[of];
    image.im[b] = factor_re * before.im[of] + factor_im * before.re[of];
  }
  Contour& reflected = before;
  reflected.nodes = contour.nodes;
  reflected.padded = contour.padded;
  reflected.t = contour.t;
  carry_field(loops, image, reflected.t.data(), reflected.padded, steepness, reflected.re.data(), reflected.im.data());
  if (linear != 0) lower_field(loops, reflected, linear);
  for (std::uint32_t a = 0; a < contour.padded; ++a) {
    contour.re[a] += reflected.re[a];
    contour.im[a] += reflected.im[a];
  }
}

struct ContourMemory {
  Contour contours[2], image;
};

// The field along the first contour of the chain, of a wave that comes from the target, or a point so far below it: it
// is the same both ways. The target lies on the straight line: a contour of one node at 0. The phase counts from the
// edges' heights over the line (phase_to_line).
template <class Loops>
TESSERAY_HD inline Contour& carry_to_first(const Loops& loops, const ContourChain& chain, const ProfileGrounds& grounds,
                                           double below_target_m, ContourMemory& memory) {
  Contour *contour = &memory.contours[0], *before = &memory.contours[1];
  const double wave_number = chain.wave_number();
  before->nodes = 1;
  before->t[0] = 0;
  before->re[0] = 1;
  before->im[0] = 0;
  for (std::size_t i = chain.size() - 2; i >= 1; --i) {
    const double link_m = chain[i].after_m;
    const bool is_last = i + 2 == chain.size();
    const double lower = is_last ? linear_of_image(wave_number, below_target_m, link_m) : 0.0;
    lay_contour(loops, chain[i], chain[i].linear + lower, chain[i - 1].after_m, wave_number, *contour);
    carry_field(loops, *before, contour->t.data(), contour->padded, 0.5 * wave_number / link_m, contour->re.data(),
                contour->im.data());
    if (grounds.any_between && squared_norm(grounds.behind[i].reflection) > 0) {
      add_by_ground(loops, grounds.behind[i], link_m, wave_number, *before, memory.image, *contour);
    }
    weigh(*contour);
    Contour* const done = contour;
    contour = before;
    before = done;
  }
  return *before;
}

TESSERAY_HD inline double phase_to_line(const ContourChain& chain) {
  double phase = 0;
  for (std::size_t i = chain.size() - 2; i >= 1; --i) {
    phase += 0.5 * chain.wave_number() * chain[i].height_m * chain[i].bend;
  }
  return phase;
}

}  // namespace physics_detail

// Loops for one thread of many.
struct LoopsInTurn {
  static constexpr std::uint32_t vector_bytes = 1;
  template <class Loop, class... Arguments>
  TESSERAY_HD void run(Arguments... arguments) const {
    Loop::run_in_turn(arguments...);
  }
};

// multiple_screen_factors, with the long loops run by `loops`: LoopsInTurn, or one that takes turns in vectors of
// `vector_bytes`.
template <class Loops>
TESSERAY_HD inline ScreenFactors multiple_screen_factors(const Loops& loops, std::span<const Vec2> profile,
                                                         double wavelength_m, ProfileGrounds grounds) {
  if (profile.size() < 3) return {};
  const double wave_number = 2.0 * pi / wavelength_m;
  physics_detail::ContourChain chain(profile, wave_number);
  Vec2 points[most_screens + 2];
  std::size_t count = profile.size();
  for (std::size_t first = chain.crowded(); first != 0; first = chain.crowded()) {
    if (count == profile.size()) {
      for (std::size_t i = 0; i < count; ++i) points[i] = profile[i];
    }
    physics_detail::merge_edges(points, count, first);
    for (std::size_t i = first; i + 1 < count; ++i) grounds.behind[i] = grounds.behind[i + 1];
    chain = physics_detail::ContourChain({points, count}, wave_number);
  }
  physics_detail::ContourMemory memory;
  const double to_first = chain[0].after_m, steepness = 0.5 * wave_number / to_first;
  physics_detail::Contour& first = physics_detail::carry_to_first(loops, chain, grounds, 0, memory);
  const Complex sum = physics_detail::carry_to_end(loops, first, steepness);
  ScreenFactors factors;
  factors.factor =
      (std::sqrt(chain.distance_m() / chain[chain.size() - 2].after_m) * exp_j(-physics_detail::phase_to_line(chain))) *
      sum;
  if (!(squared_norm(sum) > 0)) return factors;
  if (grounds.transmitter_image_below_m > 0) {
    const double below_m = grounds.transmitter_image_below_m;
    physics_detail::lower_field(loops, first, physics_detail::linear_of_image(wave_number, below_m, to_first));
    factors.transmitter_image_ratio = physics_detail::carry_to_end(loops, first, steepness) / sum;
  }
  if (grounds.target_image_below_m > 0) {
    const double below_m = grounds.target_image_below_m;
    physics_detail::Contour& of_image = physics_detail::carry_to_first(loops, chain, grounds, below_m, memory);
    factors.target_image_ratio = physics_detail::carry_to_end(loops, of_image, steepness) / sum;
  }
  return factors;
}

}  // namespace tesseray
