// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/units.h"
#include "core/prediction/explanation.h"

namespace tesseray {
namespace {

std::string with_digits(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string decibel_text(double value) { return with_digits(value, std::fabs(value) < 9.95 ? 1 : 0) + " dB"; }

std::string percent(double share) {
  const double value = 100 * share;
  return with_digits(value, value < 9.5 && value > 0 ? 1 : 0) + " %";
}

std::string building(std::uint32_t prism, const Scene& scene) {
  return " of building " + std::to_string(scene.prisms[prism].building_id);
}

std::string place_of_tile(const Tile& tile, const Scene& scene) {
  switch (tile.kind) {
    case SurfaceKind::ground:
      return "the ground";
    case SurfaceKind::wall:
      return "a wall" + building(tile.prism, scene);
    case SurfaceKind::roof:
      return "the roof" + building(tile.prism, scene);
  }
  return {};
}

std::string place_of_edge(const EdgeSegment& edge, const Scene& scene) {
  switch (edge.kind) {
    case EdgeKind::roof:
      return "a roof edge" + building(edge.prism, scene);
    case EdgeKind::corner:
      return "a vertical corner" + building(edge.prism, scene);
    case EdgeKind::terrain:
      return "a ridge of the terrain";
  }
  return {};
}

// What most of the power has in common when no ray stands out.
std::pair<double, std::string> strongest_mechanism(const PowerShares& shares) {
  std::pair<double, std::string> best{shares.direct, "arrives directly"};
  for (const auto& [share, words] :
       {std::pair(shares.reflection, "arrives by reflections"), std::pair(shares.diffraction, "arrives by diffraction"),
        std::pair(shares.over_rooftop, "arrives over the roofs"),
        std::pair(shares.through_building, "arrives through the building nearest to the transmitter"),
        std::pair(shares.scattering, "is diffusely scattered")}) {
    if (share > best.first) best = {share, words};
  }
  return best;
}

std::string way_of(const ExplainedRay& ray) { return ray.route.empty() ? "directly" : "by " + ray.route; }

// "71 % of the power arrives by …; the next ray, by …, is 8 dB weaker."
std::string main_part(const PointExplanation& explanation) {
  constexpr double outstanding_share = 0.4;
  const std::vector<ExplainedRay>& rays = explanation.rays;
  std::string text;
  if (rays.front().share >= outstanding_share) {
    text = percent(rays.front().share) + " of the power arrives " + way_of(rays.front());
    if (rays.size() == 1) return text + ".";
    return text + "; the next ray, " + way_of(rays[1]) + ", is " +
           decibel_text(rays[0].ray.power_dbm - rays[1].ray.power_dbm) + " weaker.";
  }
  const auto [share, words] = strongest_mechanism(explanation.shares);
  return percent(share) + " of the power " + words + ", on many ways; the strongest single ray, " +
         way_of(rays.front()) + ", brings " + percent(rays.front().share) + ".";
}

std::string comparison_with_free_space(const PointExplanation& explanation) {
  const double excess_db = static_cast<double>(explanation.prediction.basic_loss_db) - explanation.free_space_loss_db;
  const std::string loss =
      " The path loss is " + with_digits(static_cast<double>(explanation.prediction.path_loss_db), 1) + " dB";
  if (!std::isfinite(excess_db)) return loss + ".";  // at the antenna itself
  return loss + "; between isotropic antennas it is " + decibel_text(std::fabs(excess_db)) +
         (excess_db < 0 ? " less" : " more") + " than in free space.";
}

std::string degree_text(float value) {
  const auto degrees = static_cast<double>(value);
  return with_digits(degrees, degrees < 9.95 ? 1 : 0) + "°";
}

// Of several rays: over which times and angles their power is spread.
std::string spreads(const PointExplanation& explanation) {
  const TargetPrediction& p = explanation.prediction;
  const WidebandPrediction& angles = explanation.angles;
  if (p.ray_count < 2 || std::isnan(angles.k_factor_db)) return "";
  return " The power arrives " + with_digits(static_cast<double>(p.mean_excess_delay_ns()), 0) +
         " ns after the first ray in the mean, with a delay spread of " +
         with_digits(static_cast<double>(p.delay_spread_ns), 0) + " ns; angles spread by " +
         degree_text(p.angle_spread_deg) + " of azimuth and " + degree_text(angles.elevation_spread_deg) +
         " of elevation here, by " + degree_text(angles.departure_azimuth_spread_deg) + " and " +
         degree_text(angles.departure_elevation_spread_deg) + " at the transmitter; the K factor is " +
         decibel_text(static_cast<double>(angles.k_factor_db)) + ".";
}

std::string why_nothing(const PointExplanation& explanation) {
  const RaysWithoutPower& without_power = explanation.without_power;
  if (without_power.by_polarization > 0) return "the receiver's polarisation takes nothing of the rays that come.";
  if (without_power.by_pattern > 0) return "the rays that come lie in a null of an antenna.";
  return "no ray with the allowed number of interactions stays above the least power.";
}

}  // namespace

std::string route_in_words(const Ray& ray, const Scene& scene, const Tiling& tiling) {
  std::string text = ray.goes_over_rooftops()      ? "diffraction over the roofs"
                     : ray.goes_through_building() ? "the way through a building"
                                                   : "";
  for (std::size_t i = 0; i < ray.elements.size(); ++i) {
    const std::uint32_t element = ray.elements[i];
    const bool at_edge = element >= tiling.tiles.size();
    if (!text.empty()) text += ", then ";
    text += at_edge ? "diffraction at " : ray.letter_of(i) == 'S' ? "scattering at " : "reflection at ";
    text += at_edge ? place_of_edge(tiling.edges[element - tiling.tiles.size()], scene)
                    : place_of_tile(tiling.tiles[element], scene);
  }
  return text;
}

std::string in_words(const PointExplanation& explanation) {
  const std::string distance = with_digits(explanation.distance_m, explanation.distance_m < 10 ? 1 : 0);
  const std::string where = explanation.transmitter + ", " + distance + " m away";
  if (explanation.rays.empty()) return "Nothing arrives from " + where + ": " + why_nothing(explanation);
  std::string text = (explanation.prediction.line_of_sight ? "Line of sight to " : "No line of sight to ") + where +
                     ". " + main_part(explanation) + comparison_with_free_space(explanation);
  constexpr double audible_db = 0.5;
  if (explanation.roofs_in_sight_db >= audible_db) {
    text += " Roofs just below the line of sight and corners beside it take " +
            decibel_text(explanation.roofs_in_sight_db) + " of the direct ray.";
  }
  if (std::fabs(explanation.ground_in_sight_db) >= audible_db) {
    text +=
        std::string(explanation.runs_along_ground ? " Uneven ground near the line of sight "
                                                  : " The ground's reflection, which comes with it past the roofs, ") +
        std::string(explanation.ground_in_sight_db > 0 ? "takes " : "adds ") +
        decibel_text(std::fabs(explanation.ground_in_sight_db)) +
        (explanation.runs_along_ground ? " of the direct ray." : ".");
  }
  if (std::fabs(explanation.interference_db) >= audible_db) {
    const std::string change = decibel_text(std::fabs(explanation.interference_db));
    text += " Rays that are summed with their phases interfere: " + change +
            (explanation.interference_db < 0 ? " less" : " more") + " than the sum of all powers.";
  }
  text += spreads(explanation);
  if (const float loss_db = explanation.prediction.clutter_loss_db; loss_db != 0) {
    text += " The clutter around the receiver (" + explanation.clutter_class + ") takes " +
            with_digits(static_cast<double>(loss_db), 1) + " dB of it.";
  }
  return text;
}

}  // namespace tesseray
