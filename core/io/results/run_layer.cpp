// SPDX-License-Identifier: GPL-3.0-or-later
#include <cpl_json.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <random>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

namespace {

using enum ColumnType;

std::string text_of(const CPLJSONObject& json) { return json.Format(CPLJSONObject::PrettyFormat::Plain); }

std::string list_of(const std::vector<std::string>& names) {
  CPLJSONArray list;
  for (const std::string& name : names) list.Add(name);
  return text_of(list);
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string random_id() {
  std::random_device random;
  static constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = random();
    for (int shift = 28; shift >= 0; shift -= 4) id += digits[(word >> shift) & 15u];
  }
  return id;
}

struct Item {
  Column column;
  std::string value;
  std::int64_t number = 0;
};

}  // namespace

Layer runs_layer(const RunRecord& run, const WrittenLayers& layers, const std::string& result_hash) {
  CPLJSONArray inputs;
  for (const RunRecord::Input& input : run.inputs) {
    CPLJSONObject item;
    item.Add("path", as_utf8(input.path));  // names of files may be any bytes
    item.Add("bytes", static_cast<GInt64>(input.bytes));
    item.Add("hash", input.hash);
    if (!input.absolute_path.empty()) item.Add("absolute_path", as_utf8(input.absolute_path));
    if (!input.copy_of.empty()) item.Add("copy_of", as_utf8(input.copy_of));
    inputs.Add(item);
  }
  CPLJSONObject seconds;
  for (const auto& [stage, duration] : run.seconds_per_stage) seconds.Add(stage, duration);
  CPLJSONArray failed;
  for (const auto& [name, message] : run.failed_transmitters) {
    CPLJSONObject item;
    item.Add("name", name);
    item.Add("message", message);
    failed.Add(item);
  }
  const auto items = std::make_shared<const std::vector<Item>>(std::vector<Item>{
      {{"run_id", text, "Number of the run, random"}, random_id()},
      {{"finished_at", text, "When the run wrote its layers, UTC"}, utc_now()},
      {{"tool", text, "Tool"}, run.tool},
      {{"version", text, "Version of Tesseray"}, run.version},
      {{"git_commit", text, "Commit of Tesseray"}, run.git_commit},
      {{"parameters", text, "All parameters, JSON"}, run.parameters_json},
      {{"inputs", text, "Inputs with size in bytes and hash, JSON"}, text_of(inputs)},
      {{"crs", text, "CRS of the layers"}, run.crs},
      {{"device", text, "What computed"}, run.device},
      {{"seconds_per_stage", text, "Seconds per stage, JSON"}, text_of(seconds)},
      {{"peak_memory_bytes", integer, "Peak memory, bytes"}, {}, static_cast<std::int64_t>(run.peak_memory_bytes)},
      {{"result_hash", text, "Hash over the rows of all layers that the run wrote, in whatever file"}, result_hash},
      {{"failed_transmitters", text, "Transmitters that failed while running, JSON"}, text_of(failed)},
      {{"layers", text, "Layers that the run wrote to this file, JSON"}, list_of(layers.names)},
      {{"made_from_predictions", text, "Those of the layers that tell of a prediction, JSON", true},
       list_of(layers.made_from_predictions)},
  });
  std::vector<Field<std::vector<Item>>> fields;
  for (std::size_t i = 0; i < items->size(); ++i) {
    fields.push_back({(*items)[i].column, [i](const std::vector<Item>& row) {
                        return row[i].column.type == integer ? Value::integer(row[i].number)
                                                             : Value::text(row[i].value);
                      }});
  }
  Layer layer{.name = "tesseray_runs", .description = "Runs of Tesseray that wrote to this file", .append = true};
  return with_rows<std::vector<Item>>(std::move(layer), {}, 1,
                                      [items](std::size_t) -> const std::vector<Item>& { return *items; },
                                      std::move(fields), {});
}

}  // namespace tesseray
