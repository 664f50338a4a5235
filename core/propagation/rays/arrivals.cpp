// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/arrivals.h"

#include <algorithm>

namespace tesseray {

void ArrivalSums::merge(const ArrivalSums& other) {
  gain.merge(other.gain);
  coherent_gain.merge(other.coherent_gain);
  coherent_re.merge(other.coherent_re);
  coherent_im.merge(other.coherent_im);
  reflected_re.merge(other.reflected_re);
  reflected_im.merge(other.reflected_im);
  interference.merge(other.interference);
  basic_gain.merge(other.basic_gain);
  excess.merge(other.excess);
  squared_excess.merge(other.squared_excess);
  cos_azimuth.merge(other.cos_azimuth);
  sin_azimuth.merge(other.sin_azimuth);
  first_excess_m = std::min(first_excess_m, other.first_excess_m);
  rays += other.rays;
  direct = direct || other.direct;
  if (other.strongest_mechanism != Mechanism::none) {
    consider_strongest(other.strongest_gain, static_cast<double>(other.strongest_azimuth), other.strongest_mechanism);
  }
}

double received_gain(const ArrivalSums& sums) {
  const Complex together{sums.coherent_re.value(), sums.coherent_im.value()};
  const Complex reflected{sums.reflected_re.value(), sums.reflected_im.value()};
  return sums.gain.value() - sums.coherent_gain.value() + squared_norm(together) + squared_norm(reflected) +
         sums.interference.value();
}

}  // namespace tesseray
