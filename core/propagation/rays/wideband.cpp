// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/wideband.h"

#include <algorithm>
#include <cmath>

namespace tesseray {

void DirectionMoments::add(double power, Vec3 direction) {
  const double horizontal = norm(direction.xy());
  cos_elevation += power * horizontal;
  sin_elevation += power * direction.z;
  cos_azimuth += power * (horizontal > 0 ? direction.y / horizontal : 1.0);
  sin_azimuth += power * (horizontal > 0 ? direction.x / horizontal : 0.0);
}

float WidebandSums::elevation(Vec3 direction) {
  return static_cast<float>(std::atan2(direction.z, norm(direction.xy())));
}

void WidebandSums::consider_strongest(double path_gain, float elevation) {
  const bool stronger =
      path_gain > strongest_gain || (path_gain == strongest_gain && path_gain > 0 && elevation < strongest_elevation);
  if (!stronger) return;
  strongest_gain = path_gain;
  strongest_elevation = elevation;
}

void WidebandSums::merge(const WidebandSums& other) {
  cos_elevation.merge(other.cos_elevation);
  sin_elevation.merge(other.sin_elevation);
  departure_cos_azimuth.merge(other.departure_cos_azimuth);
  departure_sin_azimuth.merge(other.departure_sin_azimuth);
  departure_cos_elevation.merge(other.departure_cos_elevation);
  departure_sin_elevation.merge(other.departure_sin_elevation);
  consider_strongest(other.strongest_gain, other.strongest_elevation);
}

WidebandTable::WidebandTable(std::size_t targets, bool angles, std::size_t profile_rays)
    : profile_rays_(profile_rays), sums_(angles ? targets : 0), profiles_(targets * profile_rays) {}

void WidebandTable::add_to_profile(std::size_t target, ProfileRay ray) {
  const auto first = profiles_.begin() + static_cast<std::ptrdiff_t>(target * profile_rays_);
  auto place = first + static_cast<std::ptrdiff_t>(profile_rays_);
  if (!ray.is_before(*(place - 1))) return;
  --place;
  for (; place != first && ray.is_before(*(place - 1)); --place) *place = *(place - 1);
  *place = ray;
}

void WidebandTable::merge(const WidebandTable& other) {
  for (std::size_t target = 0; target < sums_.size(); ++target) sums_[target].merge(other.sums_[target]);
  for (std::size_t i = 0; i < profiles_.size(); ++i) {
    if (other.profiles_[i].path_gain > 0) add_to_profile(i / profile_rays_, other.profiles_[i]);
  }
}

std::span<const ProfileRay> WidebandTable::profile(std::size_t target) const {
  const std::span all(profiles_.data() + target * profile_rays_, profile_rays_);
  const auto end = std::find_if(all.begin(), all.end(), [](const ProfileRay& ray) { return ray.path_gain == 0; });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

}  // namespace tesseray
