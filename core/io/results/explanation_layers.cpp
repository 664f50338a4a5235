// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of an explained point: its rays as lines, and its power-delay profile.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

struct ProfileRow {
  const ExplainedRay* ray = nullptr;
  double excess_delay_ns = 0;   // after the first of the rays shown
  double cumulative_share = 0;  // of the power sum, with all earlier rays
};

std::vector<ProfileRow> profile_of(const PointExplanation& explanation) {
  std::vector<ProfileRow> rows;
  for (const ExplainedRay& ray : explanation.rays) rows.push_back({&ray});
  // Rays are ranked: those that arrive together stay in order of strength.
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.ray->ray.delay_ns < b.ray->ray.delay_ns; });
  double sum = 0;
  for (ProfileRow& row : rows) {
    sum += row.ray->share;
    row.cumulative_share = sum;
    row.excess_delay_ns = row.ray->ray.delay_ns - rows.front().ray->ray.delay_ns;
  }
  return rows;
}

}  // namespace

Layer explained_rays_layer(const std::string& name, const LocalFrame& frame, const PointExplanation& explanation) {
  Layer layer{.name = name,
              .description = "The strongest rays at one point, the strongest first",
              .geometry = LayerGeometry::line_string_z};
  layer.styles = styles::explained_rays();
  std::vector<Field<ExplainedRay>> fields = {
      {{"rank", integer, "1 is the strongest ray"}, [](const ExplainedRay& r) { return Value::integer(r.rank); }},
  };
  for (Field<Ray>& field : ray_fields()) {
    fields.push_back(
        {std::move(field.column), [value = std::move(field.value)](const ExplainedRay& r) { return value(r.ray); }});
  }
  fields.push_back(
      {{"mechanism", text,
        "direct, reflection, diffraction, over_rooftop, through_building or scattering: what decides about the ray"},
       [](const ExplainedRay& r) { return Value::text(r.mechanism); }});
  fields.push_back({{"share_percent", real, "Share of the sum of all powers, percent"},
                    [](const ExplainedRay& r) { return Value::real(100 * r.share); }});
  fields.push_back({{"route", text, "Where the ray interacted; NULL for the direct ray"},
                    [](const ExplainedRay& r) { return Value::text_or_null(r.route); }});
  fields.push_back(
      {{"losses_db", text,
        "What each step took: JSON [[step, dB], …]; together the ray's path loss, ERP minus its power. Steps: the "
        "letters of interactions, B through a building, and free space, ERP, antenna, roofs, ground, vegetation, "
        "receiver and polarisation"},
       [](const ExplainedRay& r) { return Value::text_or_null(r.losses); }});
  const std::vector<ExplainedRay>& rays = explanation.rays;
  return with_rows<ExplainedRay>(
      std::move(layer), frame.origin, rays.size(), [&rays](std::size_t i) -> const ExplainedRay& { return rays[i]; },
      std::move(fields), [](const ExplainedRay& r, GeometryEncoder& encoder) { encoder.line_string(r.ray.points); });
}

Layer power_delay_profile_layer(const std::string& name, const PointExplanation& explanation) {
  const auto rows = std::make_shared<const std::vector<ProfileRow>>(profile_of(explanation));
  std::vector<Field<ProfileRow>> fields = {
      {{"delay_ns", real, "Delay, ns"}, [](const ProfileRow& r) { return Value::real(r.ray->ray.delay_ns); }},
      {{"excess_delay_ns", real, "Delay after the first of these rays, ns"},
       [](const ProfileRow& r) { return Value::real(r.excess_delay_ns); }},
      {{"power_dbm", real, "Received power, dBm"},
       [](const ProfileRow& r) { return Value::real(r.ray->ray.power_dbm); }},
      {{"interactions", text,
        "T transmitter, R reflection, D diffraction, G ground, O over the roofs, B through a building, S scattering"},
       [](const ProfileRow& r) { return Value::text(r.ray->ray.interactions); }},
      {{"cumulative_percent", real, "Share of the sum of all powers up to this delay, percent"},
       [](const ProfileRow& r) { return Value::real(100 * r.cumulative_share); }},
      {{"rank", integer, "Ray, see the layer with the rays: 1 is the strongest"},
       [](const ProfileRow& r) { return Value::integer(r.ray->rank); }},
  };
  Layer layer{.name = name, .description = "Power-delay profile of the strongest rays at one point"};
  layer.styles = styles::power_delay_profile();
  return with_rows<ProfileRow>(std::move(layer), {}, rows->size(),
                               [rows](std::size_t i) -> const ProfileRow& { return (*rows)[i]; }, std::move(fields),
                               {});
}

}  // namespace tesseray
