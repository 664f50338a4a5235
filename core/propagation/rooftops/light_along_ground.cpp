// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/light_along_ground.h"

#include <cmath>

#include "core/physics/functions_in_vectors.h"

namespace tesseray {
namespace {

struct LookAtNodes {
  [[gnu::always_inline]] static void run(const double* __restrict x, const double* __restrict y,
                                         const double* __restrict direct_m, std::size_t count, Vec2 place,
                                         double reference_m, Vec2 up, double wave_number, double* __restrict phase,
                                         double* __restrict root_m, double* __restrict turn_re,
                                         double* __restrict turn_im, double* __restrict sine) {
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const double back_x = x[i] - place.x, back_y = y[i] - place.y;
      const double way_m = std::sqrt(back_x * back_x + back_y * back_y);
      const double turned = wave_number * (direct_m[i] + way_m - reference_m);
      phase[i] = turned;
      root_m[i] = std::sqrt(way_m);
      sine[i] = (up.x * back_x + up.y * back_y) / way_m;
      double cosine = 0, minus_sine = 0;
      turned_back(turned, cosine, minus_sine);
      turn_re[i] = cosine;
      turn_im[i] = minus_sine;
    }
  }
};

struct IntegratePieces {
  [[gnu::always_inline]] static void run(const double* __restrict phase, const double* __restrict root_m,
                                         const double* __restrict turn_re, const double* __restrict turn_im,
                                         std::size_t count, double* __restrict piece_re, double* __restrict piece_im) {
    constexpr double small = 0.02;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const double turned = phase[i + 1] - phase[i], weight = 2 * (root_m[i] - root_m[i + 1]);
      const bool is_small = (turned < small) & (turned > -small);
      const double of_mean = 0.5 * weight * (1 + turned * turned / 12), of_change = weight / turned;
      const double sum_re = turn_re[i] + turn_re[i + 1], sum_im = turn_im[i] + turn_im[i + 1];
      const double change_re = turn_im[i] - turn_im[i + 1], change_im = turn_re[i + 1] - turn_re[i];
      piece_re[i] = is_small ? of_mean * sum_re : of_change * change_re;
      piece_im[i] = is_small ? of_mean * sum_im : of_change * change_im;
    }
  }
};

}  // namespace

void LightAlongGround::clear() {
  for (std::vector<double>* column : {&x_, &y_, &direct_m_}) column->clear();
}

void LightAlongGround::add_node(Vec2 place, double direct_m) {
  x_.push_back(place.x);
  y_.push_back(place.y);
  direct_m_.push_back(direct_m);
}

void LightAlongGround::look_from(Vec2 place, std::size_t count, double reference_m, Vec2 up, double wave_number) {
  for (std::vector<double>* column : {&phase_, &root_m_, &turn_re_, &turn_im_, &sine_, &piece_re_, &piece_im_}) {
    if (column->size() < count) column->resize(x_.size());
  }
  run_vectorized<LookAtNodes>(instruction_set_, x_.data(), y_.data(), direct_m_.data(), count, place, reference_m, up,
                              wave_number, phase_.data(), root_m_.data(), turn_re_.data(), turn_im_.data(),
                              sine_.data());
  run_vectorized<IntegratePieces>(instruction_set_, phase_.data(), root_m_.data(), turn_re_.data(), turn_im_.data(),
                                  count - 1, piece_re_.data(), piece_im_.data());
}

}  // namespace tesseray
