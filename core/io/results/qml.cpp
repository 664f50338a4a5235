// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/qml.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tesseray::qml {

namespace {

// XML 1.0 has no way to write the others.
bool is_in_xml(utf8proc_int32_t letter) {
  return letter == '\t' || letter == '\n' || letter == '\r' || (letter >= 0x20 && letter != 0xFFFE && letter != 0xFFFF);
}

// What XML cannot hold becomes U+FFFD, for which it is there.
std::string with_letters_of_xml(const std::string& text) {
  std::string result;
  const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (auto left = static_cast<utf8proc_ssize_t>(text.size()); left > 0;) {
    utf8proc_int32_t letter = -1;
    const utf8proc_ssize_t bytes = std::max<utf8proc_ssize_t>(utf8proc_iterate(next, left, &letter), 1);
    if (is_in_xml(letter)) {
      result.append(reinterpret_cast<const char*>(next), static_cast<std::size_t>(bytes));
    } else {
      result += "\uFFFD";
    }
    next += bytes;
    left -= bytes;
  }
  return result;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : with_letters_of_xml(text)) {
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
      // As they are they would be read as spaces.
      case '\t':
      case '\n':
      case '\r':
        result += "&#" + std::to_string(c) + ";";
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

// In an expression of QGIS, where a backslash escapes too.
std::string expression_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + "'";
}

std::string option(const std::string& name, const std::string& value, const std::string& type = "QString") {
  return "<Option" + attribute("type", type) + attribute("name", name) + attribute("value", value) + "/>";
}

std::string map(const std::string& options, const std::string& attributes = "") {
  return "<Option type=\"Map\"" + attributes + ">" + options + "</Option>";
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

std::string outline_options(const Drawing& drawing) {
  return option("outline_color", text_of(drawing.outline)) + option("outline_style", "solid") +
         option("outline_width", text_of(drawing.width_mm)) + option("outline_width_unit", "MM");
}

std::string symbol_layer(const Drawing& drawing) {
  const auto layer = [](const std::string& name, const std::string& options, const std::string& part = "") {
    return "<layer" + attribute("class", name) + " enabled=\"1\" locked=\"0\" pass=\"0\">" + map(options) + part +
           "</layer>";
  };
  const auto marker = [&] {
    return layer("SimpleMarker", option("name", drawing.marker) + option("color", text_of(drawing.color)) +
                                     outline_options(drawing) + option("size", text_of(drawing.size_mm)) +
                                     option("size_unit", "MM"));
  };
  switch (drawing.symbol) {
    case Symbol::fill:
      return layer("SimpleFill",
                   option("color", text_of(drawing.color)) + option("style", "solid") + outline_options(drawing));
    case Symbol::line:
      return layer("SimpleLine", option("line_color", text_of(drawing.color)) + option("line_style", "solid") +
                                     option("line_width", text_of(drawing.width_mm)) + option("line_width_unit", "MM") +
                                     option("capstyle", "round")) +
             (drawing.upright ? layer("MarkerLine", option("placements", "FirstVertex") + option("rotate", "0"),
                                      "<symbol type=\"marker\" name=\"\" alpha=\"1\" clip_to_extent=\"1\" "
                                      "force_rhr=\"0\">" +
                                          marker() + "</symbol>")
                              : "");
    case Symbol::marker:
      return marker();
  }
  return "";
}

std::string symbols(const std::vector<Drawing>& drawings) {
  std::string text = "<symbols>\n";
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    text += "<symbol" + attribute("type", symbol_type(drawings[i].symbol)) + attribute("name", std::to_string(i)) +
            " alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\">" + symbol_layer(drawings[i]) + "</symbol>\n";
  }
  return text + "</symbols>\n";
}

std::string drawing_order(const std::vector<DrawnBy>& order) {
  if (order.empty()) return "";
  std::string text = "<orderby>\n";
  for (const DrawnBy& by : order) {
    text += "<orderByClause" + attribute("asc", by.ascending ? "1" : "0") + " nullsFirst=\"1\">" +
            escaped("\"" + by.field + "\"") + "</orderByClause>\n";
  }
  return text + "</orderby>\n";
}

// `classes`: the <ranges> or <categories>; empty for a single symbol.
std::string map_renderer(const std::string& renderer, const std::string& classes, const std::vector<Drawing>& drawings,
                         const std::vector<DrawnBy>& order = {}) {
  return "<renderer-v2 " + renderer + " symbollevels=\"0\"" + attribute("enableorderby", order.empty() ? "0" : "1") +
         " forceraster=\"0\" referencescale=\"-1\">\n" + classes + symbols(drawings) + drawing_order(order) +
         "</renderer-v2>\n";
}

// Ambient light gives most of the colour, so that it can be found in the legend on every side of a house; the rest is
// shaded, so that walls and roofs are told apart.
std::string phong_material(const Color& color) {
  return "<material" + attribute("ambient", text_of(color)) + attribute("diffuse", text_of(color)) +
         attribute("specular", "0,0,0,255") + " ka=\"0.7\" kd=\"0.4\" ks=\"0\" shininess=\"0\" opacity=\"1\"/>";
}

// The layer's own heights are absolute.
constexpr const char* at_own_height = " alt-clamping=\"absolute\" alt-binding=\"vertex\" offset=\"0\"";

std::string fill_in_space(const Color& color, const std::string& data_defined = "") {
  return std::string("<symbol type=\"polygon\" material_type=\"phong\"><data") + at_own_height +
         " extrusion-height=\"0\" culling-mode=\"no-culling\" invert-normals=\"0\" add-back-faces=\"0\" "
         "rendered-facade=\"3\"/>" +
         phong_material(color) + data_defined + "<edges enabled=\"0\" width=\"1\" color=\"0,0,0,255\"/></symbol>";
}

std::string symbol_in_space(const Drawing& drawing) {
  switch (drawing.symbol) {
    case Symbol::fill:
      return fill_in_space(drawing.color);
    case Symbol::line:
      return std::string("<symbol type=\"line\" material_type=\"simpleline\"><data") + at_own_height +
             " extrusion-height=\"0\" simple-lines=\"1\" width=\"2\"/><material" +
             attribute("ambient", text_of(drawing.color)) + "/></symbol>";
    case Symbol::marker:
      return "<symbol type=\"point\" shape=\"sphere\" material_type=\"phong\"><data alt-clamping=\"absolute\"/>" +
             phong_material(drawing.color) + "<shape-properties>" +
             map(option("radius", text_of(drawing.sphere_m), "double")) +
             "</shape-properties><transform matrix=\"1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\"/></symbol>";
  }
  return "";
}

constexpr const char* tiles_in_space = "<vector-layer-3d-tiling zoom-levels-count=\"3\" show-bounding-boxes=\"0\"/>";

std::string space_renderer(const std::string& symbol) {
  return std::string("<renderer-3d type=\"vector\" layer=\"\">") + tiles_in_space + symbol + "</renderer-3d>\n";
}

struct Rule {
  std::string filter, label;
  Drawing drawing;
};

std::string space_renderer(const std::vector<Rule>& rules) {
  std::string text =
      std::string("<renderer-3d type=\"rulebased\" layer=\"\">") + tiles_in_space + "<rules key=\"all\">\n";
  for (std::size_t i = 0; i < rules.size(); ++i) {
    text += "<rule" + attribute("key", "class " + std::to_string(i)) + attribute("description", rules[i].label) +
            attribute("filter", rules[i].filter) + ">" + symbol_in_space(rules[i].drawing) + "</rule>\n";
  }
  return text + "</rules></renderer-3d>\n";
}

// From the base to the roof: the footprint is put down to the base and extruded from there.
std::string extruded(const Color& color, const std::string& base_field, const std::string& top_field) {
  const auto property = [](const std::string& name, const std::string& expression) {
    constexpr const char* expression_based = "3";  // QgsProperty::ExpressionBasedProperty
    return map(
        option("active", "true", "bool") + option("expression", expression) + option("type", expression_based, "int"),
        attribute("name", name));
  };
  const std::string base = "\"" + base_field + "\"", top = "\"" + top_field + "\"";
  const std::string properties =
      property("extrusionHeight", top + " - " + base) + property("height", base + " - " + top);
  return fill_in_space(
      color, "<data-defined-properties>" +
                 map(option("name", "") + map(properties, " name=\"properties\"") + option("type", "collection")) +
                 "</data-defined-properties>");
}

std::string aliases(std::span<const Column> columns) {
  std::string text = "<aliases>\n";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // QGIS counts the feature id as the first field, and goes by the name.
    text += "<alias" + attribute("index", std::to_string(i + 1)) + attribute("field", columns[i].name) +
            attribute("name", column_title(columns[i].name)) + "/>\n";
  }
  return text + "</aliases>\n";
}

}  // namespace

Style single(const std::string& name, const Drawing& drawing) {
  return {name, drawing.symbol,
          map_renderer("type=\"singleSymbol\"", "", {drawing}) + space_renderer(symbol_in_space(drawing))};
}

Style categorized(const std::string& name, const std::string& field, const std::vector<Category>& categories) {
  std::string classes = "<categories>\n";
  std::vector<Drawing> drawings;
  std::vector<Rule> rules;
  for (const Category& category : categories) {
    const std::optional<std::string>& value = category.value;
    classes += "<category" + attribute("symbol", std::to_string(drawings.size())) +
               attribute("value", value.value_or("NULL")) + attribute("label", category.label) +
               attribute("type", value ? "string" : "NULL") + attribute("render", "true") + "/>\n";
    drawings.push_back(category.drawing);
    const std::string is_of_class = value ? " = " + expression_text(*value) : " IS NULL";
    rules.push_back({"\"" + field + "\"" + is_of_class, category.label, category.drawing});
  }
  return {name, drawings.front().symbol,
          map_renderer("type=\"categorizedSymbol\"" + attribute("attr", field), classes + "</categories>\n", drawings) +
              space_renderer(rules)};
}

Style graduated(const std::string& name, const std::string& field, const std::vector<Range>& ranges,
                const std::vector<DrawnBy>& order) {
  std::string classes = "<ranges>\n";
  std::vector<Drawing> drawings;
  std::vector<Rule> rules;
  for (const Range& range : ranges) {
    const std::string lower = std::to_string(range.lower), upper = std::to_string(range.upper);
    classes += "<range" + attribute("symbol", std::to_string(drawings.size())) + attribute("lower", lower) +
               attribute("upper", upper) + attribute("label", range.label) + attribute("render", "true") + "/>\n";
    drawings.push_back(range.drawing);
    std::string rule = "\"" + field + "\" > ";
    rule.append(lower).append(" AND \"").append(field).append("\" <= ").append(upper);
    rules.push_back({rule, range.label, range.drawing});
  }
  return {name, drawings.front().symbol,
          map_renderer("type=\"graduatedSymbol\" graduatedMethod=\"GraduatedColor\"" + attribute("attr", field),
                       classes + "</ranges>\n", drawings, order) +
              space_renderer(rules)};
}

Style table(const std::string& name) { return {name, {}, ""}; }

Style labelled(Style style, const std::string& field) {
  style.labels = "<labeling type=\"simple\"><settings><text-style isExpression=\"0\"" + attribute("fieldName", field) +
                 " fontSize=\"9\" fontSizeUnit=\"Point\" textColor=\"30,30,30,255\"><text-buffer bufferDraw=\"1\" "
                 "bufferSize=\"0.8\" bufferSizeUnits=\"MM\" bufferColor=\"255,255,255,255\"/></text-style>"
                 // Around the point, as near as its marker allows.
                 "<placement placement=\"6\" offsetType=\"1\" dist=\"0.5\" distUnits=\"MM\"/></settings></labeling>\n";
  return style;
}

Style titled(Style style, const std::string& field) {
  style.title_field = field;
  return style;
}

Style prisms(const std::string& name, const Drawing& drawing, const std::string& base_field,
             const std::string& top_field) {
  return {name, drawing.symbol,
          map_renderer("type=\"singleSymbol\"", "", {drawing}) +
              space_renderer(extruded(drawing.color, base_field, top_field))};
}

std::string document(const Style& style, std::span<const Column> columns) {
  const std::string begin = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n<qgis version=\"3.40.0\"";
  if (!style.symbol) return begin + " styleCategories=\"Fields\">\n" + aliases(columns) + "</qgis>\n";
  // QGIS applies a style only to a layer of this geometry: 0 points, 1 lines, 2 polygons.
  const int geometry = *style.symbol == Symbol::marker ? 0 : *style.symbol == Symbol::line ? 1 : 2;
  const std::string title =
      style.title_field.empty()
          ? ""
          : "<previewExpression>" + escaped("\"" + style.title_field + "\"") + "</previewExpression>\n";
  return begin + " styleCategories=\"Symbology|Symbology3D|Labeling|Fields" +
         (title.empty() ? "\"" : "|LayerConfiguration\"") +
         attribute("labelsEnabled", style.labels.empty() ? "0" : "1") + ">\n" + style.elements + style.labels +
         aliases(columns) + title +
         "<blendMode>0</blendMode>\n<featureBlendMode>0</featureBlendMode>\n<layerGeometryType>" +
         std::to_string(geometry) + "</layerGeometryType>\n</qgis>\n";
}

}  // namespace tesseray::qml
