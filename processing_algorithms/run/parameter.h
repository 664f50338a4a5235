// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter of a tool, declared as data. The command line, the help, the JSON that QGIS reads and the check of what
// a user gives all come from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tesseray {

enum class ParameterKind {
  vector_polygon,
  vector_point,
  vector_any,
  table,
  raster,
  field,
  number,
  distance,
  string,
  enumeration,
  crs,
  extent,  // xmin,xmax,ymin,ymax in the environment CRS, and its name in brackets if wished, as QGIS writes it
  point,
  boolean,
  file,
  layer_destination,
  file_destination,
};

struct Parameter {
  std::string name;  // UPPER_CASE, as in QGIS; the command line's spelling is option_name()
  std::string label;
  std::string help;
  ParameterKind kind = ParameterKind::string;
  std::string default_value = {};  // as a user would write it; empty: none
  std::string unit = {};
  std::optional<double> minimum = std::nullopt;
  std::optional<double> maximum = std::nullopt;
  std::vector<std::string> choices = {};  // of an enumeration
  // Of an enumeration that takes other texts, too: throws std::invalid_argument, as parse_value() does, for what is
  // none of these either.
  void (*check_other)(const std::string& text) = nullptr;
  bool integer = false;   // a number without a fraction
  bool multiple = false;  // an enumeration of which several may be given, with commas between
  bool optional = false;
  bool advanced = false;
  std::string parent = {};     // of a field: the parameter with its layer
  std::string extension = {};  // of a file or file destination
  std::string layer = {};      // the layer's own name, where a source or destination names none
  std::string geometry = {};   // of a layer destination: as OGR spells it ("Polygon Z"; "None" for a table)
  // Of a destination: the parameters in whose file, or folder, it is made when not given; the first given one counts.
  // Of a file that is read: those beside whose file, with its own extension, it is looked for then.
  std::vector<std::string> beside = {};
  // What front ends check or offer before a run; the run itself checks anew.
  std::string needs = {};           // of a destination: the input without which there is nothing to write
  bool skipped_by_default = false;  // of a destination: made only when asked for
  bool may_exist = false;           // of a file destination: one that holds what would be written stays as it is
  bool figures_suffice = false;     // of a destination: without any output a run is done for what it tells
  std::string content = {};         // of a field: what its values are read as: "length" or "number"
  std::string within = {};          // of points: the parameter in whose extent, or near it, they should lie
  // Of an extent or point: what tells the CRS that its numbers are in, the first given one. Of a layer: what says so
  // when the layer has no CRS itself, a CRS, a flag, or an input that has none either (local metres); else it is
  // refused.
  std::vector<std::string> crs_from = {};
  std::vector<std::string> companions = {};  // of a layer: layers of the same file that are read with it
  // Of a layer that is found by more than its name: what is read of a source, the layer and its companions, as the file
  // calls them. Throws Error when that is not clear.
  std::vector<std::string> (*layers_read)(const std::string& source) = nullptr;
  // Of a text: it is a folder, or several with semicolons between, in which files that this input names are looked for
  // before the folder of the input's own file.
  std::string folder_of = {};
  // Of a layer: what was read of it is in this layer of the result, which can be given in its place, and then without
  // the parameters that say how to read it (its fields and its CRS).
  std::string kept_as = {};
};

bool is_input_source(ParameterKind kind);  // something that is read: a layer, raster or file
bool is_destination(ParameterKind kind);

std::string to_string(ParameterKind kind);  // as describe --json spells it: "vector polygon", …

// "HEIGHT_FIELD" → "--height-field".
std::string option_name(std::string_view parameter_name);

// What a parameter is set to: nothing, a flag, a number, a text, or the words of a multiple choice.
using ParameterValue = std::variant<std::monostate, bool, double, std::string, std::vector<std::string>>;

// The value that `text` means. Throws std::invalid_argument saying what is wrong, without the parameter's name.
ParameterValue parse_value(const Parameter& parameter, const std::string& text);

// A word of an enumeration and what it means in core's types: the choices and their meaning in one list.
template <class T>
struct Choice {
  const char* word;
  T value;
};

template <class T, std::size_t N>
std::vector<std::string> words(const Choice<T> (&choices)[N]) {
  std::vector<std::string> result;
  for (const Choice<T>& choice : choices) result.emplace_back(choice.word);
  return result;
}

}  // namespace tesseray
