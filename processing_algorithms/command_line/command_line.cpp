// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <span>
#include <stdexcept>

#include "core/base/error.h"
#include "processing_algorithms/command_line/describe.h"
#include "processing_algorithms/registry.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/run/version.h"

namespace tesseray {
namespace {

constexpr Choice<ProgressStyle> progress_styles[] = {
    {"bar", ProgressStyle::bar}, {"json", ProgressStyle::json}, {"none", ProgressStyle::none}};

[[noreturn]] void refuse(const std::string& code, const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::invalid_input, code, message, hint);
}

// The options of one tool's subcommand; CLI11 writes into them.
struct ToolOptions {
  const Tool* tool = nullptr;
  CLI::App* command = nullptr;
  std::list<std::pair<std::string, std::string>> parameters;  // name, text; CLI11 keeps references
  std::map<std::string, std::string> run_options;             // name, text
  std::string json, progress;
  bool cancel_on_eof = false;
};

std::string help_group(const Parameter& parameter) {
  if (is_destination(parameter.kind)) return "Outputs";
  return parameter.advanced ? "Advanced parameters" : "Parameters";
}

std::string option_help(const Parameter& parameter) {
  std::string help = parameter.help;
  if (!parameter.choices.empty()) help += " (" + join(parameter.choices, ", ") + ")";
  if (!parameter.unit.empty()) help += " [" + parameter.unit + "]";
  return help;
}

void add_parameter(const Parameter& parameter, ToolOptions& options) {
  std::string& text = options.parameters.emplace_back(parameter.name, "").second;
  const std::string name = option_name(parameter.name);
  CLI::Option* option = options.command->add_option(name, text, option_help(parameter));
  // A switch may stand alone.
  if (parameter.kind == ParameterKind::boolean) option->expected(0, 1);
  const bool is_required = !parameter.optional && parameter.default_value.empty();
  option->group(help_group(parameter))->type_name(is_required ? "REQUIRED" : "");
  // A switch that is off by default says so by its name alone.
  const bool is_off = parameter.kind == ParameterKind::boolean && parameter.default_value == "false";
  if (!is_off) option->default_str(parameter.default_value);
}

void add_run_option(const Parameter& option, ToolOptions& options) {
  std::string& text = options.run_options[option.name] = option.default_value;
  if (option.kind == ParameterKind::boolean) {
    options.command->add_flag(option_name(option.name), text, option_help(option));
    return;
  }
  CLI::Option* added = options.command->add_option(option_name(option.name), text, option_help(option));
  added->type_name("")->default_str(option.default_value);
}

void add_common_options(ToolOptions& options) {
  CLI::App& command = *options.command;
  command.add_option("--json", options.json, "read the parameters as one JSON line from standard input (-)")
      ->type_name("-");
  command.add_flag("--cancel-on-eof", options.cancel_on_eof, "cancel when standard input ends (with --json -)");
  for (const Parameter& option : run_options()) add_run_option(option, options);
  command.add_option("--progress", options.progress, "bar, json or none")->type_name("")->default_str("bar");
}

// What CLI11 could not place: an option that does not exist, or a word too much.
void refuse_extras(const ToolOptions& options) {
  const std::vector<std::string> extras = options.command->remaining();
  if (extras.empty()) return;
  std::vector<std::string> known{"--json", "--cancel-on-eof", "--progress", "--help"};
  for (const Parameter& option : run_options()) known.push_back(option_name(option.name));
  for (const Parameter& parameter : options.tool->parameters) known.push_back(option_name(parameter.name));
  const auto option =
      std::find_if(extras.begin(), extras.end(), [](const auto& word) { return word.starts_with("-"); });
  const std::string hint = "run 'tesseray " + options.tool->id + " --help' to see what there is";
  if (option == extras.end()) {
    refuse("unexpected_argument", "'" + extras.front() + "' belongs to no parameter", hint);
  }
  const std::string name = option->substr(0, option->find('='));
  refuse("unknown_parameter", "there is no parameter " + name + did_you_mean(name, known), hint);
}

// The values of the run's options by name. Throws Error(invalid_input).
std::map<std::string, ParameterValue> run_option_values(const ToolOptions& options) {
  std::map<std::string, ParameterValue> values;
  for (const Parameter& option : run_options()) {
    const std::string& text = options.run_options.at(option.name);
    try {
      // As of the tools' parameters, nothing is what a script gives whose variable is not set.
      values[option.name] = parse_value(option, text.empty() ? option.default_value : text);
    } catch (const std::invalid_argument& wrong) {
      refuse("bad_option", option_name(option.name) + ": " + wrong.what(), "see --help");
    }
  }
  return values;
}

void check_word(const std::string& option, const std::string& word, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return;
  refuse("bad_option", option + ": '" + word + "' is not one of " + join(choices, ", ") + did_you_mean(word, choices),
         "see --help");
}

RunSettings settings_of(const ToolOptions& options) {
  const std::map<std::string, ParameterValue> values = run_option_values(options);
  RunSettings settings;
  settings.device = std::get<std::string>(values.at("DEVICE"));
  settings.overwrite = std::get<bool>(values.at("OVERWRITE"));
  settings.threads = static_cast<std::size_t>(std::get<double>(values.at("THREADS")));
  if (const double* gibibytes = std::get_if<double>(&values.at("MEMORY"))) {
    settings.memory.bytes = static_cast<std::uint64_t>(*gibibytes * 1024.0 * 1024.0 * 1024.0);
  }
  return settings;
}

ProgressStyle style_of(const std::string& word) {
  check_word("--progress", word, words(progress_styles));
  return std::find_if(std::begin(progress_styles), std::end(progress_styles),
                      [&](const auto& choice) { return word == choice.word; })
      ->value;
}

Command run_command(const ToolOptions& options) {
  refuse_extras(options);
  Command command;
  command.action = Command::Action::run;
  command.tool = options.tool;
  command.settings = settings_of(options);
  command.cancel_on_eof = options.cancel_on_eof;
  command.parameters_from_stdin = !options.json.empty();
  if (!options.json.empty() && options.json != "-") {
    refuse("bad_option", "--json: parameters are read from standard input alone", "write --json -");
  }
  if (command.cancel_on_eof && !command.parameters_from_stdin) {
    refuse("bad_option", "--cancel-on-eof goes with --json -", "give both");
  }
  for (const auto& [name, text] : options.parameters) {
    const CLI::Option* option = options.command->get_option(option_name(name));
    const bool stands_alone = option->get_expected_min() == 0 && text.empty();
    if (option->count() > 0) command.given.emplace(name, stands_alone ? "true" : text);
  }
  const bool as_front_end_does = command.parameters_from_stdin && options.progress.empty();
  command.progress =
      as_front_end_does ? ProgressStyle::json : style_of(options.progress.empty() ? "bar" : options.progress);
  command.json_result = command.parameters_from_stdin || command.progress == ProgressStyle::json;
  return command;
}

// "--x is given more than once": what CLI11 found wrong, in our words. It says "--x: At Most 1 required but received
// 2", and "--x: 1 required TEXT missing".
[[noreturn]] void refuse(const CLI::ParseError& wrong) {
  std::string message = wrong.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr) {
    const bool has_none = message.ends_with("missing");
    message =
        message.substr(0, message.find(':')) + (has_none ? " has no value behind it" : " is given more than once");
  }
  refuse("bad_command_line", message, "run 'tesseray --help' or 'tesseray TOOL --help' to see how it is used");
}

Command print(std::string text) {
  Command command;
  command.text = std::move(text);
  return command;
}

// The command line, and what of it belongs to no tool.
struct Declared {
  CLI::App app{"Tesseray predicts urban radio coverage from building footprints, terrain and transmitters.",
               "tesseray"};
  CLI::App *list = nullptr, *describe = nullptr;
  bool wants_version = false, list_json = false, describe_json = false, describe_markdown = false;
  std::string described_tool;
  std::list<ToolOptions> tools;
};

// CLI11 keeps references to what it fills in.
void declare_app(Declared& declared) {
  CLI::App& app = declared.app;
  app.get_formatter()->column_width(44);
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "print this help");
  app.add_flag("--version", declared.wants_version, "print the version");

  declared.list = app.add_subcommand("list", "name all tools");
  declared.list->add_flag("--json", declared.list_json, "for programs");
  declared.describe = app.add_subcommand("describe", "say what a tool takes and gives");
  declared.describe->add_option("tool", declared.described_tool, "all tools if not given")->type_name("TOOL");
  declared.describe->add_flag("--json", declared.describe_json, "for programs");
  declared.describe->add_flag("--markdown", declared.describe_markdown)->group("");

  for (const Tool& tool : all_tools()) {
    ToolOptions& options = declared.tools.emplace_back();
    options.tool = &tool;
    options.command = app.add_subcommand(tool.id, tool.title)->group("Tools");
    options.command->description(tool.help);
    options.command->allow_extras();
    for (const Parameter& parameter : tool.parameters) add_parameter(parameter, options);
    add_common_options(options);
  }
}

// With the empty value of "--x=" as a word of its own: CLI11 would take the next argument for it.
std::vector<std::string> with_empty_values(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    const bool is_empty_value = argument.size() > 3 && argument.starts_with("--") && argument.ends_with("=") &&
                                argument.find('=') == argument.size() - 1;
    words.push_back(is_empty_value ? argument.substr(0, argument.size() - 1) : argument);
    if (is_empty_value) words.emplace_back();
  }
  return words;
}

std::string answer_describe(const Declared& declared) {
  const std::span<const Tool> chosen = declared.described_tool.empty()
                                           ? std::span<const Tool>(all_tools())
                                           : std::span(&find_tool(declared.described_tool), 1);
  if (declared.describe_json) return describe_as_json(chosen);
  if (declared.describe_markdown) return describe_as_markdown(chosen);
  std::string text;
  for (const Tool& tool : chosen) text += describe_as_text(tool) + "\n";
  return text;
}

std::string version_text() { return "tesseray " + std::string(tesseray_version) + " (" + tesseray_git_commit + ")\n"; }

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  Declared declared;
  declare_app(declared);
  if (!arguments.empty() && !arguments[0].starts_with("-") && arguments[0] != "list" && arguments[0] != "describe") {
    find_tool(arguments[0]);
  }
  try {
    std::vector<std::string> reversed = with_empty_values(arguments);
    std::reverse(reversed.begin(), reversed.end());
    declared.app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return print(declared.app.help());
  } catch (const CLI::ParseError& wrong) {
    refuse(wrong);
  }
  if (declared.wants_version) return print(version_text());
  if (declared.list->parsed()) {
    return print(declared.list_json ? list_as_json(all_tools()) : list_as_text(all_tools()));
  }
  if (declared.describe->parsed()) return print(answer_describe(declared));
  for (const ToolOptions& options : declared.tools) {
    if (options.command->parsed()) return run_command(options);
  }
  refuse("no_tool", "no tool is named",
         "run 'tesseray list' to see all tools, 'tesseray --help' to see how they are used");
}

ProgressStyle progress_style_of(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (arguments[i] == "--progress=json" || (arguments[i] == "--progress" && next == "json")) {
      return ProgressStyle::json;
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool other_style = arguments[i].starts_with("--progress");
    if (other_style) return ProgressStyle::bar;
  }
  const bool reads_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end() ||
                          std::find(arguments.begin(), arguments.end(), "--json=-") != arguments.end();
  return reads_json ? ProgressStyle::json : ProgressStyle::bar;
}

}  // namespace tesseray
