// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/io/readers/population_field.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/point_source.h"

namespace tesseray {

std::vector<InhabitedPlace> read_inhabitants(const InhabitantsInput& input, const LocalFrame& frame,
                                             Progress& progress) {
  PointSource points(input.source, input.crs, frame, "INHABITANTS");
  const std::optional<Attribute> number = points.find(population_search(input.number_field, "INHABITANTS_FIELD"));
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
    const double inhabitants =
        number ? read_population(*number, row.feature, points.place(row.feature)).value_or(0) : 1.0;
    places.push_back({{}, inhabitants});
    positions.push_back(row.position);
    features.push_back(row.feature.GetFID());
  });
  if (!number) {
    progress.warn({"one_inhabitant_each", "no field of inhabitants is found: one is counted at each of " +
                                              std::to_string(places.size()) + " points; INHABITANTS_FIELD names it"});
  }
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
