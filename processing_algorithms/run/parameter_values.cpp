// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/parameter_values.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/base/is_there.h"
#include "core/io/sources/passwords.h"
#include "processing_algorithms/run/sources.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/run/tool.h"

namespace tesseray {
namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& declared) {
  std::vector<std::string> names;
  names.reserve(declared.size());
  for (const Parameter& parameter : declared) names.push_back(parameter.name);
  return names;
}

bool is_run_option(const std::string& name) {
  const std::vector<std::string> options = names_of(run_options());
  return name == "PROGRESS" || std::find(options.begin(), options.end(), name) != options.end();
}

std::string label(const Parameter& parameter) { return parameter.name + " (" + option_name(parameter.name) + "): "; }

// An input that is a plain path must be there, and a file of Tesseray's be no pipe. Connection strings and GDAL's
// virtual files are the readers' to judge.
std::string unusable_file(const Parameter& parameter, const std::string& text) {
  if (!is_input_source(parameter.kind) || !is_plain_path(text)) return {};
  const std::filesystem::path file = path_of_source(text);
  if (!is_there(file)) return "there is no file '" + without_password(file.string()) + "'; check its name and folder";
  if (parameter.kind != ParameterKind::file || !is_pipe_or_device(file)) return {};
  return "'" + file.string() +
         "' is a pipe or a device, and files are read more than once; write what comes through it to a file, and name "
         "that";
}

// A layer stands for its file where a file is asked for, since tools and QGIS name what they wrote so.
std::string without_layer(const Parameter& parameter, const std::string& text) {
  return parameter.kind == ParameterKind::file ? path_of_source(text).string() : text;
}

// The value of one parameter; what is wrong with it goes to `violations`.
ParameterValue read_value(const Parameter& parameter, const GivenParameters& given,
                          std::vector<std::string>& violations) {
  const auto found = given.find(parameter.name);
  const std::string text = found == given.end() || found->second.empty() ? parameter.default_value : found->second;
  if (text.empty()) {
    if (!parameter.optional) violations.push_back(label(parameter) + "is missing; " + parameter.help);
    return {};
  }
  try {
    // Other libraries and the operating system take it for the end of a name.
    if (text.find('\0') != std::string::npos) throw std::invalid_argument("holds a NUL character; leave it out");
    const std::string unusable = unusable_file(parameter, text);
    if (!unusable.empty()) throw std::invalid_argument(unusable);
    return parse_value(parameter, without_layer(parameter, text));
  } catch (const std::invalid_argument& wrong) {
    violations.push_back(label(parameter) + wrong.what());
    return {};
  }
}

void refuse(const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  const std::string count =
      violations.size() == 1 ? "a parameter is wrong" : std::to_string(violations.size()) + " parameters are wrong";
  throw Error(ErrorKind::invalid_input, "bad_parameters", count + ": " + join(violations, "; "),
              "the help of the tool (--help) says what each parameter takes");
}

// "a number": what there is in place of what was expected.
std::string in_words(const nlohmann::json& value) {
  if (value.is_null()) return "missing";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a text";
  return value.is_object() ? "an object" : "a list of other things";
}

bool takes_list(const Parameter& parameter) {
  return parameter.multiple || parameter.kind == ParameterKind::extent || parameter.kind == ParameterKind::point ||
         parameter.kind == ParameterKind::string;
}

void refuse_list(const std::string& name, const std::vector<Parameter>& declared) {
  const auto parameter =
      std::find_if(declared.begin(), declared.end(), [&](const Parameter& each) { return each.name == name; });
  if (parameter == declared.end() || takes_list(*parameter)) return;
  throw Error(ErrorKind::invalid_input, "bad_parameters",
              "the value of " + name + " is a list, and one value is expected",
              "give it without the brackets; describe --json says what it takes");
}

std::string text_of_json(const std::string& name, const nlohmann::json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  if (value.is_array()) {
    std::vector<std::string> words;
    for (const nlohmann::json& item : value) {
      if (item.is_structured()) break;
      words.push_back(text_of_json(name, item));
    }
    if (words.size() == value.size()) return join(words, ",");
  }
  throw Error(ErrorKind::invalid_input, "bad_parameters",
              "the value of " + name + (value.is_array() ? " is a list that holds objects or lists" : " is an object"),
              "give a text, a number, true or false, or a list of these; describe --json says what it takes");
}

}  // namespace

ParameterValues::ParameterValues(const std::vector<Parameter>& declared, const GivenParameters& given)
    : declared_(declared) {
  std::vector<std::string> violations;
  const std::vector<std::string> names = names_of(declared);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    violations.push_back(is_run_option(name)
                             ? name + " is no parameter but an option of the command line, " + option_name(name)
                             : "there is no parameter " + name + did_you_mean(name, names));
  }
  for (const Parameter& parameter : declared) {
    values_.emplace(parameter.name, read_value(parameter, given, violations));
  }
  refuse(violations);
}

const ParameterValue& ParameterValues::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw Error(ErrorKind::internal, "undeclared_parameter", "the parameter " + std::string(name) + " is not declared");
  }
  return found->second;
}

template <class T>
const T* ParameterValues::value_as(std::string_view name) const {
  const ParameterValue& held = value(name);
  if (std::holds_alternative<std::monostate>(held)) return nullptr;
  if (const T* as = std::get_if<T>(&held)) return as;
  throw Error(ErrorKind::internal, "parameter_kind", "the parameter " + std::string(name) + " is of another kind");
}

bool ParameterValues::has(std::string_view name) const { return !std::holds_alternative<std::monostate>(value(name)); }

const std::string& ParameterValues::text(std::string_view name) const {
  static const std::string none;
  const auto* text = value_as<std::string>(name);
  return text ? *text : none;
}

double ParameterValues::number(std::string_view name) const {
  const auto* number = value_as<double>(name);
  if (!number) throw Error(ErrorKind::internal, "no_value", "the parameter " + std::string(name) + " has no value");
  return *number;
}

int ParameterValues::integer(std::string_view name) const { return static_cast<int>(number(name)); }

std::optional<double> ParameterValues::optional_number(std::string_view name) const {
  const auto* number = value_as<double>(name);
  return number ? std::optional(*number) : std::nullopt;
}

bool ParameterValues::flag(std::string_view name) const {
  const bool* flag = value_as<bool>(name);
  return flag && *flag;
}

const std::vector<std::string>& ParameterValues::chosen_words(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto* words = value_as<std::vector<std::string>>(name);
  return words ? *words : none;
}

std::string ParameterValues::to_json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Parameter& parameter : declared_) {
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::string>) {
            object[parameter.name] = is_input_source(parameter.kind) ? without_password(held) : held;
          } else if constexpr (!std::is_same_v<Held, std::monostate>) {
            object[parameter.name] = held;
          }
        },
        value(parameter.name));
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

Copies copies_of_json(const nlohmann::json& object) {
  const auto require = [](bool is_right, const std::string& what, const char* expected, const nlohmann::json& found) {
    if (is_right) return;
    throw Error(ErrorKind::invalid_input, "bad_json",
                "COPIES: " + what + " is " + in_words(found) + "; " + expected + " is expected",
                R"(write {"copy.gpkg": {"description": "…", "sources": ["city.gpkg|layername=houses"]}})");
  };
  Copies copies;
  if (object.is_null()) return copies;
  require(object.is_object(), "its value", "an object with a member for each copy", object);
  for (const auto& [path, origin] : object.items()) {
    require(origin.is_object(), "the value of \"" + path + "\"", "an object with description and sources", origin);
    const nlohmann::json description = origin.value("description", nlohmann::json());
    const nlohmann::json sources = origin.value("sources", nlohmann::json());
    require(description.is_string(), "the description of \"" + path + "\"", "a text", description);
    const bool are_texts = sources.is_array() && std::all_of(sources.begin(), sources.end(),
                                                             [](const auto& source) { return source.is_string(); });
    require(are_texts, "sources of \"" + path + "\"", "a list of texts", sources);
    const nlohmann::json name = origin.value("name", nlohmann::json(""));
    require(name.is_string(), "the name of \"" + path + "\"", "a text", name);
    copies[path] = {description.get<std::string>(), sources.get<std::vector<std::string>>(), name.get<std::string>()};
  }
  return copies;
}

// Of what is given twice in one object, JSON's readers keep the last alone.
nlohmann::json parse_without_repetition(const std::string& json) {
  std::vector<std::set<std::string>> names_of_open_objects;
  return nlohmann::json::parse(json, [&](int /*depth*/, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::object_start) names_of_open_objects.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) names_of_open_objects.pop_back();
    if (event != nlohmann::json::parse_event_t::key) return true;
    const auto name = parsed.get<std::string>();
    if (names_of_open_objects.back().insert(name).second) return true;
    throw Error(ErrorKind::invalid_input, "given_twice", name + " is given more than once in the JSON", "give it once");
  });
}

}  // namespace

Request request_from_json(const std::string& json, const std::vector<Parameter>& declared) {
  const std::string hint = R"(write one JSON object on one line, like {"BUILDINGS": "roofs.gpkg", "TILE_AREA": 25})";
  nlohmann::json object;
  try {
    object = parse_without_repetition(json);
  } catch (const nlohmann::json::parse_error& wrong) {
    throw Error(ErrorKind::invalid_input, "bad_json",
                "the parameters on standard input are no JSON (character " + std::to_string(wrong.byte) + ")", hint);
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(ErrorKind::invalid_input, "bad_json",
                "a number among the parameters on standard input is too large for a 64-bit floating-point one", hint);
  }
  if (!object.is_object()) {
    throw Error(ErrorKind::invalid_input, "bad_json", "the parameters on standard input are no JSON object", hint);
  }
  Request request;
  for (const auto& [name, value] : object.items()) {
    if (name == "COPIES") {
      request.copies = copies_of_json(value);
    } else {
      if (value.is_array()) refuse_list(name, declared);
      request.parameters[name] = text_of_json(name, value);
    }
  }
  return request;
}

}  // namespace tesseray
