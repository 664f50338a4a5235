// SPDX-License-Identifier: GPL-3.0-or-later
#include <ogrsf_frmts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/listed.h"
#include "core/io/results/layer_values.h"
#include "core/io/results/result_layers.h"
#include "core/io/results/result_writer.h"
#include "core/io/results/sqlite_database.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/layer_filter.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_file.h"
#include "core/io/sources/sql_text.h"
#include "core/io/sources/vector_source.h"
#include "core/scene/ground_plan/footprint_repair.h"

namespace tesseray {

namespace {

constexpr char default_layer[] = "path_loss";
constexpr char transmitters_table[] = "transmitters";
// By which such layers are known, whatever they are called.
constexpr std::array path_loss_fields = {"transmitter_id", "path_loss_db"};
constexpr std::array transmitters_fields = {"transmitter_id", "name", "frequency_mhz"};
// Of best servers, which have the fields of path losses, too, but of each place the row of one transmitter alone.
constexpr char best_server_field[] = "second_transmitter_id";
constexpr char layer_hint[] = "give the path_loss layer that predictcoverage wrote";
constexpr char transmitters_hint[] = "give the transmitters as TRANSMITTERS_OUT of predictcoverage wrote them";

// The fields that other tools read, as indices in the layer.
struct TargetFields {
  static constexpr int none = LayerValues::missing;
  int transmitter_id = none, target_id = none, kind = none, path_loss = none, basic_loss = none, received_power = none,
      field = none, first_delay = none, mean_delay = none, arrival_azimuth = none, arrival_elevation = none,
      line_of_sight = none, receiver_gain = none, height = none;

  std::vector<int> numbers() const {
    return {transmitter_id, target_id,       path_loss,         basic_loss,    received_power, field, first_delay,
            mean_delay,     arrival_azimuth, arrival_elevation, line_of_sight, receiver_gain,  height};
  }
};

// A geometry, or the only part of a collection, which other programs make of single geometries.
const OGRGeometry* only_part(const OGRGeometry* geometry) {
  if (geometry == nullptr || !OGR_GT_IsSubClassOf(geometry->getGeometryType(), wkbGeometryCollection)) return geometry;
  const OGRGeometryCollection& parts = *geometry->toGeometryCollection();
  return parts.getNumGeometries() == 1 ? parts.getGeometryRef(0) : geometry;
}

// Null where it is none.
const OGRPolygon* polygon_of(const OGRFeature& feature) {
  const OGRGeometry* geometry = only_part(feature.GetGeometryRef());
  return geometry != nullptr && wkbFlatten(geometry->getGeometryType()) == wkbPolygon ? geometry->toPolygon() : nullptr;
}

std::optional<SurfaceKind> kind_of(const std::string& text) {
  for (const SurfaceKind kind : {SurfaceKind::ground, SurfaceKind::wall, SurfaceKind::roof}) {
    if (text == to_text(kind)) return kind;
  }
  return std::nullopt;
}

using TargetKey = std::pair<std::int64_t, std::int64_t>;  // transmitter_id, tile_id

TargetKey key_of(const PredictedTarget& target) { return {target.transmitter_id, target.tile_id}; }

// What two of the targets have both.
std::optional<TargetKey> repeated_key(const std::vector<PredictedTarget>& targets) {
  const auto is_before = [](const PredictedTarget& a, const PredictedTarget& b) { return key_of(a) < key_of(b); };
  // As predictcoverage writes them; then nothing need be sorted.
  const auto not_after = [&](const PredictedTarget& a, const PredictedTarget& b) { return !is_before(a, b); };
  if (std::adjacent_find(targets.begin(), targets.end(), not_after) == targets.end()) return std::nullopt;
  std::vector<TargetKey> keys;
  keys.reserve(targets.size());
  for (const PredictedTarget& target : targets) keys.push_back(key_of(target));
  std::sort(keys.begin(), keys.end());
  const auto repeated = std::adjacent_find(keys.begin(), keys.end());
  return repeated != keys.end() ? std::optional(*repeated) : std::nullopt;
}

bool has_field(OGRLayer& layer, const char* field) { return layer.GetLayerDefn()->GetFieldIndex(field) >= 0; }

bool has_fields(OGRLayer& layer, std::span<const char* const> fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const char* field) { return has_field(layer, field); });
}

bool is_path_loss(OGRLayer& layer) {
  return has_fields(layer, path_loss_fields) && !has_field(layer, best_server_field);
}

bool is_of_transmitters(OGRLayer& layer) { return has_fields(layer, transmitters_fields); }

class PathLossSource {
 public:
  PathLossSource(const SourceName& name, Outlines outlines)
      : name_(name),
        geometry_hint_(std::string("write PATH_LOSS with GEOMETRY polygon") +
                       (outlines == Outlines::require ? "" : " or point")) {
    require_file(name_.dataset, "PATH_LOSS");
    dataset_.reset(GDALDataset::Open(name_.dataset.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    session_.refuse_locked(name_.dataset);
    if (!dataset_) fail("cannot_open", "the file cannot be opened (" + reason() + ")");
    layer_ = named_layer(*dataset_, name_);
    if (layer_ == nullptr) layer_ = dataset_->GetLayerByName(default_layer);
    if (layer_ == nullptr) layer_ = only_layer(is_path_loss);
    if (layer_ == nullptr) fail("no_layer", std::string("the file has no layer ") + default_layer);
    refuse_best_servers();
    set_filter(*layer_, name_, session_, place());
    transmitters_layer_ = find_transmitters();
  }

  PathLossNames names() {
    return {layer_->GetName(), transmitters_layer_ != nullptr ? transmitters_layer_->GetName() : ""};
  }

  bool holds_reached_only() { return is_true(of_last_run("json_extract(parameters, '$.REACHED_ONLY')")); }

  // A later run may have replaced the layer of transmitters, or have written the path loss beside those of another one.
  // REQUIRES: transmitters().
  void warn_of_other_transmitters(Progress& progress) {
    std::string what;
    for (const char* parameter : {"TRANSMITTERS", "TRANSMITTERS_CRS", "NAME_FIELD", "FREQUENCY_FIELD", "FREQUENCY",
                                  "ANTENNA_HEIGHT_FIELD", "ANTENNA_HEIGHT", "ANTENNA_HEIGHT_REFERENCE"}) {
      what += std::string("json_extract(parameters, '$.") + parameter + "'), ";
    }
    const auto last_with = [](const std::string& layer) {
      return "(SELECT max(number) FROM run WHERE " + quoted_text(layer) + " IN (SELECT value FROM json_each(layers)))";
    };
    const std::string sql =
        "WITH run AS (SELECT rowid AS number, layers, json_array(" + what +
        "(SELECT json_extract(value, '$.hash') FROM json_each(inputs) WHERE json_extract(value, '$.path') = "
        "json_extract(parameters, '$.TRANSMITTERS'))) AS made_from FROM tesseray_runs) "
        "SELECT a.made_from <> b.made_from FROM run a, run b WHERE a.number = " +
        last_with(layer_->GetName()) + " AND b.number = " + last_with(transmitters_layer_->GetName());
    if (!is_true(sql)) return;
    progress.warn({"other_transmitters",
                   std::string("the layer ") + transmitters_layer_->GetName() + " of " +
                       without_password(name_.dataset) + " is of another run than " + layer_->GetName() +
                       ", with other parameters or another file of transmitters: their names, places and frequencies "
                       "may be others. Predict each network to a file of its own"});
  }

  LocalFrame frame() {
    const Crs crs = Crs::of(layer_->GetSpatialRef());
    if (crs.is_geographic()) fail("degrees", "the layer is in degrees");
    if (!crs.empty()) require_proj_database();
    OGREnvelope bounds;
    if (layer_->GetExtent(&bounds, TRUE) != OGRERR_NONE) {
      throw Error(ErrorKind::invalid_input, "no_geometry", "the layer has no geometries", geometry_hint_, place());
    }
    require_own_crs(crs, {0.5 * (bounds.MinX + bounds.MaxX), 0.5 * (bounds.MinY + bounds.MaxY)});
    // As every scene has it: coordinates stay small and exact.
    constexpr double step_m = 1024;
    return {.origin = {std::floor(bounds.MinX / step_m) * step_m, std::floor(bounds.MinY / step_m) * step_m},
            .crs_wkt = crs.empty() ? "" : crs.wkt(),
            .crs_name = crs.empty() ? "local metres" : crs.name()};
  }

  PathLossSize size() {
    const auto count_of = [](OGRLayer* layer) {
      return layer == nullptr ? 0 : static_cast<std::uint64_t>(std::max<GIntBig>(layer->GetFeatureCount(), 0));
    };
    return {count_of(layer_), count_of(transmitters_layer_)};
  }

  // `used`: the fields that must be there besides those of every path loss. `rows`: by size().
  std::vector<PredictedTarget> targets(Vec2 origin, const std::vector<std::string>& used, std::uint64_t rows,
                                       std::map<std::int64_t, TileCorners>* outlines, Progress& progress) {
    const LayerValues values(*layer_, without_password(name_.dataset), layer_hint);
    const TargetFields fields = find_fields(values, used);
    values.refuse_texts_among_numbers(*dataset_, fields.numbers(), name_.filter);
    session_.forget();  // a layer that SQL cannot ask is read without
    std::vector<PredictedTarget> targets;
    targets.reserve(rows);
    for (const OGRFeatureUniquePtr& feature : *layer_) {
      targets.push_back(target(*feature, values, fields, origin));
      if (outlines != nullptr) add_outline(*feature, targets.back(), origin, *outlines);
      constexpr std::size_t rows_between_reports = 8192;
      if (targets.size() % rows_between_reports == 0) {
        progress.throw_if_cancelled();
        progress.advance(static_cast<double>(targets.size()) / static_cast<double>(rows));
      }
    }
    if (!session_.last_failure().empty()) {
      session_.refuse_locked_meanwhile(name_.dataset);
      fail("cannot_read", "the layer cannot be read (" + reason() + ")");
    }
    if (targets.empty() && !name_.filter.empty()) {
      throw Error(ErrorKind::invalid_input, "no_rows", "the filter " + name_.filter + " leaves no rows",
                  "change the filter, or give the layer without one", place());
    }
    if (const std::optional<TargetKey> repeated = repeated_key(targets)) refuse_repeated(*repeated, values, fields);
    return targets;
  }

  // Where a filter chooses among the rows, only those that it leaves a row of: others would stand there as unheard.
  std::vector<PredictedTransmitter> transmitters(Vec2 origin, const std::vector<PredictedTarget>& targets) {
    std::unordered_set<std::int64_t> chosen;
    for (const PredictedTarget& target : targets) chosen.insert(target.transmitter_id);
    std::vector<PredictedTransmitter> all = all_transmitters(origin);
    std::unordered_set<std::int64_t> unknown = chosen;
    for (const PredictedTransmitter& each : all) unknown.erase(each.transmitter_id);
    if (!unknown.empty()) {
      throw Error(ErrorKind::invalid_input, "unknown_transmitter",
                  "there is no transmitter " + std::to_string(*std::min_element(unknown.begin(), unknown.end())) +
                      ", of which the layer " + layer_->GetName() + " has path losses",
                  "give path losses with the transmitters of the same run beside them",
                  {.file = without_password(name_.dataset), .layer = transmitters_layer_->GetName()});
    }
    if (!name_.filter.empty()) {
      std::erase_if(all, [&](const PredictedTransmitter& each) { return !chosen.contains(each.transmitter_id); });
    }
    return all;
  }

 private:
  // A query about the last run that wrote the path loss.
  std::string of_last_run(const std::string& what) const {
    return "SELECT " + what + " FROM tesseray_runs WHERE " + quoted_text(layer_->GetName()) +
           " IN (SELECT value FROM json_each(layers)) ORDER BY rowid DESC LIMIT 1";
  }

  // The first column that a query about runs finds; nothing where the file tells of none.
  std::vector<std::string> column(const std::string& sql) {
    std::vector<std::string> values;
    if (dataset_->GetLayerByName("tesseray_runs") == nullptr) return values;
    OGRLayer* rows = dataset_->ExecuteSQL(sql.c_str(), nullptr, nullptr);
    if (rows == nullptr) {
      session_.forget();  // another program's table of that name
      return values;
    }
    for (const OGRFeatureUniquePtr& row : *rows) values.emplace_back(row->GetFieldAsString(0));
    dataset_->ReleaseResultSet(rows);
    return values;
  }

  bool is_true(const std::string& sql) { return column(sql) == std::vector<std::string>{"1"}; }

  // Nothing where several layers of the file are so.
  OGRLayer* only_layer(bool (*is_wanted)(OGRLayer& layer)) {
    OGRLayer* found = nullptr;
    for (OGRLayer* layer : dataset_->GetLayers()) {
      if (!is_wanted(*layer)) continue;
      if (found != nullptr) return nullptr;
      found = layer;
    }
    return found;
  }

  // Of the others at a place they tell nothing: interference, and what one of them covers alone, would come out wrong.
  void refuse_best_servers() {
    if (!has_field(*layer_, best_server_field)) return;
    std::vector<std::string> names;
    for (OGRLayer* layer : dataset_->GetLayers()) {
      if (is_path_loss(*layer)) names.emplace_back(layer->GetName());
    }
    throw Error(ErrorKind::invalid_input, "best_servers",
                "the layer is one of best servers: of the other transmitters at a place it tells nothing",
                names.empty() ? "give the path losses that it was made from, as predictcoverage wrote them"
                              : "give the path losses that it was made from; this file has " + listed(names),
                place());
  }

  // The layer that the path loss's own run wrote into the file, whatever its name is; else that of the usual name, or
  // the only one of its kind, as in files that QGIS has packed, under names of its own and without the runs.
  OGRLayer* find_transmitters() {
    for (const std::string& name : column("SELECT value FROM json_each((" + of_last_run("layers") + "))")) {
      OGRLayer* layer = dataset_->GetLayerByName(name.c_str());
      if (layer != nullptr && is_of_transmitters(*layer)) return layer;
    }
    OGRLayer* usual = dataset_->GetLayerByName(transmitters_table);
    return usual != nullptr ? usual : only_layer(is_of_transmitters);
  }

  std::vector<PredictedTransmitter> all_transmitters(Vec2 origin) {
    if (transmitters_layer_ == nullptr) {
      throw Error(ErrorKind::invalid_input, "no_transmitters", "the layer transmitters is missing beside the path loss",
                  "in place of extracted rows give the whole layer with a filter; or write PATH_LOSS and "
                  "TRANSMITTERS_OUT of predictcoverage to one file (of layers in QGIS: Package layers), and give that; "
                  "a layer in memory is in none",
                  {.file = without_password(name_.dataset)});
    }
    OGRLayer& layer = *transmitters_layer_;
    const LayerValues values(layer, without_password(name_.dataset), transmitters_hint);
    const int id = values.require("transmitter_id"), name = values.require("name"),
              frequency = values.require("frequency_mhz");
    values.refuse_texts_among_numbers(*dataset_, {id, frequency}, "");
    session_.forget();  // a layer that SQL cannot ask is read without
    std::vector<PredictedTransmitter> transmitters;
    std::unordered_set<std::int64_t> known;
    for (const OGRFeatureUniquePtr& feature : layer) {
      PredictedTransmitter transmitter;
      transmitter.transmitter_id = values.required_integer(*feature, id);
      if (!known.insert(transmitter.transmitter_id).second) {
        values.fail("repeated_transmitter",
                    "transmitter " + std::to_string(transmitter.transmitter_id) +
                        " is there twice, as where networks were put together",
                    id, feature->GetFID());
      }
      transmitter.name = values.text(*feature, name);
      const double frequency_mhz = values.required_number(*feature, frequency);
      if (frequency_mhz <= 0) values.fail("bad_value", "the frequency is not above 0", frequency, feature->GetFID());
      transmitter.frequency_hz = std::round(frequency_mhz * 1e6);
      transmitter.position = middle(*feature, layer, origin);
      transmitters.push_back(std::move(transmitter));
    }
    return transmitters;
  }

  std::string reason() const { return without_passwords_of(name_.dataset, session_.last_failure()); }

  ErrorPlace place() {
    return {.file = without_password(name_.dataset), .layer = layer_ != nullptr ? layer_->GetName() : ""};
  }

  ErrorPlace place(const OGRFeature& feature, OGRLayer& layer) const {
    return {
        .file = without_password(name_.dataset), .layer = layer.GetName(), .field = {}, .feature_id = feature.GetFID()};
  }

  // Distances and areas are worked out in the layer's coordinates, which are metres as they were written.
  void require_own_crs(const Crs& crs, Vec2 middle) {
    if (crs.empty()) return;
    try {
      check_environment_crs(crs, middle);
    } catch (const Error& error) {
      fail("reprojected", "the layer has been reprojected: " + error.message());
    }
    if (transmitters_layer_ == nullptr) return;
    const Crs of_transmitters = Crs::of(transmitters_layer_->GetSpatialRef());
    if (of_transmitters.empty() || of_transmitters.is_same(crs)) return;
    fail("reprojected", std::string("the layer ") + transmitters_layer_->GetName() + " beside it is in another CRS, " +
                            of_transmitters.name());
  }

  [[noreturn]] void fail(const std::string& code, const std::string& message) {
    throw Error(ErrorKind::invalid_input, code, message, layer_hint, place());
  }

  TargetFields find_fields(const LayerValues& values, const std::vector<std::string>& used) {
    for (const std::string& field : used) values.require(field.c_str());
    const bool of_receivers = !has_field(*layer_, "tile_id") && has_field(*layer_, "receiver_id");
    TargetFields fields;
    fields.transmitter_id = values.require("transmitter_id");
    fields.target_id = values.require(of_receivers ? "receiver_id" : "tile_id");
    fields.path_loss = values.require("path_loss_db");
    if (of_receivers) {
      fields.height = values.require("height_m");
    } else {
      fields.kind = values.require("kind");
    }
    fields.basic_loss = values.find("basic_loss_db");
    fields.received_power = values.find("received_power_dbm");
    fields.field = values.find("field_dbuvm");
    fields.first_delay = values.find("first_delay_ns");
    fields.mean_delay = values.find("mean_delay_ns");
    fields.arrival_azimuth = values.find("arrival_azimuth_deg");
    fields.arrival_elevation = values.find("arrival_elevation_deg");
    fields.line_of_sight = values.find("line_of_sight");
    fields.receiver_gain = values.find("receiver_gain_dbi");
    ignore_other_fields(fields);
    return fields;
  }

  // Reading all of them would take twice as long.
  void ignore_other_fields(const TargetFields& fields) {
    std::vector<int> used = fields.numbers();
    used.push_back(fields.kind);
    std::vector<const char*> ignored;
    const OGRFeatureDefn& defn = *layer_->GetLayerDefn();
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
      if (std::find(used.begin(), used.end(), i) == used.end()) ignored.push_back(defn.GetFieldDefn(i)->GetNameRef());
    }
    ignored.push_back(nullptr);
    layer_->SetIgnoredFields(ignored.data());
  }

  PredictedTarget target(const OGRFeature& feature, const LayerValues& values, const TargetFields& fields,
                         Vec2 origin) {
    PredictedTarget target;
    target.transmitter_id = values.required_integer(feature, fields.transmitter_id);
    target.tile_id = values.required_integer(feature, fields.target_id);
    if (fields.kind != TargetFields::none) target.kind = required_kind(feature, values, fields.kind);
    target.centroid = middle(feature, *layer_, origin);
    set_sides(feature, target);
    if (fields.height != TargetFields::none) target.height_m = values.required_number(feature, fields.height);
    target.path_loss_db = values.number(feature, fields.path_loss);
    target.basic_loss_db = values.number(feature, fields.basic_loss);
    target.received_power_dbm = values.number(feature, fields.received_power);
    if (fields.received_power != TargetFields::none) require_both_or_neither(feature, values, fields, target);
    target.field_dbuvm = values.number(feature, fields.field);
    if (fields.receiver_gain != TargetFields::none) {
      target.receiver_gain_dbi = values.required_number(feature, fields.receiver_gain);
    }
    target.first_delay_ns = values.number(feature, fields.first_delay);
    target.mean_delay_ns = values.number(feature, fields.mean_delay);
    target.arrival_azimuth_deg = values.number(feature, fields.arrival_azimuth);
    target.arrival_elevation_deg = values.number(feature, fields.arrival_elevation);
    if (fields.line_of_sight != TargetFields::none) {
      target.line_of_sight = values.required_number(feature, fields.line_of_sight) != 0;
    }
    return target;
  }

  SurfaceKind required_kind(const OGRFeature& feature, const LayerValues& values, int field) const {
    const std::string text = values.text(feature, field);
    if (const std::optional<SurfaceKind> kind = kind_of(text)) return *kind;
    values.fail("bad_value", "\"" + text + "\" is none of ground, wall and roof", field, feature.GetFID());
  }

  // Where nothing arrives both are NULL.
  void require_both_or_neither(const OGRFeature& feature, const LayerValues& values, const TargetFields& fields,
                               const PredictedTarget& target) const {
    if (std::isnan(target.path_loss_db) == std::isnan(target.received_power_dbm)) return;
    const bool has_loss = !std::isnan(target.path_loss_db);
    values.fail("bad_value",
                std::string("NULL stands where ") + (has_loss ? "path_loss_db" : "received_power_dbm") + " is a number",
                has_loss ? fields.received_power : fields.path_loss, feature.GetFID());
  }

  // The rows are read again to name the second one, which costs nothing where all is well.
  [[noreturn]] void refuse_repeated(const TargetKey& key, const LayerValues& values, const TargetFields& fields) {
    std::optional<std::int64_t> second;
    bool is_first = true;
    for (const OGRFeatureUniquePtr& feature : *layer_) {
      if (values.required_integer(*feature, fields.transmitter_id) != key.first) continue;
      if (values.required_integer(*feature, fields.target_id) != key.second) continue;
      if (!is_first) second = feature->GetFID();
      if (second) break;
      is_first = false;
    }
    values.fail("repeated_target",
                "transmitter " + std::to_string(key.first) + " has two rows of " +
                    (fields.kind == TargetFields::none ? "receiver " : "tile ") + std::to_string(key.second) +
                    ", as where predictions were put together",
                fields.target_id, second);
  }

  // Of a tile, which is a parallelogram.
  void set_sides(const OGRFeature& feature, PredictedTarget& target) {
    const OGRPolygon* polygon = polygon_of(feature);
    if (polygon == nullptr) return;
    const OGRLinearRing& ring = *polygon->getExteriorRing();
    const auto side = [&ring](int from, int to) {
      return Vec3{ring.getX(to) - ring.getX(from), ring.getY(to) - ring.getY(from), ring.getZ(to) - ring.getZ(from)};
    };
    target.half_u = 0.5 * side(0, 1);
    target.half_v = 0.5 * side(1, 2);
  }

  // A tile's corners; points have none.
  void add_outline(const OGRFeature& feature, const PredictedTarget& target, Vec2 origin,
                   std::map<std::int64_t, TileCorners>& outlines) {
    const OGRPolygon* polygon = polygon_of(feature);
    if (polygon == nullptr) return;
    const OGRLinearRing& ring = *polygon->getExteriorRing();
    const auto [place, is_new] = outlines.try_emplace(target.tile_id);
    if (!is_new) return;
    for (int i = 0; i < 4; ++i) {
      place->second.corners[i] = {ring.getX(i) - origin.x, ring.getY(i) - origin.y, ring.getZ(i)};
    }
    if (target.kind == SurfaceKind::ground) require_area(feature, place->second);
  }

  // Ground is what its polygon encloses; walls are lines from above.
  void require_area(const OGRFeature& feature, const TileCorners& tile) {
    Ring outline;
    for (const Vec3& corner : tile.corners) outline.push_back(corner.xy());
    if (overlay_.is_valid({outline})) return;
    throw Error(ErrorKind::invalid_input, "bad_tile", "the sides of this ground tile cross each other",
                "predict again, or take the tile's polygon as it was written", place(feature, *layer_));
  }

  // The point, or the mean of a tile's corners: tiles are parallelograms.
  Vec3 middle(const OGRFeature& feature, OGRLayer& layer, Vec2 origin) {
    const OGRGeometry* geometry = only_part(feature.GetGeometryRef());
    const auto type = geometry == nullptr ? wkbNone : wkbFlatten(geometry->getGeometryType());
    if (type == wkbPoint && !geometry->IsEmpty()) {
      const OGRPoint& p = *geometry->toPoint();
      return {p.getX() - origin.x, p.getY() - origin.y, p.getZ()};
    }
    const OGRPolygon* polygon = polygon_of(feature);
    const OGRLinearRing* ring = polygon != nullptr ? polygon->getExteriorRing() : nullptr;
    if (ring == nullptr || ring->getNumPoints() < 4) {
      throw Error(
          ErrorKind::invalid_input, "no_geometry", "the feature has neither a polygon nor a point",
          &layer == layer_ ? geometry_hint_ : "give the transmitters as TRANSMITTERS_OUT wrote them, with points",
          place(feature, layer));
    }
    const int corners = ring->getNumPoints() - 1;
    Vec3 sum;
    for (int i = 0; i < corners; ++i)
      sum = sum + Vec3{ring->getX(i) - origin.x, ring->getY(i) - origin.y, ring->getZ(i)};
    return (1.0 / corners) * sum;
  }

  SourceName name_;
  std::string geometry_hint_;
  PolygonOverlay overlay_;
  GdalSession session_;
  GDALDatasetUniquePtr dataset_;
  OGRLayer* layer_ = nullptr;
  OGRLayer* transmitters_layer_ = nullptr;
};

}  // namespace

PathLossLayer read_path_loss(const std::string& source, Outlines outlines, Progress& progress,
                             const std::vector<std::string>& used,
                             const std::function<void(const PathLossSize&)>& before_rows) {
  progress.begin_stage("path loss");
  PathLossSource from(parse_source_name(source), outlines);
  PathLossLayer layer;
  layer.frame = from.frame();
  const PathLossSize size = from.size();
  if (before_rows) before_rows(size);
  layer.targets = from.targets(layer.frame.origin, used, size.rows,
                               outlines == Outlines::leave ? nullptr : &layer.outlines, progress);
  layer.transmitters = from.transmitters(layer.frame.origin, layer.targets);
  layer.holds_reached_only = from.holds_reached_only();
  from.warn_of_other_transmitters(progress);
  return layer;
}

PathLossNames path_loss_names(const std::string& source) {
  return PathLossSource(parse_source_name(source), Outlines::leave).names();
}

std::vector<PathLossNames> path_losses_in(const std::filesystem::path& file) {
  std::vector<std::string> names;
  {
    GdalSession session;
    const GDALDatasetUniquePtr database(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    session.refuse_locked(file.string());
    if (!database) return {};
    for (OGRLayer* layer : database->GetLayers()) {
      if (is_path_loss(*layer)) names.emplace_back(layer->GetName());
    }
  }
  std::vector<PathLossNames> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    const SourceName source{.dataset = file.string(), .layer = name, .layer_index = {}, .filter = {}};
    found.push_back(PathLossSource(source, Outlines::leave).names());
  }
  return found;
}

std::vector<std::int64_t> ground_tiles(const PathLossLayer& path_loss) {
  std::vector<std::int64_t> ids;
  std::unordered_set<std::int64_t> known;
  for (const PredictedTarget& target : path_loss.targets) {
    if (target.kind != SurfaceKind::ground || !path_loss.outlines.contains(target.tile_id)) continue;
    if (known.insert(target.tile_id).second) ids.push_back(target.tile_id);
  }
  std::sort(ids.begin(), ids.end());
  if (!ids.empty()) return ids;
  throw Error(ErrorKind::invalid_input, "no_ground", "the path loss has no ground tiles with polygons",
              "predict with KINDS ground and GEOMETRY polygon");
}

}  // namespace tesseray
