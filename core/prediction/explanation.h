// SPDX-License-Identifier: GPL-3.0-or-later
// Why a receiver gets what it gets: the received power taken apart into rays and mechanisms.
//
// Shares are of the power sum of all rays. Rays that are summed in amplitude interfere, which makes the received power
// more or less than that sum: interference_db. So, in this order, the parts add up to what is predicted:
//   received_power_dbm = 10 lg(Σ powers of all rays) + interference_db − clutter_loss_db.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/prediction/prediction.h"
#include "core/propagation/launching/ray_launcher.h"

namespace tesseray {

struct ExplainedRay {
  Ray ray;
  int rank = 0;           // 1: the strongest
  double share = 0;       // of the power sum
  std::string mechanism;  // the ray's, as a word
  std::string route;      // "diffraction at a roof edge of building 213"; "" for the direct ray
  std::string losses;     // what each step took, dB: [["free space",79.06],["R",6.53]]; "" where that was not asked for
};

// Shares of the power sum; each group adds up to 1.
struct PowerShares {
  double direct = 0, reflection = 0, diffraction = 0, over_rooftop = 0, through_building = 0, scattering = 0;
  double shown = 0, other_rays = 0, other_scattering = 0;  // the rays above, and the two kinds of those left out
};

struct PointExplanation {
  std::int64_t transmitter_id = 0;
  std::string transmitter;
  TargetPrediction prediction;
  WidebandPrediction angles;  // where the launch sums them
  double distance_m = 0;
  double free_space_loss_db = 0;
  double power_sum_dbm = 0, interference_db = 0;  // NaN where nothing arrives
  double roofs_in_sight_db = 0;                   // of the direct ray, by roofs just below it and rows of corners
  // What the ground's reflection takes of it then, where that comes with it; or, with runs_along_ground, uneven ground
  // near the line of sight, with the roofs there. Negative: adds to it.
  double ground_in_sight_db = 0;
  bool runs_along_ground = false;
  std::string clutter_class;  // that the receiver stands in; "" for none
  PowerShares shares;
  std::vector<ExplainedRay> rays;  // strongest first
  RaysWithoutPower without_power;  // that come besides
};

// REQUIRES: `result` is of a launch to one receiver with rays_per_receiver > 0 and scattered rays.
PointExplanation explain(const RayLaunchingResult& result, const Transmitter& transmitter, const Receiver& receiver,
                         const Scene& scene, const Tiling& tiling, double receiver_gain_dbi = 0);

// Where a ray interacted, in words: "reflection at a wall of building 17, then diffraction at a roof edge of
// building 213". "" for the direct ray.
std::string route_in_words(const Ray& ray, const Scene& scene, const Tiling& tiling);

// The explanation as a few sentences for people.
std::string in_words(const PointExplanation& explanation);

}  // namespace tesseray
