// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the layers of one run to GeoPackages (or SpatiaLite, for a name ending in .sqlite).
//
// Layers are added first and written by commit(): a new file is written beside its target and renamed when complete;
// layers for an existing file are one SQLite transaction in it. Each file gets a row in tesseray_runs, default styles
// in layer_styles, units and descriptions in gpkg_data_columns. Rows are written in a fixed order; the result hash is
// over them and not over times or file timestamps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/comparison/comparison.h"
#include "core/io/antennas/antenna_file.h"
#include "core/io/results/path_loss_layer.h"
#include "core/prediction/best_server.h"
#include "core/prediction/district_coverage.h"
#include "core/prediction/explanation.h"
#include "core/prediction/fingerprints.h"
#include "core/prediction/prediction.h"
#include "core/scene/scene.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// "x.gpkg|layername=tiles", or "x.gpkg" with the layer's default name.
struct LayerDestination {
  std::filesystem::path file;
  std::string layer;
};
LayerDestination parse_layer_destination(const std::string& text, const std::string& default_layer);

enum class TargetGeometry { polygon, point, none };

struct PathLossLayout {
  std::vector<SurfaceKind> kinds = {SurfaceKind::ground, SurfaceKind::wall, SurfaceKind::roof};
  bool reached_only = false;
  TargetGeometry geometry = TargetGeometry::polygon;
};

// What rays belong to: the path losses of the same run, or nothing else, as those found by images.
enum class RaysOf { path_losses, images };

// One row of tesseray_runs. Status per transmitter goes in `failed_transmitters`.
struct RunRecord {
  std::string tool, version, git_commit;
  std::string parameters_json;
  struct Input {
    std::string path;
    std::uint64_t bytes = 0;
    std::string hash;
    std::string absolute_path = {};  // where a relative path of a file leads; else empty
    std::string copy_of = {};        // what a front end copied to the path; empty: nothing
  };
  std::vector<Input> inputs;
  std::string crs, device;
  std::vector<std::pair<std::string, double>> seconds_per_stage;
  std::uint64_t peak_memory_bytes = 0;
  std::vector<std::pair<std::string, std::string>> failed_transmitters;  // name, message
};

// Throws Error(invalid_input) when the folder that `file` is to be in is not there or cannot be written.
void require_writable_folder(const std::filesystem::path& file);
// Throws Error(invalid_input) when `file` is there and its permissions keep it as it is.
void require_replaceable(const std::filesystem::path& file);
// Throws Error(invalid_input) when `file` is a database that another program is writing to, after a short wait.
void require_unlocked(const std::filesystem::path& file);

// What the layers about districts tell.
struct DistrictReport {
  std::vector<District> districts;
  std::vector<PredictedTransmitter> transmitters;
  std::vector<double> thresholds_dbm;
  CoverageByDistrict coverage;
  bool has_inhabitants = false;         // they were given, be it for no district with a number
  bool inhabitants_are_placed = false;  // by district_inhabitants.h, not spread evenly
};

class ResultWriter {
 public:
  // `overwrite`: existing layers of earlier runs (and an existing file that is no GeoPackage) may be replaced;
  // otherwise they are an Error(invalid_input) at the time they are added, and so are layers of others.
  ResultWriter(const LocalFrame& frame, bool overwrite);
  ~ResultWriter();

  // The environment's own layers: buildings, terrain, vegetation, tiles, edges, issues and its metadata. Always a
  // file of its own.
  void add_environment(const std::filesystem::path& file, const Scene& scene, const Tiling& tiling,
                       const std::vector<Issue>& issues);
  // `visible_tiles`: one count per tile, or empty for NULL.
  void add_tiles(const LayerDestination& destination, const Scene& scene, const Tiling& tiling,
                 std::span<const std::uint32_t> visible_tiles);
  void add_edges(const LayerDestination& destination, const Scene& scene, const Tiling& tiling);
  void add_issues(const LayerDestination& destination, const std::vector<Issue>& issues);
  void add_transmitters(const LayerDestination& destination, const std::vector<Transmitter>& transmitters);
  void add_path_loss(const LayerDestination& destination, const Scene& scene, const Tiling& tiling,
                     std::span<const TransmitterPrediction> predictions, const PathLossLayout& layout);
  void add_receiver_path_loss(const LayerDestination& destination, const std::vector<Receiver>& receivers,
                              std::span<const TransmitterPrediction> predictions);
  void add_rays(const LayerDestination& destination, std::span<const TransmitterPrediction> predictions,
                RaysOf of = RaysOf::path_losses);
  void add_explained_rays(const LayerDestination& destination, const PointExplanation& explanation);
  void add_power_delay_profile(const LayerDestination& destination, const PointExplanation& explanation);
  void add_prediction_error(const LayerDestination& destination, const Comparison& comparison);
  void add_error_statistics(const LayerDestination& destination, const Comparison& comparison);
  void add_visible_tiles(const LayerDestination& destination, const Scene& scene, const Tiling& tiling, Vec3 viewpoint,
                         std::span<const std::uint32_t> visible);
  void add_best_servers(const LayerDestination& destination, const PathLossLayer& path_loss,
                        const std::vector<ServedPlace>& places);
  void add_district_coverage(const LayerDestination& destination, const DistrictReport& report);
  void add_district_transmitters(const LayerDestination& destination, const DistrictReport& report);
  void add_fingerprints(const LayerDestination& destination, const PathLossLayer& path_loss,
                        const Fingerprints& fingerprints);
  void add_located(const LayerDestination& destination, const PathLossLayer& path_loss,
                   const Fingerprints& fingerprints, const std::vector<LocatedQuery>& located);
  void add_antenna_pattern(const LayerDestination& destination, const AntennaFile& antenna);

  // Writes everything; what was added must live until then. Returns the result hash (hexadecimal). On any error or
  // cancel the targets are as they were, and Error(resources) says when the disk was full. Only where the very end of
  // one file fails, after all of them were found ready (a transaction for which the disk is full now, or another
  // program's file that comes in this moment), those of several files that were done before it stay.
  std::string commit(const RunRecord& run, Progress& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesseray
