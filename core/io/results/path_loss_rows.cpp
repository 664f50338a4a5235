// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_rows.h"

#include <ogrsf_frmts.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/base/error.h"
#include "core/io/results/path_loss_geometry.h"
#include "core/io/results/target_fields.h"
#include "core/scene/ground_plan/footprint_repair.h"

namespace tesseray {

namespace {

TargetKey key_of(const PredictedTarget& target) { return {target.transmitter_id, target.tile_id}; }

// What two of the targets have both.
std::optional<TargetKey> repeated_key(const std::vector<PredictedTarget>& targets) {
  // As predictcoverage writes them; then nothing need be sorted.
  const auto not_after = [](const PredictedTarget& a, const PredictedTarget& b) { return key_of(b) <= key_of(a); };
  if (std::adjacent_find(targets.begin(), targets.end(), not_after) == targets.end()) return std::nullopt;
  std::vector<TargetKey> keys;
  keys.reserve(targets.size());
  for (const PredictedTarget& target : targets) keys.push_back(key_of(target));
  std::sort(keys.begin(), keys.end());
  const auto repeated = std::adjacent_find(keys.begin(), keys.end());
  return repeated != keys.end() ? std::optional(*repeated) : std::nullopt;
}

// The rows are read again to find it, which costs nothing where all is well.
std::optional<std::int64_t> second_row_of(const TargetKey& key, const PathLossFile& file, const TargetFields& fields) {
  bool is_first = true;
  for (const OGRFeatureUniquePtr& row : file.rows()) {
    if (fields.key_of(*row) != key) continue;
    if (!is_first) return row->GetFID();
    is_first = false;
  }
  return std::nullopt;
}

class TargetReader {
 public:
  TargetReader(PathLossFile& file, const RowsToRead& wanted)
      : file_(file), wanted_(wanted), hint_on_geometry_(hint_on_geometry(wanted.outlines)), fields_(file, wanted.used) {
    rows_.targets.reserve(wanted.count);
  }

  void add(const OGRFeature& row) {
    PredictedTarget& target = rows_.targets.emplace_back(fields_.identity_of(row));
    const std::optional<Vec3> middle = middle_of(row, wanted_.origin);
    if (!middle) throw without_geometry(hint_on_geometry_, file_.place_of(row, file_.rows()));
    target.centroid = *middle;
    const OGRPolygon* tile = tile_polygon_of(row);
    if (tile != nullptr) {
      const HalfSides sides = half_sides_of(*tile);
      target.half_u = sides.u;
      target.half_v = sides.v;
    }
    fields_.read_quantities(row, target);
    if (tile != nullptr && wanted_.outlines != Outlines::leave) add_outline(row, *tile, target);
  }

  std::size_t count() const { return rows_.targets.size(); }

  // REQUIRES: all rows were added.
  PathLossRows take() {
    if (rows_.targets.empty() && !file_.filter().empty()) {
      throw Error(ErrorKind::invalid_input, "no_rows", "the filter " + file_.filter() + " leaves no rows",
                  "change the filter, or give the layer without one", file_.place());
    }
    if (const std::optional<TargetKey> repeated = repeated_key(rows_.targets)) {
      fields_.refuse_repeated(*repeated, second_row_of(*repeated, file_, fields_));
    }
    return std::move(rows_);
  }

 private:
  // The tile's corners, once for all transmitters.
  void add_outline(const OGRFeature& row, const OGRPolygon& tile, const PredictedTarget& target) {
    const auto [place, is_new] = rows_.outlines.try_emplace(target.tile_id);
    if (!is_new) return;
    place->second = corners_of(tile, wanted_.origin);
    if (target.kind == SurfaceKind::ground) require_area(row, place->second);
  }

  // Ground is what its polygon encloses; walls are lines from above.
  void require_area(const OGRFeature& row, const TileCorners& tile) {
    Ring outline;
    for (const Vec3& corner : tile.corners) outline.push_back(corner.xy());
    if (overlay_.is_valid({outline})) return;
    throw Error(ErrorKind::invalid_input, "bad_tile", "the sides of this ground tile cross each other",
                "predict again, or take the tile's polygon as it was written", file_.place_of(row, file_.rows()));
  }

  PathLossFile& file_;
  const RowsToRead& wanted_;
  std::string hint_on_geometry_;
  TargetFields fields_;
  PolygonOverlay overlay_;
  PathLossRows rows_;
};

}  // namespace

PathLossRows read_rows(PathLossFile& file, const RowsToRead& wanted, Progress& progress) {
  TargetReader reader(file, wanted);
  for (const OGRFeatureUniquePtr& row : file.rows()) {
    reader.add(*row);
    constexpr std::size_t rows_between_reports = 8192;
    if (reader.count() % rows_between_reports == 0) {
      progress.throw_if_cancelled();
      progress.advance(static_cast<double>(reader.count()) / static_cast<double>(wanted.count));
    }
  }
  file.refuse_failed_reading();
  return reader.take();
}

}  // namespace tesseray
