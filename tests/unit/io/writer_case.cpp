// SPDX-License-Identifier: GPL-3.0-or-later
#include "writer_case.h"

#include <cpl_conv.h>
#include <ogr_spatialref.h>

#include <algorithm>
#include <cmath>

#include "core/base/progress.h"

namespace tesseray::testing {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tile tile(std::int64_t id, SurfaceKind kind, Vec3 centroid, Vec3 half_u, Vec3 half_v) {
  Tile t;
  t.id = id;
  t.kind = kind;
  t.centroid = centroid;
  t.half_u = half_u;
  t.half_v = half_v;
  t.normal = normalized(cross(half_u, half_v));
  return t;
}

TargetPrediction reached(float step) {
  TargetPrediction p;
  p.path_loss_db = 100.1f + step;
  p.basic_loss_db = 102.2f + step;
  p.received_power_dbm = -60.3f - step;
  p.field_dbuvm = 55.4f - step;
  p.first_delay_ns = 333.5f + step;
  p.mean_delay_ns = 350.6f + step;
  p.delay_spread_ns = 20.7f + step;
  p.angle_spread_deg = 12.8f + step;
  p.arrival_azimuth_deg = 123.9f + step;
  p.ray_count = 7 + static_cast<std::uint32_t>(step);
  p.mechanism = Mechanism::diffraction;
  p.line_of_sight = step > 1;
  p.in_near_field = step > 2;
  return p;
}

std::vector<Tile> hand_made_tiles() {
  std::vector<Tile> tiles = {
      tile(11, SurfaceKind::ground, {5, 5, 200.25}, {5, 0, 0.5}, {0, 5, -0.25}),
      tile(12, SurfaceKind::ground, {15, 5, 201}, {5, 0, 0}, {0, 5, 0}),
      tile(21, SurfaceKind::wall, {20, 30, 205}, {5, 0, 0}, {0, 0, 4}),
      tile(31, SurfaceKind::roof, {25, 35, 212.5}, {4, 1, 0}, {-1, 4, 0}),
  };
  tiles[2].prism = 0;
  tiles[2].material = 1;
  tiles[3].prism = 2;
  return tiles;
}

void add_prediction(WriterCase& c, std::int64_t transmitter_id) {
  TransmitterPrediction prediction;
  prediction.transmitter_id = transmitter_id;
  for (std::size_t i = 0; i < c.tiling.tiles.size(); ++i) {
    const bool out_of_reach = i == 1;
    prediction.tiles.push_back(out_of_reach ? TargetPrediction{} : reached(static_cast<float>(i)));
  }
  for (std::size_t i = 0; i < c.receivers.size(); ++i) prediction.receivers.push_back(reached(0.5f));
  Ray ray;
  ray.transmitter_id = transmitter_id;
  ray.target_id = 501;
  ray.interactions = "T-R-D-G";
  ray.points = {{1, 2, 230}, {20, 30, 210}, {40.5, 41.5, 201.5}};
  ray.power_dbm = -77.25;
  ray.delay_ns = 234.5;
  ray.phase_deg = -90;
  prediction.rays = {ray};
  c.predictions.push_back(prediction);
}

}  // namespace

std::string wkt_of(const std::string& crs) {
  if (crs.empty()) return "";
  OGRSpatialReference reference;
  reference.SetFromUserInput(crs.c_str());
  const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
  char* text = nullptr;
  reference.exportToWkt(&text, options);
  std::string wkt = text;
  CPLFree(text);
  return wkt;
}

WriterCase::WriterCase(const std::string& crs) {
  scene.frame = {{1797 * 1024.0, 5050 * 1024.0}, wkt_of(crs), crs.empty() ? "local metres" : crs};
  scene.extent = {{-12.5, 0}, {100.0009765625, 90}};
  scene.terrain = {.south_west = {-20, -30.5}, .step_x = 12.5, .step_y = 25, .columns = 11, .rows = 7, .height_m = {}};
  for (int i = 0; i < 11 * 7; ++i)
    scene.terrain.height_m.push_back(200.1f + 3.3f * std::sin(0.7f * static_cast<float>(i)));
  // The last first point is not the lowest one, and the courtyard begins elsewhere: order and start must stay.
  Prism block{.building_id = 7, .source_feature = 70, .part = 0, .rings = {}, .bottom_z = 198.5, .top_z = 215.125};
  block.rings = {{{60, 60}, {10, 60}, {10, 10}, {60, 10.0009765625}}, {{40, 20}, {20, 20}, {20, 40}, {40, 40}}};
  block.material = 1;
  Prism podium{.building_id = 9, .source_feature = 90, .part = 0, .rings = {}, .bottom_z = 199, .top_z = 205};
  podium.rings = {{{70, 10}, {90, 10}, {90, 30}, {70, 30}}};
  Prism tower = podium;
  tower.part = 1;
  tower.bottom_z = 205;
  tower.top_z = 240.5;
  tower.on_ground = false;
  tower.rings = {{{80, 12}, {88, 20}, {80, 28}, {72, 20}}};
  scene.prisms = {block, podium, tower};
  scene.vegetation = {
      {5, {{{0, 70}, {30, 70}, {30, 85}, {0, 85}}, {{10, 75}, {10, 80}, {20, 80}, {20, 75}}}, 199.25, 208}};
  scene.materials.push_back({"Ziegel „rot“", 3.75, 0, 0.038, 0.1 + 0.2});
  tiling.options.tile_area_m2 = 80.1;
  tiling.tiles = hand_made_tiles();
  EdgeSegment edge;
  edge.id = 41;
  edge.midpoint = {20, 30, 209};
  edge.direction = {1, 0, 0};
  edge.length_m = 10;
  edge.wedge_angle = 1.5 * 3.14159265358979323846;
  edge.tile_a = 2;
  edge.prism = 0;
  tiling.edges = {edge};
  visible_tiles = {3, 1, 0, 2};
  Issue whole_layer;
  whole_layer.code = "missing_height";
  whole_layer.message = "12 of 300 buildings have no height; 9 m assumed";
  whole_layer.layer = "bâtiments";
  Issue sliver{Issue::Action::dropped, "sliver", "footprint of 0.1 m²", "bâtiments", 12, {{{1, 1}, {2, 1}, {1, 1.5}}}};
  Issue place{Issue::Action::repaired, "duplicate_point", "removed", "bâtiments", 13, {{{3, 4}}}};
  issues = {whole_layer, sliver, place};
  Transmitter a;
  a.transmitter_id = 1;
  a.name = "Tête d'Or";
  a.position = {1, 2, 230};
  a.height_above_ground_m = 30;
  a.frequency_hz = 947.4e6;
  a.erp_dbm = 56.2;
  a.antenna = AntennaKind::sector_3gpp;
  a.azimuth_deg = 120;
  a.downtilt_deg = 4;
  a.polarization = Polarization::slant_plus_45;
  Transmitter b = a;
  b.transmitter_id = 2;
  b.name = "B";
  b.frequency_hz = 3550e6;
  b.position = {50, 60, 225};
  transmitters = {a, b};
  receivers = {{501, {40.5, 41.5, 201.5}, 1.5}, {502, {42.5, 41.5, 201.75}, 1.75}};
  add_prediction(*this, 1);
  add_prediction(*this, 2);
  MeasurementError used;
  used.transmitter_id = 1;
  used.measurement_id = 900;
  used.position = {5.5, 5.25, 201.75};
  used.measured = -80.5;
  used.predicted = -77;
  used.error = 3.5;
  used.distance_m = 33;
  used.line_of_sight = true;
  used.tile_id = 11;
  used.snap_distance_m = 0.75;
  MeasurementError excluded;
  excluded.transmitter_id = 1;
  excluded.measurement_id = 901;
  excluded.position = {nan, nan, nan};
  excluded.measured = nan;
  excluded.excluded_because = "no readable value";
  comparison.errors = {used, excluded};
  ErrorStatistics all;
  all.group = "all";
  all.n = 1;
  all.mean = 3.5;
  all.deviation = nan;
  comparison.statistics = {all};
}

void WriterCase::add_results(ResultWriter& writer, const std::filesystem::path& file) const {
  writer.add_tiles({file, "tiles"}, scene, tiling, visible_tiles);
  writer.add_edges({file, "edges"}, scene, tiling);
  writer.add_transmitters({file, "transmitters"}, transmitters);
  writer.add_path_loss({file, "path_loss"}, scene, tiling, predictions, {});
  writer.add_receiver_path_loss({file, "receiver_path_loss"}, receivers, predictions);
  writer.add_prediction_error({file, "prediction_error"}, comparison);
  writer.add_error_statistics({file, "error_statistics"}, comparison);
  writer.add_rays({file, "rays"}, predictions);
  writer.add_issues({file, "issues"}, issues);
}

std::string WriterCase::write(const std::filesystem::path& file, bool overwrite) const {
  ResultWriter writer(scene.frame, overwrite);
  add_results(writer, file);
  return writer.commit(test_run(), no_progress());
}

WriterCase large_case(std::uint32_t columns, std::uint32_t rows) {
  WriterCase c;
  c.tiling.tiles.clear();
  c.tiling.edges.clear();
  c.visible_tiles.assign(std::size_t{columns} * rows, 5);
  c.predictions.pop_back();
  c.predictions[0].tiles.clear();
  for (std::uint32_t i = 0; i < columns * rows; ++i) {
    const Vec3 centroid{10.0 * (i % columns), 10.0 * (i / columns), 200 + std::sin(0.1 * i)};
    c.tiling.tiles.push_back(tile(1000 + i, SurfaceKind::ground, centroid, {5, 0, 0}, {0, 5, 0}));
    c.predictions[0].tiles.push_back(reached(static_cast<float>(i % 97)));
  }
  return c;
}

RunRecord test_run() {
  RunRecord run;
  run.tool = "predictcoverage";
  run.version = "0.1.0";
  run.git_commit = "abc123";
  run.parameters_json = R"({"MAX_BOUNCES":3})";
  run.inputs = {{"/data/\"rue\" é.gpkg", 12345, "00ff"}};
  run.crs = "EPSG:3946";
  run.device = "cpu";
  run.seconds_per_stage = {{"tiling", 0.5}, {"propagation", 1.25}};
  run.peak_memory_bytes = 987654321;
  run.failed_transmitters = {{"B", "outside"}};
  return run;
}

Sql::Sql(const std::filesystem::path& file) {
  sqlite3_open_v2(file.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
  sqlite3_exec(handle_, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
}
Sql::~Sql() { sqlite3_close(handle_); }

std::vector<std::vector<std::string>> Sql::rows(const std::string& sql) {
  std::vector<std::vector<std::string>> rows;
  char* message = nullptr;
  const auto take = [](void* to, int count, char** values, char**) {
    auto& row = static_cast<std::vector<std::vector<std::string>>*>(to)->emplace_back();
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "NULL");
    return 0;
  };
  if (sqlite3_exec(handle_, sql.c_str(), take, &rows, &message) != SQLITE_OK) rows = {{std::string(message)}};
  sqlite3_free(message);
  return rows;
}

std::string Sql::value(const std::string& sql) {
  const auto all = rows(sql);
  return all.empty() ? "no row" : all[0][0];
}

std::vector<std::string> Sql::column(const std::string& sql) {
  std::vector<std::string> values;
  for (const auto& row : rows(sql)) values.push_back(row[0]);
  return values;
}

bool Sql::load_spatialite() {
  sqlite3_enable_load_extension(handle_, 1);
  return sqlite3_load_extension(handle_, "mod_spatialite", nullptr, nullptr) == SQLITE_OK;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tesseray::testing
