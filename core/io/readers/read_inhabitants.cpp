// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/io/readers/population_field.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/point_source.h"

namespace tesseray {
namespace {

// `number`: the field; null where each place counts as one inhabitant.
void warn_of_numbers(const std::vector<InhabitedPlace>& places, const PopulationField* number, Progress& progress) {
  const std::string all = std::to_string(places.size());
  if (number == nullptr) {
    progress.warn({"one_inhabitant_each", "no field of inhabitants is found: one is counted at each of " + all +
                                              (places.size() == 1 ? " point" : " points") +
                                              "; INHABITANTS_FIELD names it"});
    return;
  }
  const auto unknown = static_cast<std::size_t>(std::count_if(
      places.begin(), places.end(), [](const InhabitedPlace& place) { return !place.inhabitants.has_value(); }));
  if (unknown == 0) return;
  const bool is_one = unknown == 1;
  progress.warn({"unknown_inhabitants", std::to_string(unknown) + " of " + all + " inhabited places " +
                                            (is_one ? "has" : "have") + " no number in the field \"" + number->name() +
                                            "\": " + (is_one ? "it does" : "they do") +
                                            " not count. Write 0 where nobody lives, or choose another field as "
                                            "INHABITANTS_FIELD"});
}

}  // namespace

std::vector<InhabitedPlace> read_inhabitants(const InhabitantsInput& input, const LocalFrame& frame,
                                             Progress& progress) {
  PointSource points(input.source, input.crs, frame, "INHABITANTS");
  std::optional<PopulationField> number;
  if (auto found = points.find(population_search(input.number_field, "INHABITANTS_FIELD"))) {
    number.emplace(std::move(*found));
  }
  std::vector<InhabitedPlace> places;
  std::vector<Vec2> positions;
  std::vector<std::int64_t> features;
  const auto at = [&](std::int64_t feature_id) {
    ErrorPlace place = points.place();
    place.feature_id = feature_id;
    return place;
  };
  points.for_each(progress, [&](const PointRow& row) {
    if (!row.problem.empty()) {
      throw Error(ErrorKind::invalid_input, "bad_position", row.problem, "every inhabited place needs one point",
                  points.place(row.feature));
    }
    const std::optional<double> inhabitants = number ? number->read(row.feature, points.place(row.feature)) : 1.0;
    places.push_back({{}, inhabitants});
    positions.push_back(row.position);
    features.push_back(row.feature.GetFID());
  });
  if (number) number->refuse_ambiguous();
  warn_of_numbers(places, number ? &*number : nullptr, progress);
  points.to_environment(positions, progress);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!std::isfinite(positions[i].x)) {
      throw Error(ErrorKind::invalid_input, "no_transformation",
                  "the place cannot be transformed to " + points.environment().name(),
                  "check the coordinates and their CRS", at(features[i]));
    }
    places[i].position = positions[i] - frame.origin;
  }
  return places;
}

}  // namespace tesseray
