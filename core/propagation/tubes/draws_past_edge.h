// SPDX-License-Identifier: GPL-3.0-or-later
// Draws by chance of what an edge segment diffracts, inline for host and device: before a ray's field is worked out,
// and, for nine of ten rays, before anything else is.
#pragma once

#include <cfloat>
#include <cmath>

#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/tubes/launch_view.h"
#include "core/propagation/tubes/tube_at_edge.h"

namespace tesseray {
namespace draws_past_edge_detail {

// So many times too low estimates of single diffractions may be without much noise: what an estimate far too low lets
// go comes back, once drawn, as an outlier.
inline constexpr double doubt = 3;

// Not the number by which the tube that goes on is drawn.
TESSERAY_HD inline double chance(std::uint64_t seed) { return hashed_fraction(~seed); }

}  // namespace draws_past_edge_detail

// About the power that a tube's ray brings past the edge, as a path gain.
TESSERAY_HD inline double estimated_gain(const Tube& tube, const EdgeIncidence& incidence, const Leg& leg,
                                         double wave_number) {
  const double spread = leg.rho_m / (leg.rho_m + leg.distance_m);
  const double share = incidence.estimated_share(leg.rho_m, leg.distance_m, leg.direction, wave_number);
  return draws_past_edge_detail::doubt * tube.path_gain * (spread * spread) * share;
}

// Hits that would bring far less than is at their target already are drawn by chance, before their field is worked
// out: by an estimate of its power, so that those that are drawn bring about as much each.
TESSERAY_HD inline bool is_drawn(const LaunchView& launch, const Tube& tube, const EdgeIncidence& incidence,
                                 const Leg& leg, const InteractionChain& chain, std::uint32_t number,
                                 double& stands_for) {
  if (launch.roulette_gain == nullptr || launch.environment.points.is_receiver(number)) return true;
  const auto certain = static_cast<double>(launch.roulette_gain[number]);
  const double estimate = estimated_gain(tube, incidence, leg, launch.link.wave_number);
  if (estimate >= certain) return true;
  const double probability = estimate / certain;
  stands_for /= probability;
  return draws_past_edge_detail::chance(chain.seed_to(number)) < probability;
}

// The same estimate from above, in single precision, and without the ray's leg.
//
// Unfolded about the edge's line, the ray is straight: of its length D = √((z − z')² + (d + d')²) the part d'/(d + d')
// lies before the edge, and L = d d'/D (docs/physics.md §5.2). Cosines about the edge are the same from either face.
// All of it rounds by less than 10⁻⁵ of itself and of the cosines, but for z − z', which may be much less than both;
// the estimate rises with D.
class RoughDraw {
 public:
  RoughDraw() = default;
  // REQUIRES: the tube comes to the segment in air.
  TESSERAY_HD RoughDraw(const TubeAtEdge& at_edge, double wave_number)
      : source_(point_past_edge(at_edge.edge, at_edge.lit.source)),
        cos_both_(static_cast<float>(at_edge.incidence.twice_exterior().cos)),
        sin_both_(static_cast<float>(at_edge.incidence.twice_exterior().sin)) {
    constexpr double pi_16 = 50.26548245743669;
    const auto apart_m = static_cast<double>(source_.apart_m);
    of_boundary_ = static_cast<float>(pi_16 * wave_number * apart_m);
    power_ =
        static_cast<float>(draws_past_edge_detail::doubt * at_edge.tube.path_gain * apart_m * apart_m * (1 + room));
  }

  // The estimated_gain() of a ray to this point is no greater.
  TESSERAY_HD float most(const PointPastEdge& point) const {
    const float across_m = source_.apart_m + point.apart_m, along_m = point.along_m - source_.along_m;
    const float rounding_m = 1e-6f * (std::fabs(point.along_m) + std::fabs(source_.along_m));
    const float length_m = std::sqrt(along_m * along_m + across_m * across_m) + rounding_m;
    const float cosines = source_.cosine * point.cosine, sines = source_.sine * point.sine;
    const float cos_sum = cosines - sines, sin_sum = source_.sine * point.cosine + source_.cosine * point.sine;
    const float cos_reflected_n = cos_sum * cos_both_ + sin_sum * sin_both_;
    const float nearest = std::fmin(cosines + sines, std::fmin(cos_sum, cos_reflected_n));
    const float from_boundary = std::fmax(1.0f - static_cast<float>(room) + nearest, 0.0f);
    const float of_lengths = 4.0f * length_m + of_boundary_ * point.apart_m * from_boundary;
    return power_ * length_m / (across_m * across_m * of_lengths) + FLT_MIN;
  }

 private:
  static constexpr double room = 1e-5;
  PointPastEdge source_;
  float cos_both_ = 1, sin_both_ = 0;  // of twice the exterior angle
  float of_boundary_ = 0;              // 16π k d'
  float power_ = 0;                    // over d'²
};

// Whether is_drawn() surely says no. `chain`: the tube's; it is diffracted at `element`. REQUIRES: there is a
// roulette_gain.
TESSERAY_HD inline bool is_surely_not_drawn(const LaunchView& launch, const RoughDraw& draw,
                                            const InteractionChain& chain, std::uint32_t element,
                                            const PointPastEdge& point, std::uint32_t number) {
  if (launch.environment.points.is_receiver(number)) return false;
  const float certain = launch.roulette_gain[number], most = draw.most(point);
  if (most >= certain) return false;
  const double chance = draws_past_edge_detail::chance(chain.seed_by(element, number));
  return chance * static_cast<double>(certain) >= static_cast<double>(most);
}

}  // namespace tesseray
