// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/styles.h"

#include <cstddef>
#include <vector>

namespace tesseray::styles {

namespace {

struct Color {
  int red = 0, green = 0, blue = 0, alpha = 255;
};

// How one class is drawn.
struct Drawing {
  Symbol symbol = Symbol::fill;
  Color color;
  Color outline;
  double width_mm = 0.1;  // of the outline, or of a line
  double size_mm = 2;     // of a marker
  std::string marker = "circle";
};

using Ramp = std::vector<Color>;

// matplotlib's viridis from its light to its dark end.
const Ramp& light_to_dark() {
  static const Ramp ramp = {{253, 231, 37}, {189, 223, 38}, {122, 209, 81}, {68, 191, 112},
                            {34, 168, 132}, {33, 144, 141}, {42, 120, 142}, {53, 95, 141},
                            {65, 68, 135},  {72, 36, 117},  {68, 1, 84}};
  return ramp;
}

// ColorBrewer's RdBu from blue over white to red.
const Ramp& blue_to_red() {
  static const Ramp ramp = {{18, 73, 132},   {54, 129, 186},  {126, 184, 215}, {202, 225, 238}, {246, 247, 247},
                            {252, 213, 191}, {236, 147, 116}, {200, 68, 64},   {138, 11, 37}};
  return ramp;
}

constexpr Color dark_grey{60, 60, 60};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string text_of(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_of(const Color& color) {
  return std::to_string(color.red) + "," + std::to_string(color.green) + "," + std::to_string(color.blue) + "," +
         std::to_string(color.alpha);
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escaped(value) + "\"";
}

std::string option(const std::string& name, const std::string& value) {
  return "<Option type=\"QString\" name=\"" + name + "\" value=\"" + escaped(value) + "\"/>";
}

std::string symbol_type(Symbol symbol) {
  switch (symbol) {
    case Symbol::fill:
      return "fill";
    case Symbol::line:
      return "line";
    case Symbol::marker:
      return "marker";
  }
  return "";
}

std::string symbol_layer(const Drawing& drawing) {
  switch (drawing.symbol) {
    case Symbol::fill:
      return "<layer class=\"SimpleFill\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">" +
             option("color", text_of(drawing.color)) + option("style", "solid") +
             option("outline_color", text_of(drawing.outline)) + option("outline_style", "solid") +
             option("outline_width", text_of(drawing.width_mm)) + option("outline_width_unit", "MM") +
             "</Option></layer>";
    case Symbol::line:
      return "<layer class=\"SimpleLine\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">" +
             option("line_color", text_of(drawing.color)) + option("line_style", "solid") +
             option("line_width", text_of(drawing.width_mm)) + option("line_width_unit", "MM") + "</Option></layer>";
    case Symbol::marker:
      return "<layer class=\"SimpleMarker\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">" +
             option("name", drawing.marker) + option("color", text_of(drawing.color)) +
             option("outline_color", text_of(drawing.outline)) + option("outline_style", "solid") +
             option("outline_width", text_of(drawing.width_mm)) + option("outline_width_unit", "MM") +
             option("size", text_of(drawing.size_mm)) + option("size_unit", "MM") + "</Option></layer>";
  }
  return "";
}

std::string symbols(const std::vector<Drawing>& drawings) {
  std::string text = "<symbols>\n";
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    text += "<symbol" + attribute("type", symbol_type(drawings[i].symbol)) + attribute("name", std::to_string(i));
    text += " alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\">" + symbol_layer(drawings[i]) + "</symbol>\n";
  }
  return text + "</symbols>\n";
}

// `classes`: the <ranges> or <categories> of the renderer; empty for a single symbol.
std::string document(const std::string& renderer, const std::string& classes, const std::vector<Drawing>& drawings) {
  // QGIS applies a style only to a layer of this geometry: 0 points, 1 lines, 2 polygons.
  const Symbol symbol = drawings.front().symbol;
  const int geometry = symbol == Symbol::marker ? 0 : symbol == Symbol::line ? 1 : 2;
  return "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n<qgis version=\"3.40.0\" "
         "styleCategories=\"Symbology\">\n"
         "<renderer-v2 " +
         renderer + " symbollevels=\"0\" enableorderby=\"0\" forceraster=\"0\" referencescale=\"-1\">\n" + classes +
         symbols(drawings) + "</renderer-v2>\n<blendMode>0</blendMode>\n<featureBlendMode>0</featureBlendMode>\n" +
         "<layerGeometryType>" + std::to_string(geometry) + "</layerGeometryType>\n</qgis>\n";
}

std::string single(const Drawing& drawing) { return document("type=\"singleSymbol\"", "", {drawing}); }

struct Category {
  std::string value, label;
  Drawing drawing;
};

std::string categorized(const std::string& field, const std::vector<Category>& categories) {
  std::string classes = "<categories>\n";
  std::vector<Drawing> drawings;
  for (const Category& category : categories) {
    classes += "<category" + attribute("symbol", std::to_string(drawings.size())) + attribute("value", category.value);
    classes += attribute("label", category.label) + attribute("type", "string") + attribute("render", "true") + "/>\n";
    drawings.push_back(category.drawing);
  }
  return document("type=\"categorizedSymbol\" attr=\"" + field + "\"", classes + "</categories>\n", drawings);
}

// Classes between `breaks`, and one below and one above them. REQUIRES: one colour more than breaks.
std::string graduated(const std::string& field, const std::string& unit, const std::vector<int>& breaks,
                      const Ramp& ramp, Drawing drawing, bool outline_in_color) {
  constexpr int far = 1'000'000;
  std::string classes = "<ranges>\n";
  std::vector<Drawing> drawings;
  for (std::size_t i = 0; i < ramp.size(); ++i) {
    const bool first = i == 0, last = i + 1 == ramp.size();
    const std::string lower = std::to_string(first ? -far : breaks[i - 1]);
    const std::string upper = std::to_string(last ? far : breaks[i]);
    const std::string label = first ? "below " + upper : last ? "above " + lower : lower + " to " + upper;
    classes +=
        "<range" + attribute("symbol", std::to_string(i)) + attribute("lower", lower) + attribute("upper", upper);
    classes += attribute("label", label + " " + unit) + attribute("render", "true") + "/>\n";
    drawing.color = ramp[i];
    if (outline_in_color) drawing.outline = ramp[i];
    drawings.push_back(drawing);
  }
  return document("type=\"graduatedSymbol\" attr=\"" + field + "\" graduatedMethod=\"GraduatedColor\"",
                  classes + "</ranges>\n", drawings);
}

Drawing fill(const Color& color, const Color& outline) {
  return {.symbol = Symbol::fill, .color = color, .outline = outline};
}
Drawing line(const Color& color, double width_mm) {
  return {.symbol = Symbol::line, .color = color, .outline = color, .width_mm = width_mm};
}

std::vector<int> steps(int first, int last, int step) {
  std::vector<int> values;
  for (int value = first; value <= last; value += step) values.push_back(value);
  return values;
}

}  // namespace

std::string buildings() { return single(fill({200, 196, 188}, dark_grey)); }

std::string vegetation() { return single(fill({120, 170, 110, 160}, {90, 140, 80})); }

std::string tiles() {
  // Walls are lines on a map: only their outline shows.
  return categorized("kind", {{"ground", "Ground", fill({230, 226, 215}, {190, 186, 175})},
                              {"roof", "Roof", fill({213, 94, 0}, {150, 60, 0})},
                              {"wall", "Wall", fill({0, 114, 178}, {0, 114, 178})}});
}

std::string edges() {
  return categorized("kind", {{"roof", "Roof edge", line({213, 94, 0}, 0.4)},
                              {"corner", "Vertical corner", line({0, 114, 178}, 0.8)},
                              {"terrain", "Terrain ridge", line({0, 158, 115}, 0.4)}});
}

std::string issues() {
  return categorized("action", {{"dropped", "Dropped", fill({213, 94, 0, 120}, {213, 94, 0})},
                                {"repaired", "Repaired", fill({240, 228, 66, 120}, {170, 160, 30})},
                                {"assumed", "Assumed", fill({86, 180, 233, 120}, {0, 114, 178})}});
}

std::string transmitters() {
  return single({.symbol = Symbol::marker,
                 .color = {213, 94, 0},
                 .outline = {255, 255, 255},
                 .width_mm = 0.4,
                 .size_mm = 5,
                 .marker = "triangle"});
}

std::string path_loss(Symbol symbol) {
  // The outline in the fill's colour closes the seams between tiles and shows walls, which have no area on a map.
  return graduated("path_loss_db", "dB", steps(60, 150, 10), light_to_dark(),
                   {.symbol = symbol, .color = {}, .outline = {}, .width_mm = 0.2, .size_mm = 1.6}, true);
}

std::string prediction_error() {
  return graduated("error_db", "dB", {-15, -10, -6, -3, 3, 6, 10, 15}, blue_to_red(),
                   {.symbol = Symbol::marker, .color = {}, .outline = dark_grey, .width_mm = 0.1, .size_mm = 2.2},
                   false);
}

std::string rays() {
  const Ramp dark_to_light(light_to_dark().rbegin(), light_to_dark().rend());
  return graduated("power_dbm", "dBm", steps(-130, -40, 10), dark_to_light,
                   {.symbol = Symbol::line, .color = {}, .outline = {}, .width_mm = 0.3}, true);
}

}  // namespace tesseray::styles
