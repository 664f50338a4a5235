// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/target_fields.h"

#include <algorithm>
#include <cmath>

#include "core/io/results/result_layers.h"

namespace tesseray {

namespace {

std::optional<SurfaceKind> kind_of(const std::string& text) {
  for (const SurfaceKind kind : {SurfaceKind::ground, SurfaceKind::wall, SurfaceKind::roof}) {
    if (text == to_text(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace

TargetFields::TargetFields(PathLossFile& file, const std::vector<std::string>& used)
    : values_(file.rows(), file.name(), path_loss_hint) {
  for (const std::string& field : used) values_.require(field.c_str());
  const bool of_receivers = values_.find("tile_id") == none && values_.find("receiver_id") != none;
  transmitter_id_ = values_.require("transmitter_id");
  target_id_ = values_.require(of_receivers ? "receiver_id" : "tile_id");
  path_loss_ = values_.require("path_loss_db");
  if (of_receivers) {
    height_ = values_.require("height_m");
  } else {
    kind_ = values_.require("kind");
  }
  basic_loss_ = values_.find("basic_loss_db");
  received_power_ = values_.find("received_power_dbm");
  field_ = values_.find("field_dbuvm");
  first_delay_ = values_.find("first_delay_ns");
  mean_delay_ = values_.find("mean_delay_ns");
  arrival_azimuth_ = values_.find("arrival_azimuth_deg");
  arrival_elevation_ = values_.find("arrival_elevation_deg");
  line_of_sight_ = values_.find("line_of_sight");
  receiver_gain_ = values_.find("receiver_gain_dbi");
  ignore_others(file.rows());
  values_.refuse_texts_among_numbers(file.dataset(), numbers(), file.filter());
  file.session().forget();  // a layer that SQL cannot ask is read without
}

std::vector<int> TargetFields::numbers() const {
  return {transmitter_id_, target_id_,       path_loss_,         basic_loss_,    received_power_, field_, first_delay_,
          mean_delay_,     arrival_azimuth_, arrival_elevation_, line_of_sight_, receiver_gain_,  height_};
}

// Reading all of them would take twice as long.
void TargetFields::ignore_others(OGRLayer& layer) const {
  std::vector<int> used = numbers();
  used.push_back(kind_);
  std::vector<const char*> ignored;
  const OGRFeatureDefn& defn = *layer.GetLayerDefn();
  for (int i = 0; i < defn.GetFieldCount(); ++i) {
    if (std::find(used.begin(), used.end(), i) == used.end()) ignored.push_back(defn.GetFieldDefn(i)->GetNameRef());
  }
  ignored.push_back(nullptr);
  layer.SetIgnoredFields(ignored.data());
}

TargetKey TargetFields::key_of(const OGRFeature& row) const {
  return {.transmitter_id = values_.required_integer(row, transmitter_id_),
          .tile_id = values_.required_integer(row, target_id_)};
}

PredictedTarget TargetFields::identity_of(const OGRFeature& row) const {
  const TargetKey key = key_of(row);
  PredictedTarget target;
  target.transmitter_id = key.transmitter_id;
  target.tile_id = key.tile_id;
  if (kind_ != none) target.kind = required_kind(row);
  return target;
}

SurfaceKind TargetFields::required_kind(const OGRFeature& row) const {
  const std::string text = values_.text(row, kind_);
  if (const std::optional<SurfaceKind> kind = kind_of(text)) return *kind;
  values_.fail("bad_value", "\"" + text + "\" is none of ground, wall and roof", kind_, row.GetFID());
}

void TargetFields::read_quantities(const OGRFeature& row, PredictedTarget& target) const {
  if (height_ != none) target.height_m = values_.required_number(row, height_);
  target.path_loss_db = values_.number(row, path_loss_);
  target.basic_loss_db = values_.number(row, basic_loss_);
  target.received_power_dbm = values_.number(row, received_power_);
  if (received_power_ != none) require_both_or_neither(row, target);
  target.field_dbuvm = values_.number(row, field_);
  if (receiver_gain_ != none) target.receiver_gain_dbi = values_.required_number(row, receiver_gain_);
  target.first_delay_ns = values_.number(row, first_delay_);
  target.mean_delay_ns = values_.number(row, mean_delay_);
  target.arrival_azimuth_deg = values_.number(row, arrival_azimuth_);
  target.arrival_elevation_deg = values_.number(row, arrival_elevation_);
  if (line_of_sight_ != none) target.line_of_sight = values_.required_number(row, line_of_sight_) != 0;
}

// Where nothing arrives both are NULL.
void TargetFields::require_both_or_neither(const OGRFeature& row, const PredictedTarget& target) const {
  if (std::isnan(target.path_loss_db) == std::isnan(target.received_power_dbm)) return;
  const bool has_loss = !std::isnan(target.path_loss_db);
  values_.fail("bad_value",
               std::string("NULL stands where ") + (has_loss ? "path_loss_db" : "received_power_dbm") + " is a number",
               has_loss ? received_power_ : path_loss_, row.GetFID());
}

void TargetFields::refuse_repeated(const TargetKey& key, std::optional<std::int64_t> second) const {
  values_.fail("repeated_target",
               "transmitter " + std::to_string(key.transmitter_id) + " has two rows of " +
                   (are_of_receivers() ? "receiver " : "tile ") + std::to_string(key.tile_id) +
                   ", as where predictions were put together",
               target_id_, second);
}

}  // namespace tesseray
