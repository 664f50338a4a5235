// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_runs.h"

#include <utility>

#include "core/io/sources/sql_text.h"

namespace tesseray {

PathLossRuns::PathLossRuns(GDALDataset& dataset, GdalSession& session, std::string layer)
    : dataset_(dataset), session_(session), layer_(std::move(layer)) {}

std::vector<std::string> PathLossRuns::layers_of_last_run() {
  return column("SELECT value FROM json_each((" + of_last_run("layers") + "))");
}

bool PathLossRuns::holds_reached_only() { return is_true(of_last_run("json_extract(parameters, '$.REACHED_ONLY')")); }

bool PathLossRuns::has_other_transmitters(const std::string& transmitters) {
  std::string what;
  for (const char* parameter : {"TRANSMITTERS", "TRANSMITTERS_CRS", "NAME_FIELD", "FREQUENCY_FIELD", "FREQUENCY",
                                "ANTENNA_HEIGHT_FIELD", "ANTENNA_HEIGHT", "ANTENNA_HEIGHT_REFERENCE"}) {
    what += std::string("json_extract(parameters, '$.") + parameter + "'), ";
  }
  const auto last_with = [](const std::string& layer) {
    return "(SELECT max(number) FROM run WHERE " + quoted_text(layer) + " IN (SELECT value FROM json_each(layers)))";
  };
  return is_true("WITH run AS (SELECT rowid AS number, layers, json_array(" + what +
                 "(SELECT json_extract(value, '$.hash') FROM json_each(inputs) WHERE json_extract(value, '$.path') = "
                 "json_extract(parameters, '$.TRANSMITTERS'))) AS made_from FROM tesseray_runs) "
                 "SELECT a.made_from <> b.made_from FROM run a, run b WHERE a.number = " +
                 last_with(layer_) + " AND b.number = " + last_with(transmitters));
}

// A query about the last run that wrote the path losses.
std::string PathLossRuns::of_last_run(const std::string& what) const {
  return "SELECT " + what + " FROM tesseray_runs WHERE " + quoted_text(layer_) +
         " IN (SELECT value FROM json_each(layers)) ORDER BY rowid DESC LIMIT 1";
}

// The first column that a query about runs finds; nothing where the file tells of none.
std::vector<std::string> PathLossRuns::column(const std::string& sql) {
  std::vector<std::string> values;
  if (dataset_.GetLayerByName("tesseray_runs") == nullptr) return values;
  OGRLayer* rows = dataset_.ExecuteSQL(sql.c_str(), nullptr, nullptr);
  if (rows == nullptr) {
    session_.forget();  // another program's table of that name
    return values;
  }
  for (const OGRFeatureUniquePtr& row : *rows) values.emplace_back(row->GetFieldAsString(0));
  dataset_.ReleaseResultSet(rows);
  return values;
}

bool PathLossRuns::is_true(const std::string& sql) { return column(sql) == std::vector<std::string>{"1"}; }

}  // namespace tesseray
