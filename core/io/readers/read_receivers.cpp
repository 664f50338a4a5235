// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/base/listed.h"
#include "core/io/readers/height_names.h"
#include "core/io/readers/readers.h"
#include "core/io/readers/receiver_heights.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/point_source.h"
#include "core/scene/receiver_height.h"

namespace tesseray {
namespace {

// Gives the receiver its height, or what is wrong with it. A text that is no number is an error even where misplaced
// receivers are dropped: the field may be another.
void read_height(const Attribute& attribute, const OGRFeature& feature, MisplacedReceivers misplaced,
                 RawReceiver& receiver) {
  const NumberCell cell = read_length_m(attribute, feature);
  receiver.height_m = cell.value.value_or(receiver.height_m);
  if (cell.unreadable.empty() && is_receiver_height(receiver.height_m)) return;
  const std::string text = attribute.text(feature).value_or("");
  const char* what = " is not a height above the ground of up to 2,000 m";
  if (cell.unreadable.empty() && misplaced == MisplacedReceivers::drop) {
    receiver.problem = attribute.name() + " \"" + text + "\"" + what;
    return;
  }
  ErrorPlace where = receiver.source;
  where.field = attribute.name();
  throw Error(ErrorKind::invalid_input, "bad_value", "\"" + text + "\"" + what, "write metres: 1.5", where);
}

// Of heights that are not found: without them all receivers are at one height.
void warn_of_heights_not_found(PointSource& points, std::size_t with_z, Progress& progress) {
  const std::vector<std::string> fields = those_like_heights(field_names(points.fields()));
  if (!fields.empty()) {
    progress.warn({"fields_not_read", "of " + points.place().file + " nothing is read from " + listed(fields) +
                                          ", which may tell of heights: unless a field of heights above the ground is "
                                          "named with RECEIVER_HEIGHT_FIELD all receivers are at RECEIVER_HEIGHT"});
  } else if (with_z > 0) {
    progress.warn({"z_not_used", "the Z of " + std::to_string(with_z) +
                                     (with_z == 1 ? " receiver point" : " receiver points") +
                                     " is not used: without a field of heights above the ground all are at "
                                     "RECEIVER_HEIGHT"});
  }
}

}  // namespace

std::vector<RawReceiver> read_receivers(const ReceiverInput& input, const LocalFrame& frame, Progress& progress) {
  PointSource points(input.source, input.crs, frame, "RECEIVERS");
  const std::optional<Attribute> height =
      points.find({input.height_field, "RECEIVER_HEIGHT_FIELD", receiver_height_aliases, length_names, {}});
  std::vector<RawReceiver> receivers;
  std::vector<Vec2> positions;
  std::size_t with_z = 0;
  points.for_each(progress, [&](const PointRow& row) {
    RawReceiver receiver{
        .feature_id = row.feature.GetFID(), .height_m = input.height_m, .source = points.place(row.feature)};
    if (!row.problem.empty() && input.misplaced == MisplacedReceivers::fail) {
      throw Error(ErrorKind::invalid_input, "bad_position", row.problem, "every receiver needs one point",
                  receiver.source);
    }
    if (height) read_height(*height, row.feature, input.misplaced, receiver);
    if (!row.problem.empty()) receiver.problem = row.problem;
    receivers.push_back(receiver);
    with_z += has_own_z(row.feature) ? 1 : 0;
    positions.push_back(row.position);
  });
  if (!height) warn_of_heights_not_found(points, with_z, progress);
  points.to_environment(positions, progress);
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    RawReceiver& receiver = receivers[i];
    receiver.position = positions[i];
    if (!receiver.problem.empty() || std::isfinite(positions[i].x)) continue;
    receiver.problem = "the receiver's place cannot be transformed to " + points.environment().name();
    if (input.misplaced == MisplacedReceivers::drop) continue;
    throw Error(ErrorKind::invalid_input, "no_transformation", receiver.problem, "check the coordinates and their CRS",
                receiver.source);
  }
  return receivers;
}

}  // namespace tesseray
