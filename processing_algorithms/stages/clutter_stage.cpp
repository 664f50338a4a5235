// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/clutter_stage.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/listed.h"
#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

constexpr double least_loss_db = -30, greatest_loss_db = 100;

Error bad_loss(const std::string& message) {
  return {ErrorKind::invalid_input, "bad_clutter_loss", "CLUTTER_LOSS: " + message,
          "write classes and losses in dB, as in: forest=8, dense urban=15, \"urban, old\"=3; in quotes, a quotation "
          "mark of a name is written twice"};
}

// The parts between commas and semicolons that are in no quotes, without the quotes. In them, two are one of the name.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && text.substr(i, 2) == "\"\"") {
      parts.back() += text[i++];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (c == ',' || c == ';')) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (is_quoted) throw bad_loss("a quotation mark is missing");
  return parts;
}

// Losses by class in lower case.
std::map<std::string, double> losses_in(const std::string& text) {
  std::map<std::string, double> losses;
  for (const std::string& part : parts_of(text)) {
    if (trimmed(part).empty()) continue;
    const std::size_t sign = part.rfind('=');
    if (sign == std::string::npos) throw bad_loss("\"" + std::string(trimmed(part)) + "\" has no =");
    const std::string name = in_small_letters(trimmed(part.substr(0, sign)));
    const std::optional<double> loss_db = parse_number(trimmed(part.substr(sign + 1)));
    if (!loss_db || *loss_db < least_loss_db || *loss_db > greatest_loss_db) {
      throw bad_loss("\"" + std::string(trimmed(part)) + "\" has no number from " + shortest(least_loss_db) + " to " +
                     shortest(greatest_loss_db));
    }
    if (!losses.emplace(name, *loss_db).second) throw bad_loss("\"" + name + "\" is there twice");
  }
  return losses;
}

// As CLUTTER_LOSS takes them.
std::vector<std::string> spelled(std::vector<std::string> classes) {
  for (std::string& name : classes) {
    if (name.find_first_of(",;\"") == std::string::npos) continue;
    for (std::size_t at = name.find('"'); at != std::string::npos; at = name.find('"', at + 2)) name.insert(at, 1, '"');
    name = '"' + name + '"';
  }
  return classes;
}

void require_classes(const std::map<std::string, double>& losses, const std::vector<std::string>& classes) {
  for (const auto& [name, loss_db] : losses) {
    const bool is_known = std::any_of(classes.begin(), classes.end(), [&wanted = name](const std::string& of_scene) {
      return in_small_letters(of_scene) == wanted;
    });
    if (is_known) continue;
    throw Error(
        ErrorKind::invalid_input, "unknown_clutter_class",
        "CLUTTER_LOSS: the environment has no clutter class \"" + name + "\"" + did_you_mean(name, spelled(classes)),
        "its classes: " + listed(spelled(classes)));
  }
}

}  // namespace

Parameter clutter_loss_parameter() {
  return {.name = "CLUTTER_LOSS",
          .label = "Loss in clutter",
          .help =
              "extra loss in dB of ground tiles and receivers among each class of the environment's clutter, as in "
              "forest=8, dense urban=15, \"urban, old\"=3; other classes have none",
          .kind = ParameterKind::string,
          .optional = true,
          .advanced = true};
}

Scene with_clutter_losses(Run& run, Scene scene) {
  const std::map<std::string, double> losses = losses_in(run.values().text("CLUTTER_LOSS"));
  if (scene.clutter.empty()) {
    if (losses.empty()) return scene;
    throw Error(ErrorKind::invalid_input, "no_clutter", "CLUTTER_LOSS is given, but the environment has no clutter",
                "make it with CLUTTER or CLUTTER_AREAS, or leave CLUTTER_LOSS out");
  }
  require_classes(losses, scene.clutter.classes);
  std::vector<std::string> without;
  for (const std::string& name : scene.clutter.classes) {
    const auto loss = losses.find(in_small_letters(name));
    if (loss == losses.end()) without.push_back(name);
    scene.clutter.loss_db.push_back(loss == losses.end() ? 0 : loss->second);
  }
  if (!without.empty()) {
    run.progress().warn({"clutter_without_loss", "CLUTTER_LOSS says nothing of these classes, which lose nothing: " +
                                                     listed(spelled(without))});
  }
  return scene;
}

}  // namespace tesseray
