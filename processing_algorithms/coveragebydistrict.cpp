// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/io/results/result_writer.h"
#include "core/io/sources/text_values.h"
#include "core/prediction/district_coverage.h"
#include "core/scene/ground_plan/polygon.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/stages/issue_warnings.h"
#include "processing_algorithms/stages/path_loss_input.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_threshold_dbm = -300, greatest_threshold_dbm = 100;
constexpr std::size_t most_thresholds = 20;
// Of pairs that overlap; where districts lie on top of each other there are as many as districts squared.
constexpr std::size_t most_pairs_counted = 1000;

Error bad_threshold(const std::string& message) {
  return {ErrorKind::invalid_input, "bad_threshold", "THRESHOLDS: " + message,
          "write received powers in dBm with commas between them, as in \"-85,-95,-105\""};
}

std::vector<double> thresholds_in(const std::string& text) {
  std::vector<double> thresholds_dbm;
  for (const std::string& part : split(text, ',')) {
    const std::optional<double> threshold_dbm = parse_number(trimmed(part));
    if (!threshold_dbm || *threshold_dbm < least_threshold_dbm || *threshold_dbm > greatest_threshold_dbm) {
      throw bad_threshold("\"" + std::string(trimmed(part)) + "\" is no number from " + shortest(least_threshold_dbm) +
                          " to " + shortest(greatest_threshold_dbm));
    }
    const bool is_digits_alone = trimmed(part).find_first_not_of("0123456789") == std::string_view::npos;
    if (is_digits_alone && !thresholds_dbm.empty() && thresholds_dbm.back() < 0) {
      const std::string before = shortest(thresholds_dbm.back()), digits(trimmed(part));
      throw bad_threshold("\"" + before + "," + digits + "\" is either " + before + "." + digits + " or " + before +
                          " and +" + digits + ": say which");
    }
    if (std::find(thresholds_dbm.begin(), thresholds_dbm.end(), *threshold_dbm) != thresholds_dbm.end()) {
      throw bad_threshold(shortest(*threshold_dbm) + " is there twice");
    }
    thresholds_dbm.push_back(*threshold_dbm);
  }
  if (thresholds_dbm.size() > most_thresholds) {
    throw bad_threshold("there are more than " + std::to_string(most_thresholds));
  }
  return thresholds_dbm;
}

std::vector<GroundTile> ground_of(const PathLossLayer& path_loss) {
  std::vector<GroundTile> tiles;
  for (const std::int64_t id : ground_tiles(path_loss)) {
    GroundTile tile{.tile_id = id};
    for (const Vec3& corner : path_loss.outlines.at(id).corners) tile.outline.push_back(corner.xy());
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

Rectangle bounds_of(const std::vector<GroundTile>& tiles) {
  Rectangle box;
  for (const GroundTile& tile : tiles) {
    for (const Vec2 corner : tile.outline) box.extend(corner);
  }
  return box;
}

// Columns of inhabitants are there by then, and all NULL.
void warn_of_no_population(const DistrictsRead& read, Progress& progress) {
  const auto has_number = [](const District& district) { return district.population.has_value(); };
  if (read.population_field.empty() || std::any_of(read.districts.begin(), read.districts.end(), has_number)) return;
  progress.warn({"no_population", "no district has a number in the field \"" + read.population_field +
                                      "\": its inhabitants are not known. Choose another field as POPULATION_FIELD, "
                                      "or give INHABITANTS"});
}

DistrictsRead read_districts(Run& run, const LocalFrame& frame, const Rectangle& area) {
  run.progress().begin_stage("districts");
  const ParameterValues& values = run.values();
  DistrictsRead read = read_districts({.source = values.text("DISTRICTS"),
                                       .crs = values.text("DISTRICTS_CRS"),
                                       .name_field = values.text("NAME_FIELD"),
                                       .population_field = values.text("POPULATION_FIELD"),
                                       .with_population = !values.has("INHABITANTS")},
                                      frame, area, run.progress());
  warn_of_issues(read.issues, run.progress());
  warn_of_no_population(read, run.progress());
  return read;
}

void require_ground(const CoverageByDistrict& coverage, const LocalFrame& frame) {
  if (!coverage.districts.empty()) return;
  throw Error(ErrorKind::invalid_input, "districts_elsewhere", "no district has predicted ground in it",
              "check the CRS of DISTRICTS, which is transformed to that of the prediction, " + frame.crs_name,
              {.field = "DISTRICTS"});
}

std::string called(const District& district) {
  return district.name.empty() ? "feature " + std::to_string(district.feature_id) : district.name;
}

void warn_of_overlaps(const std::vector<District>& districts, std::span<const std::vector<GroundPiece>> pieces,
                      Progress& progress) {
  const std::vector<DistrictOverlap> overlaps = overlaps_of_districts(districts, pieces, most_pairs_counted + 1);
  if (overlaps.empty()) return;
  const DistrictOverlap& first = overlaps.front();
  const std::string number = overlaps.size() > most_pairs_counted ? "more than " + std::to_string(most_pairs_counted)
                                                                  : std::to_string(overlaps.size());
  progress.warn({"districts_overlap",
                 number + (overlaps.size() == 1 ? " pair" : " pairs") + " of districts overlap, first " +
                     called(districts[first.first]) + " and " + called(districts[first.second]) + " (" +
                     std::to_string(std::llround(first.area_m2)) + " m²): what they have in common counts in both"});
}

// Of all districts together.
void add_figures(const DistrictReport& report, const std::vector<GroundTile>& tiles, Json& figures) {
  double ground_m2 = 0, all_ground_m2 = 0;
  for (const DistrictCoverage& row : report.coverage.districts) ground_m2 += row.ground_m2;
  for (const GroundTile& tile : tiles) all_ground_m2 += std::fabs(signed_area(tile.outline));
  figures["districts"] = report.coverage.districts.size();
  figures["ground_m2"] = all_ground_m2;
  figures["ground_in_districts_m2"] = ground_m2;
  double inhabitants = 0;
  for (const DistrictCoverage& row : report.coverage.districts) inhabitants += row.population.value_or(0);
  const bool are_placed = report.inhabitants_are_placed &&
                          std::any_of(report.coverage.districts.begin(), report.coverage.districts.end(),
                                      [](const DistrictCoverage& row) { return row.population.has_value(); });
  if (are_placed) figures["inhabitants_in_districts"] = inhabitants;
  figures["covered"] = Json::array();
  for (std::size_t i = 0; i < report.thresholds_dbm.size(); ++i) {
    double covered_m2 = 0;
    for (const DistrictCoverage& row : report.coverage.districts) covered_m2 += row.power.covered_m2[i];
    Json covered{{"threshold_dbm", report.thresholds_dbm[i]},
                 {"covered_m2", covered_m2},
                 {"covered_percent", 100 * covered_m2 / ground_m2}};
    if (are_placed) {
      double covered_inhabitants = 0;
      for (const DistrictCoverage& row : report.coverage.districts) {
        if (row.population) covered_inhabitants += row.covered_population[i];
      }
      covered["covered_inhabitants"] = covered_inhabitants;
    }
    figures["covered"].push_back(std::move(covered));
  }
}

// Those near predicted ground; the others are told of.
PlacedInhabitants read_inhabitants(Run& run, const LocalFrame& frame, const std::vector<GroundTile>& tiles) {
  run.progress().begin_stage("inhabitants");
  const ParameterValues& values = run.values();
  const double most_m = values.number("INHABITANTS_DISTANCE");
  const std::vector<InhabitedPlace> places = read_inhabitants({.source = values.text("INHABITANTS"),
                                                               .crs = values.text("INHABITANTS_CRS"),
                                                               .number_field = values.text("INHABITANTS_FIELD")},
                                                              frame, run.progress());
  PlacedInhabitants placed = place_inhabitants(places, tiles, most_m);
  if (placed.places.empty()) {
    throw Error(ErrorKind::invalid_input, "inhabitants_elsewhere",
                "no inhabited place is within " + shortest(most_m) + " m of predicted ground",
                "check the CRS of INHABITANTS, which is transformed to that of the prediction, " + frame.crs_name,
                {.field = "INHABITANTS"});
  }
  if (placed.left_out > 0) {
    run.progress().warn(
        {"inhabitants_left_out", std::to_string(placed.left_out) + " of " + std::to_string(places.size()) +
                                     " inhabited places (" + shortest(placed.inhabitants_left_out) + " inhabitants) " +
                                     (placed.left_out == 1 ? "is" : "are") + " farther than " + shortest(most_m) +
                                     " m from predicted ground: " + (placed.left_out == 1 ? "it does" : "they do") +
                                     " not count"});
  }
  return placed;
}

Outcome cover_districts(Run& run) {
  if (run.values().has("INHABITANTS") && run.values().has("POPULATION_FIELD")) {
    throw Error(ErrorKind::invalid_input, "inhabitants_twice", "INHABITANTS and POPULATION_FIELD are both given",
                "give the points, or the field of the districts", {.field = "POPULATION_FIELD"});
  }
  DistrictReport report;
  report.thresholds_dbm = thresholds_in(run.values().text("THRESHOLDS"));
  const PathLossLayer path_loss =
      read_path_loss(run, {.outlines = Outlines::require,
                           .bytes_per_row = sizeof(double) + 2 * sizeof(void*),  // powers, and sorted by place
                           .bytes_per_tile = sizeof(GroundTile) + 4 * sizeof(Vec2) + sizeof(ServedPlace)});
  warn_of_reached_only(run, path_loss, "shares of ground are shares of what is reached");
  const std::vector<GroundTile> tiles = ground_of(path_loss);
  report.transmitters = path_loss.transmitters;
  DistrictsRead read = read_districts(run, path_loss.frame, bounds_of(tiles));
  report.districts = std::move(read.districts);
  report.has_inhabitants = run.values().has("INHABITANTS") || !read.population_field.empty();
  const auto pieces = ground_of_districts(report.districts, tiles, run.progress());
  report.coverage = coverage_by_district(report.districts, tiles, pieces, path_loss.targets, report.transmitters,
                                         report.thresholds_dbm);
  require_ground(report.coverage, path_loss.frame);
  if (run.values().has("INHABITANTS")) {
    report.inhabitants_are_placed = true;
    count_inhabitants(read_inhabitants(run, path_loss.frame, tiles), report.districts, report.thresholds_dbm,
                      report.coverage, run.progress());
  }
  warn_of_overlaps(report.districts, pieces, run.progress());

  ResultWriter writer(path_loss.frame, run.settings().overwrite);
  std::vector<std::string> written;
  if (const auto destination = run.destinations().layer("DISTRICT_COVERAGE")) {
    writer.add_district_coverage(*destination, report);
    written.emplace_back("DISTRICT_COVERAGE");
  }
  if (const auto destination = run.destinations().layer("DISTRICT_TRANSMITTERS")) {
    writer.add_district_transmitters(*destination, report);
    written.emplace_back("DISTRICT_TRANSMITTERS");
  }
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(path_loss.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_figures(report, tiles, outcome.figures);
  return outcome;
}

std::vector<Parameter> district_source_parameters() {
  using Kind = ParameterKind;
  return {
      path_loss_input("the layer of polygons that predictcoverage wrote, its transmitters beside it"),
      {.name = "DISTRICTS",
       .label = "Districts",
       .help = "polygons of any OGR source in any CRS, with holes and several parts if need be",
       .kind = Kind::vector_polygon,
       .crs_from = {"DISTRICTS_CRS", "PATH_LOSS"}},
      {.name = "NAME_FIELD",
       .label = "Name field",
       .help = "the field with the districts' names; found by its usual names (name, district, …) if not given",
       .kind = Kind::field,
       .optional = true,
       .parent = "DISTRICTS"},
      {.name = "POPULATION_FIELD",
       .label = "Population field",
       .help =
           "the field with the districts' inhabitants, who are spread evenly over the predicted ground; found by its "
           "usual names (population, inhabitants, …) if not given",
       .kind = Kind::field,
       .optional = true,
       .parent = "DISTRICTS",
       .content = "number"},
  };
}

std::vector<Parameter> inhabitant_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "INHABITANTS",
       .label = "Inhabitants as points",
       .help = "addresses, buildings or cells of a census, in place of POPULATION_FIELD: at each counts what arrives "
               "at the ground tile nearest to it",
       .kind = Kind::vector_point,
       .optional = true,
       .crs_from = {"INHABITANTS_CRS", "PATH_LOSS"}},
      {.name = "INHABITANTS_FIELD",
       .label = "Field of inhabitants",
       .help = "the field with the inhabitants of each point; found by its usual names (population, inhabitants, …) if "
               "not given, and one at each point without such a field",
       .kind = Kind::field,
       .optional = true,
       .parent = "INHABITANTS",
       .content = "number"},
      {.name = "INHABITANTS_DISTANCE",
       .label = "Farthest ground of inhabitants",
       .help = "points farther than this from the middle of any predicted ground tile do not count",
       .kind = Kind::distance,
       .default_value = "50",
       .unit = "m",
       .minimum = 0,
       .maximum = 10000,
       .advanced = true},
  };
}

Parameter threshold_parameter() {
  return {.name = "THRESHOLDS",
          .label = "Received powers that cover",
          .help =
              "received powers in dBm, with commas between them: ground counts as covered where the strongest "
              "transmitter brings at least this; the first one colours the map",
          .kind = ParameterKind::string,
          .default_value = "-85,-95,-105"};
}

std::vector<Parameter> district_crs_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "DISTRICTS_CRS",
       .label = "CRS of the districts",
       .help = "CRS of a layer that has none",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
      {.name = "INHABITANTS_CRS",
       .label = "CRS of the inhabitants",
       .help = "CRS of a CSV file, or in place of the layer's; lat/lon columns of a CSV are EPSG:4326",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
  };
}

std::vector<Parameter> district_destination_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "DISTRICT_COVERAGE",
       .label = "Coverage by district",
       .help = "covered ground and inhabitants of each district, its received powers and its best server",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "district_coverage",
       .geometry = "MultiPolygon"},
      {.name = "DISTRICT_TRANSMITTERS",
       .label = "Transmitters by district",
       .help = "what each transmitter covers alone, and where it is the strongest, in each district where it arrives",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "district_transmitters",
       .geometry = "None"},
  };
}

std::vector<Parameter> district_parameters() {
  return concatenated({district_source_parameters(),
                       inhabitant_parameters(),
                       {threshold_parameter()},
                       district_crs_parameters(),
                       district_destination_parameters()});
}

}  // namespace

Tool coveragebydistrict() {
  return {
      .id = "coveragebydistrict",
      .title = "Coverage by district",
      .group = "Coverage",
      .help =
          "How much ground of each district, and how many of its inhabitants, a prediction covers: ground tiles cut "
          "exactly by the districts' polygons, for one or several least received powers, by the strongest "
          "transmitter at each place and by each transmitter alone.",
      .parameters = concatenated({district_parameters(), {output_parameter()}}),
      .roles = {},
      .run = cover_districts};
}

}  // namespace tesseray
