// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/result_writer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/staged_file.h"
#include "core/io/results/existing_database.h"
#include "core/io/results/geopackage_file.h"
#include "core/io/results/grid_coverage.h"
#include "core/io/results/output_database.h"
#include "core/io/results/result_layers.h"
#include "core/io/results/spatialite_file.h"
#include "core/io/results/sqlite_database.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_name.h"
#include "core/io/sources/write_ahead_log.h"

namespace tesseray {

namespace {

void require_known_extension(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".gpkg" || extension == ".sqlite") return;
  throw Error(ErrorKind::invalid_input, "unsupported_format",
              extension.empty() ? "the output has no file extension"
                                : "outputs cannot be written as " + without_password(extension),
              "name a GeoPackage (.gpkg) or a SpatiaLite database (.sqlite)",
              {.file = without_password(file.string())});
}

// `name` in lower case. As SpatiaLite makes them with a database, and with layers' spatial indexes.
bool is_spatialite_table(const std::string& name) {
  constexpr std::array tables{"data_licenses", "elementarygeometries", "geom_cols_ref_sys", "knn",
                              "knn2",          "sql_statements_log",   "spatialindex",      "layer_statistics"};
  constexpr std::array beginnings{"geometry_columns",
                                  "views_geometry_columns",
                                  "virts_geometry_columns",
                                  "views_layer_statistics",
                                  "virts_layer_statistics",
                                  "vector_layers",
                                  "vector_coverages",
                                  "raster_coverages",
                                  "spatial_ref_sys",
                                  "spatialite_",
                                  "idx_"};
  return std::find(tables.begin(), tables.end(), name) != tables.end() ||
         std::any_of(beginnings.begin(), beginnings.end(),
                     [&name](const char* beginning) { return name.starts_with(beginning); });
}

void require_usable_name(const LayerDestination& destination) {
  const std::string name = lower_case(trimmed(destination.layer));
  if (is_spatialite(destination.file) && name.find_first_of("'\"") != std::string::npos) {
    throw Error(ErrorKind::invalid_input, "bad_layer_name",
                "the layer name " + destination.layer + " has a quotation mark, which SpatiaLite cannot cope with",
                "give another name (file.sqlite|layername=…), or write a GeoPackage (.gpkg)",
                {.file = destination.file.string()});
  }
  const bool reserved = name.starts_with("gpkg_") || name.starts_with("sqlite_") || name.starts_with("rtree_") ||
                        name == "layer_styles" || name.starts_with("tesseray_") || name == "ogr_empty_table" ||
                        (is_spatialite(destination.file) && is_spatialite_table(name));
  if (!name.empty() && !reserved) return;
  throw Error(ErrorKind::invalid_input, "bad_layer_name",
              name.empty() ? "the layer name is empty" : "the layer name '" + destination.layer + "' is reserved",
              "give another name (file.gpkg|layername=…)", {.file = destination.file.string()});
}

// What the layer's rows take at least: to refuse before the work what cannot fit.
std::uintmax_t least_bytes(const Layer& layer) {
  std::uintmax_t per_row = 8 + 2 * layer.columns.size();
  switch (layer.geometry) {
    case LayerGeometry::none:
    case LayerGeometry::geometry:
      break;
    case LayerGeometry::point_z:
      per_row += 60;
      break;
    case LayerGeometry::line_string_z:
      per_row += 120;
      break;
    case LayerGeometry::polygon_z:
    case LayerGeometry::multi_polygon:
      per_row += 190;
      break;
  }
  return per_row * layer.row_count;
}

}  // namespace

void require_writable_folder(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::absolute(file, failed).parent_path();
  const ErrorPlace place{.file = without_password(file.string())};
  if (!std::filesystem::is_directory(folder, failed)) {
    throw Error(ErrorKind::invalid_input, "no_such_folder", "there is no folder " + without_password(folder.string()),
                "make it, or write elsewhere", place);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(ErrorKind::invalid_input, "folder_not_writable",
                "the folder " + folder.string() + " cannot be written to", "write elsewhere", place);
  }
}

void require_replaceable(const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed) && access(file.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::invalid_input, "cannot_write", "the output exists and cannot be written",
                "check its permissions, or name another file", {.file = file.string()});
  }
}

void require_unlocked(const std::filesystem::path& file) {
  if (!is_database(file)) return;
  SqliteDatabase database(file, SqliteDatabase::Access::shared);
  database.execute("BEGIN IMMEDIATE; ROLLBACK");
}

LayerDestination parse_layer_destination(const std::string& text, const std::string& default_layer) {
  const SourceParts parts = parts_of_source(text);
  LayerDestination destination{parts.dataset, default_layer};
  if (!parts.options.empty()) {
    const auto& [key, value] = parts.options.front();
    if (key != "layername" || parts.options.size() > 1) {
      throw Error(ErrorKind::invalid_input, "bad_destination", "the output '" + text + "' is not understood",
                  "write file.gpkg or file.gpkg|layername=NAME");
    }
    destination.layer = value;
  }
  if (destination.file.empty()) {
    throw Error(ErrorKind::invalid_input, "bad_destination", "an output names no file",
                "write file.gpkg or file.gpkg|layername=NAME");
  }
  require_known_extension(destination.file);
  require_usable_name(destination);
  return destination;
}

struct ResultWriter::Impl {
  struct Target {
    std::filesystem::path file;
    bool replaced = false;  // a new file in place of what may be replaced
    Replaceable replaceable = Replaceable::nothing;
    std::vector<unsigned char> start;  // what a new file begins with
    WrittenLayers layers;
    std::unique_ptr<OutputDatabase> database;  // while committing
  };
  struct Planned {
    std::size_t target = 0;
    Layer layer;
  };

  LocalFrame frame;
  bool overwrite = false;
  std::vector<Target> targets;
  std::vector<Planned> layers;

  std::size_t target_for(const std::filesystem::path& file);
  void plan(const std::filesystem::path& file, Layer layer);
  void add(const LayerDestination& destination, Layer layer);
  void require_space() const;
  void open_targets();
  std::string commit(const RunRecord& run, Progress& progress);
  void warn_of_unfinished_changes(Progress& progress) const;
};

std::size_t ResultWriter::Impl::target_for(const std::filesystem::path& file) {
  require_known_extension(file);
  const std::filesystem::path path = resolved(file);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].file == path) return i;
  }
  require_writable_folder(path);
  require_replaceable(path);
  Target target;
  target.file = path;
  // Before the content is looked at: what comes between the two looks is not replaced.
  target.replaceable = replaceable_at(path);
  const FileContent content = content_of(path);
  const FileContent wanted = is_spatialite(path) ? FileContent::sqlite : FileContent::geopackage;
  if (content != FileContent::absent && content != wanted && !overwrite) {
    throw Error(
        ErrorKind::invalid_input, "not_a_geopackage",
        std::string("the output exists and is no ") + (is_spatialite(path) ? "SpatiaLite database" : "GeoPackage"),
        "name another file, or use --overwrite to replace it", {.file = path.string()});
  }
  target.replaced = content != wanted;
  targets.push_back(std::move(target));
  return targets.size() - 1;
}

// Layers of one name in one file are an error, whatever the file holds already.
void ResultWriter::Impl::plan(const std::filesystem::path& file, Layer layer) {
  const std::size_t index = target_for(file);
  Target& target = targets[index];
  const auto same = [&](const std::string& name) { return lower_case(name) == lower_case(layer.name); };
  WrittenLayers& written = target.layers;
  if (std::any_of(written.names.begin(), written.names.end(), same)) {
    throw Error(ErrorKind::invalid_input, "same_destination", "two outputs name the same layer",
                "give one of them another layer name (file.gpkg|layername=…) or another file",
                {.file = file.string(), .layer = layer.name});
  }
  written.names.push_back(layer.name);
  if (layer.made_from_predictions) written.made_from_predictions.push_back(layer.name);
  layers.push_back({index, std::move(layer)});
}

void ResultWriter::Impl::add(const LayerDestination& destination, Layer layer) {
  require_usable_name(destination);
  const Target& target = targets[target_for(destination.file)];
  if (!target.replaced && has_layer(target.file, destination.layer)) {
    if (!overwrite) throw_layer_exists(destination.file, destination.layer);
    if (is_of_others(target.file, destination.layer)) throw_layer_of_others(destination.file, destination.layer);
  }
  plan(destination.file, std::move(layer));
}

void ResultWriter::Impl::require_space() const {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::uintmax_t needed = targets[i].start.size();
    for (const Planned& planned : layers) needed += planned.target == i ? least_bytes(planned.layer) : 0;
    std::error_code failed;
    const std::filesystem::space_info space = std::filesystem::space(targets[i].file.parent_path(), failed);
    if (failed || needed <= space.available) continue;
    throw Error(ErrorKind::resources, "disk_full",
                "the output takes at least " + size_text(needed) + ", but " + size_text(space.available) +
                    " are free in its folder",
                "free some space, name a file on another disk, or ask for less (fewer layers or rows, larger tiles)",
                {.file = targets[i].file.string()});
  }
}

void ResultWriter::Impl::open_targets() {
  for (Target& target : targets) {
    const FileTarget place{target.file, target.replaceable};
    if (is_spatialite(target.file)) {
      target.database = std::make_unique<SpatialiteFile>(place, frame, !target.replaced, overwrite);
    } else if (target.replaced) {
      target.database = GeoPackageFile::create(place, frame, target.start);
    } else {
      target.database = GeoPackageFile::extend(target.file, frame, overwrite);
    }
  }
}

ResultWriter::ResultWriter(const LocalFrame& frame, bool overwrite) : impl_(std::make_unique<Impl>()) {
  impl_->frame = frame;
  impl_->overwrite = overwrite;
}
ResultWriter::~ResultWriter() = default;

void ResultWriter::add_environment(const std::filesystem::path& file, const Scene& scene, const Tiling& tiling,
                                   const std::vector<Issue>& issues) {
  if (is_spatialite(file)) {
    throw Error(ErrorKind::invalid_input, "unsupported_format",
                "an environment cannot be written as SpatiaLite database", "name a GeoPackage (.gpkg)",
                {.file = file.string()});
  }
  Impl::Target& target = impl_->targets[impl_->target_for(file)];
  if (!target.replaced && !impl_->overwrite) {
    throw Error(ErrorKind::invalid_input, "file_exists", "the environment file exists",
                "use --overwrite to replace it, or name another file", {.file = file.string()});
  }
  target.replaced = true;
  std::vector<GridCoverage> grids{terrain_coverage(scene.terrain, scene.frame.origin)};
  if (!scene.clutter.empty()) grids.push_back(clutter_coverage(scene.clutter, scene.frame.origin));
  for (const GridCoverage& grid : grids) target.layers.names.push_back(grid.table);
  target.start = encode_coverages(grids);
  impl_->plan(file, environment_layer(scene, tiling));
  impl_->plan(file, buildings_layer(scene));
  impl_->plan(file, vegetation_layer(scene));
  impl_->plan(file, materials_layer(scene));
  if (!scene.clutter.empty()) impl_->plan(file, clutter_classes_layer(scene));
  impl_->plan(file, tiles_layer("tiles", scene, tiling, {}));
  impl_->plan(file, edges_layer("edges", scene, tiling));
  impl_->plan(file, issues_layer("issues", scene.frame, issues));
}

void ResultWriter::add_tiles(const LayerDestination& destination, const Scene& scene, const Tiling& tiling,
                             std::span<const std::uint32_t> visible_tiles) {
  impl_->add(destination, tiles_layer(destination.layer, scene, tiling, visible_tiles));
}

void ResultWriter::add_edges(const LayerDestination& destination, const Scene& scene, const Tiling& tiling) {
  impl_->add(destination, edges_layer(destination.layer, scene, tiling));
}

void ResultWriter::add_issues(const LayerDestination& destination, const std::vector<Issue>& issues) {
  impl_->add(destination, issues_layer(destination.layer, impl_->frame, issues));
}

void ResultWriter::add_transmitters(const LayerDestination& destination, const std::vector<Transmitter>& transmitters) {
  impl_->add(destination, transmitters_layer(destination.layer, impl_->frame, transmitters));
}

void ResultWriter::add_path_loss(const LayerDestination& destination, const Scene& scene, const Tiling& tiling,
                                 std::span<const TransmitterPrediction> predictions, const PathLossLayout& layout) {
  impl_->add(destination, path_loss_layer(destination.layer, scene, tiling, predictions, layout));
}

void ResultWriter::add_receiver_path_loss(const LayerDestination& destination, const std::vector<Receiver>& receivers,
                                          std::span<const TransmitterPrediction> predictions) {
  impl_->add(destination, receiver_path_loss_layer(destination.layer, impl_->frame, receivers, predictions));
}

void ResultWriter::add_rays(const LayerDestination& destination, std::span<const TransmitterPrediction> predictions,
                            RaysOf of) {
  impl_->add(destination, rays_layer(destination.layer, impl_->frame, predictions, of));
}

void ResultWriter::add_explained_rays(const LayerDestination& destination, const PointExplanation& explanation) {
  impl_->add(destination, explained_rays_layer(destination.layer, impl_->frame, explanation));
}

void ResultWriter::add_power_delay_profile(const LayerDestination& destination, const PointExplanation& explanation) {
  impl_->add(destination, power_delay_profile_layer(destination.layer, explanation));
}

void ResultWriter::add_prediction_error(const LayerDestination& destination, const Comparison& comparison) {
  impl_->add(destination, prediction_error_layer(destination.layer, impl_->frame, comparison));
}

void ResultWriter::add_error_statistics(const LayerDestination& destination, const Comparison& comparison) {
  impl_->add(destination, error_statistics_layer(destination.layer, comparison));
}

void ResultWriter::add_visible_tiles(const LayerDestination& destination, const Scene& scene, const Tiling& tiling,
                                     Vec3 viewpoint, std::span<const std::uint32_t> visible) {
  impl_->add(destination, visible_tiles_layer(destination.layer, scene, tiling, viewpoint, visible));
}

void ResultWriter::add_best_servers(const LayerDestination& destination, const PathLossLayer& path_loss,
                                    const std::vector<ServedPlace>& places) {
  impl_->add(destination, best_server_layer(destination.layer, path_loss, places));
}

void ResultWriter::add_district_coverage(const LayerDestination& destination, const DistrictReport& report) {
  impl_->add(destination, district_coverage_layer(destination.layer, impl_->frame, report));
}

void ResultWriter::add_district_transmitters(const LayerDestination& destination, const DistrictReport& report) {
  impl_->add(destination, district_transmitters_layer(destination.layer, report));
}

void ResultWriter::add_fingerprints(const LayerDestination& destination, const PathLossLayer& path_loss,
                                    const Fingerprints& fingerprints) {
  impl_->add(destination, fingerprints_layer(destination.layer, path_loss, fingerprints));
}

void ResultWriter::add_located(const LayerDestination& destination, const PathLossLayer& path_loss,
                               const Fingerprints& fingerprints, const std::vector<LocatedQuery>& located) {
  impl_->add(destination, located_layer(destination.layer, path_loss, fingerprints, located));
}

void ResultWriter::add_antenna_pattern(const LayerDestination& destination, const AntennaFile& antenna) {
  impl_->add(destination, antenna_pattern_layer(destination.layer, antenna));
}

std::string ResultWriter::Impl::commit(const RunRecord& run, Progress& progress) {
  progress.begin_stage("writing");
  require_space();
  // Whatever leaves this function before publish() undoes everything by the databases' destructors.
  struct Closing {
    Impl& impl;
    ~Closing() {
      for (Impl::Target& target : impl.targets) target.database.reset();
    }
  } closing{*this};
  open_targets();

  RowProgress rows{progress};
  for (const Impl::Planned& planned : layers) rows.expect(planned.layer);
  rows.total += RowProgress::of_rows(targets.size());  // the run's own row in each
  ResultHash hash;
  for (const Impl::Planned& planned : layers) {
    hash.add(write_layer(*targets[planned.target].database, planned.layer, rows));
  }
  std::string result_hash = hash.hexadecimal();
  for (Impl::Target& target : targets) {
    write_layer(*target.database, runs_layer(run, target.layers, result_hash), rows);
  }
  for (Impl::Target& target : targets) target.database->prepare();
  progress.throw_if_cancelled();
  for (Impl::Target& target : targets) target.database->require_publishable();
  // Transactions first: unlike a rename, their end can still fail for want of space.
  for (const bool replaced : {false, true}) {
    for (Impl::Target& target : targets) {
      if (target.replaced == replaced) target.database->publish();
    }
  }
  return result_hash;
}

// A full disk may leave no room even to take back what was begun in a file.
void ResultWriter::Impl::warn_of_unfinished_changes(Progress& progress) const {
  for (const Target& target : targets) {
    const std::string journal = target.file.string() + "-journal";
    if (target.replaced || !holds_changes(journal)) continue;
    progress.warn({"unfinished_changes",
                   journal + ": what was begun in " + target.file.filename().string() +
                       " could not be taken back yet; keep the two together: whoever opens the file next does that by "
                       "this journal, without which the file is damaged"});
  }
}

std::string ResultWriter::commit(const RunRecord& run, Progress& progress) {
  try {
    return impl_->commit(run, progress);
  } catch (const Error&) {
    impl_->warn_of_unfinished_changes(progress);
    throw;
  }
}

}  // namespace tesseray
