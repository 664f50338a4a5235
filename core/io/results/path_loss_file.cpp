// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/listed.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/layer_filter.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_file.h"
#include "core/io/sources/vector_source.h"

namespace tesseray {

namespace {

constexpr char default_layer[] = "path_loss";
constexpr char transmitters_table[] = "transmitters";
// By which such layers are known, whatever they are called.
constexpr std::array path_loss_fields = {"transmitter_id", "path_loss_db"};
constexpr std::array transmitters_fields = {"transmitter_id", "name", "frequency_mhz"};
// Of best servers, which have the fields of path losses, too, but of each place the row of one transmitter alone.
constexpr char best_server_field[] = "second_transmitter_id";

bool has_field(OGRLayer& layer, const char* field) { return layer.GetLayerDefn()->GetFieldIndex(field) >= 0; }

bool has_fields(OGRLayer& layer, std::span<const char* const> fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const char* field) { return has_field(layer, field); });
}

bool is_of_transmitters(OGRLayer& layer) { return has_fields(layer, transmitters_fields); }

}  // namespace

bool is_path_loss(OGRLayer& layer) {
  return has_fields(layer, path_loss_fields) && !has_field(layer, best_server_field);
}

PathLossFile::PathLossFile(const SourceName& source) : source_(source) {
  require_file(source_.dataset, "PATH_LOSS");
  dataset_.reset(GDALDataset::Open(source_.dataset.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
  session_.refuse_locked(source_.dataset);
  if (!dataset_) {
    const std::string why = reason();
    if (is_raster(source_.dataset)) fail("not_a_vector_layer", "this is a raster, not a vector layer");
    fail("cannot_open", "the file cannot be opened" + (why.empty() ? "" : " (" + why + ")"));
  }
  rows_ = find_rows();
  if (rows_ == nullptr) fail("no_layer", std::string("the file has no layer ") + default_layer);
  refuse_best_servers();
  set_filter(*rows_, source_, session_, place());
  transmitters_ = find_transmitters();
}

OGRLayer* PathLossFile::find_rows() {
  if (OGRLayer* named = named_layer(*dataset_, source_)) return named;
  if (OGRLayer* usual = dataset_->GetLayerByName(default_layer)) return usual;
  return only_layer(is_path_loss);
}

// The layer that the path loss's own run wrote into the file, whatever its name is; else that of the usual name, or the
// only one of its kind, as in files that QGIS has packed, under names of its own and without the runs.
OGRLayer* PathLossFile::find_transmitters() {
  for (const std::string& name : runs().layers_of_last_run()) {
    OGRLayer* layer = dataset_->GetLayerByName(name.c_str());
    if (layer != nullptr && is_of_transmitters(*layer)) return layer;
  }
  OGRLayer* usual = dataset_->GetLayerByName(transmitters_table);
  return usual != nullptr ? usual : only_layer(is_of_transmitters);
}

// Nothing where several layers of the file are so.
OGRLayer* PathLossFile::only_layer(bool (*is_wanted)(OGRLayer& layer)) {
  OGRLayer* found = nullptr;
  for (OGRLayer* layer : dataset_->GetLayers()) {
    if (!is_wanted(*layer)) continue;
    if (found != nullptr) return nullptr;
    found = layer;
  }
  return found;
}

// Of the others at a place they tell nothing: interference, and what one of them covers alone, would come out wrong.
void PathLossFile::refuse_best_servers() {
  if (!has_field(*rows_, best_server_field)) return;
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

PathLossNames PathLossFile::names() const {
  return {rows_->GetName(), transmitters_ != nullptr ? transmitters_->GetName() : ""};
}

PathLossSize PathLossFile::size() const {
  const auto count_of = [](OGRLayer* layer) {
    return layer == nullptr ? 0 : static_cast<std::uint64_t>(std::max<GIntBig>(layer->GetFeatureCount(), 0));
  };
  return {count_of(rows_), count_of(transmitters_)};
}

std::string PathLossFile::name() const { return without_password(source_.dataset); }

std::string PathLossFile::reason() const { return without_passwords_of(source_.dataset, session_.last_failure()); }

ErrorPlace PathLossFile::place() const { return {.file = name(), .layer = rows_ != nullptr ? rows_->GetName() : ""}; }

ErrorPlace PathLossFile::place_of(const OGRFeature& feature, OGRLayer& layer) const {
  return {.file = name(), .layer = layer.GetName(), .field = {}, .feature_id = feature.GetFID()};
}

void PathLossFile::fail(const std::string& code, const std::string& message) const {
  throw Error(ErrorKind::invalid_input, code, message, path_loss_hint, place());
}

void PathLossFile::refuse_failed_reading() const {
  if (session_.last_failure().empty()) return;
  session_.refuse_locked_meanwhile(source_.dataset);
  fail("cannot_read", "the layer cannot be read (" + reason() + ")");
}

}  // namespace tesseray
