// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/command_line/describe.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/run/version.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ParameterValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

Json json_of(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"label", parameter.label},
          {"help", parameter.help},
          {"kind", to_string(parameter.kind)},
          {"default", json_of(parse_value(parameter, parameter.default_value))},
          {"unit", or_null(parameter.unit)},
          {"minimum", or_null(parameter.minimum)},
          {"maximum", or_null(parameter.maximum)},
          {"choices", parameter.choices},
          {"other_texts", parameter.check_other != nullptr},
          {"integer", parameter.integer},
          {"multiple", parameter.multiple},
          {"optional", parameter.optional},
          {"advanced", parameter.advanced},
          {"parent", or_null(parameter.parent)},
          {"extension", or_null(parameter.extension)},
          {"layer", or_null(parameter.layer)},
          {"beside", parameter.beside},
          {"needs", or_null(parameter.needs)},
          {"skipped_by_default", parameter.skipped_by_default},
          {"content", or_null(parameter.content)},
          {"within", or_null(parameter.within)},
          {"crs_from", parameter.crs_from},
          {"companions", parameter.companions},
          {"folder_of", or_null(parameter.folder_of)},
          {"kept_as", or_null(parameter.kept_as)},
          {"collects_layers", parameter.name == output_parameter().name}};
}

Json json_of(const std::vector<Parameter>& parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) list.push_back(json_of(parameter));
  return list;
}

Json json_of(const std::optional<PieceMemory>& memory) {
  if (!memory) return nullptr;
  return {{"layer", memory->layer},
          {"extent", memory->extent},
          {"piece_area", memory->piece_area},
          {"bytes_per_piece", memory->bytes_per_piece}};
}

Json outputs_of(const Tool& tool) {
  Json outputs = Json::array();
  for (const Parameter& parameter : tool.parameters) {
    if (!is_destination(parameter.kind) || parameter.name == output_parameter().name) continue;
    outputs.push_back({{"name", parameter.name},
                       {"label", parameter.label},
                       {"kind", parameter.kind == ParameterKind::layer_destination ? "layer" : "file"},
                       {"layer", or_null(parameter.layer)},
                       {"geometry", or_null(parameter.geometry)}});
  }
  return outputs;
}

Json json_of(const Tool& tool) {
  return {{"id", tool.id},
          {"title", tool.title},
          {"group", tool.group},
          {"help", tool.help},
          {"roles", tool.roles},
          {"memory", json_of(tool.memory)},
          {"parameters", json_of(tool.parameters)},
          {"outputs", outputs_of(tool)}};
}

Json envelope() { return {{"schema_version", describe_schema_version}, {"version", tesseray_version}}; }

std::string dumped(const Json& json) { return json.dump(2) + "\n"; }

// "0.1 … 10,000 m, default 100 m" of a parameter, as far as there is something to say.
std::string range_text(const Parameter& parameter) {
  const std::string unit = parameter.unit.empty() ? "" : " " + parameter.unit;
  std::vector<std::string> parts;
  if (!parameter.choices.empty()) {
    const std::string others = parameter.check_other != nullptr ? ", or another text" : "";
    parts.push_back((parameter.multiple ? "any of " : "one of ") + join(parameter.choices, ", ") + others);
  }
  if (parameter.minimum && parameter.maximum) {
    parts.push_back(shortest(*parameter.minimum) + " … " + shortest(*parameter.maximum) + unit);
  } else if (parameter.minimum) {
    parts.push_back("at least " + shortest(*parameter.minimum) + unit);
  } else if (parameter.maximum) {
    parts.push_back("at most " + shortest(*parameter.maximum) + unit);
  } else if (!unit.empty()) {
    parts.push_back("in" + unit);
  }
  if (!parameter.default_value.empty())
    parts.push_back("default " + parameter.default_value);
  else if (parameter.optional)
    parts.push_back("optional");
  else
    parts.push_back("required");
  return join(parts, "; ");
}

std::string markdown_cell(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
    text.replace(bar, 1, "\\|");
  }
  return text;
}

void add_markdown(const Tool& tool, std::string& page) {
  page += "\n## " + tool.id + "\n\n" + tool.title + " (" + tool.group + "). " + tool.help + "\n\n";
  page += "| parameter | what it is | kind | values |\n|---|---|---|---|\n";
  for (const Parameter& parameter : tool.parameters) {
    page += "| `" + option_name(parameter.name) + "`<br>" + parameter.name + " | " +
            markdown_cell(capitalized(parameter.help)) + " | " + to_string(parameter.kind) + " | " +
            markdown_cell(range_text(parameter)) + " |\n";
  }
  page += "\n| output | layer | geometry |\n|---|---|---|\n";
  for (const Parameter& parameter : tool.parameters) {
    if (!is_destination(parameter.kind) || parameter.name == output_parameter().name) continue;
    const bool is_layer = parameter.kind == ParameterKind::layer_destination;
    page += "| " + parameter.name + " | " + (is_layer ? "`" + parameter.layer + "`" : "file") + " | " +
            (is_layer ? parameter.geometry : "") + " |\n";
  }
}

}  // namespace

std::string describe_as_json(std::span<const Tool> tools) {
  Json root = envelope();
  root["options"] = json_of(run_options());
  root["tools"] = Json::array();
  for (const Tool& tool : tools) root["tools"].push_back(json_of(tool));
  return dumped(root);
}

std::string describe_as_markdown(std::span<const Tool> tools) {
  std::string page =
      "# Tools\n\n"
      "Made by `tesseray describe --markdown`; edit the tools' declarations in processing_algorithms/ instead.\n\n"
      "Each parameter stands here as the command line spells it and as QGIS does. A layer output is a destination of\n"
      "its own (`--path-loss x.gpkg`, `--path-loss 'x.gpkg|layername=p'`); `--output x.gpkg` puts every layer that "
      "was\n"
      "not given one into that file under its own name.\n";
  for (const Tool& tool : tools) add_markdown(tool, page);
  return page;
}

std::string describe_as_text(const Tool& tool) {
  std::string text = tool.id + ": " + tool.title + "\n\n" + tool.help + "\n\n";
  for (const Parameter& parameter : tool.parameters) {
    text += "  " + option_name(parameter.name) + "\n      " + capitalized(parameter.help) + " (" +
            to_string(parameter.kind) + "; " + range_text(parameter) + ")\n";
  }
  return text;
}

std::string list_as_text(std::span<const Tool> tools) {
  std::size_t width = 0;
  for (const Tool& tool : tools) width = std::max(width, tool.id.size());
  std::string text;
  for (const Tool& tool : tools) text += tool.id + std::string(width + 2 - tool.id.size(), ' ') + tool.title + "\n";
  return text;
}

std::string list_as_json(std::span<const Tool> tools) {
  Json root = envelope();
  root["tools"] = Json::array();
  for (const Tool& tool : tools) {
    root["tools"].push_back({{"id", tool.id}, {"title", tool.title}, {"group", tool.group}});
  }
  return dumped(root);
}

}  // namespace tesseray
