// SPDX-License-Identifier: GPL-3.0-or-later
// Styles in the XML of QGIS (QML, QGIS 3.40): how the features of a layer are drawn on the map and in the 3D view, and
// what its fields are called.
//
// A style is declared by one drawing (single), by one per value of a field (categorized), or by one per range of a
// field (graduated). The map's renderers work on the field itself, without an expression per feature, which is what
// makes large layers fast. In the 3D view features stand at the heights of their geometries, in the map's colours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/results/column.h"

namespace tesseray::qml {

enum class Symbol { fill, line, marker };

struct Color {
  int red = 0, green = 0, blue = 0, alpha = 255;
};

// How one class is drawn.
struct Drawing {
  Symbol symbol = Symbol::fill;
  Color color = {};
  Color outline = {};
  double width_mm = 0.1;  // of the outline, or of a line
  double size_mm = 2;     // of a marker
  std::string marker = "circle";
  double sphere_m = 2;  // radius of a marker in the 3D view
  // Of a line: it has a marker at its first vertex, too, for a vertical one has no length on the map. The line is what
  // the legend shows.
  bool upright = false;
};

struct Style {
  std::string name;              // what QGIS lists it under
  std::optional<Symbol> symbol;  // none for a table
  std::string elements;          // XML: the renderers
  std::string labels = {};       // XML: the labels
  std::string title_field = {};  // what QGIS calls a feature by; empty: its own choice, mostly the first text
};

struct Category {
  std::optional<std::string> value;  // none for NULL
  std::string label;
  Drawing drawing;
};

// Values v with lower < v ≤ upper, in the field's unit.
struct Range {
  int lower = 0, upper = 0;
  std::string label;
  Drawing drawing;
};

// Features are drawn in the order of these fields, the first counting most; what is drawn later covers what is beneath.
struct DrawnBy {
  std::string field;
  bool ascending = true;
};

Style single(const std::string& name, const Drawing& drawing);
Style categorized(const std::string& name, const std::string& field, const std::vector<Category>& categories);
// Without an `order` features are drawn as they are stored, which is faster.
Style graduated(const std::string& name, const std::string& field, const std::vector<Range>& ranges,
                const std::vector<DrawnBy>& order = {});

// Of a table, which has nothing but fields.
Style table(const std::string& name);

// The style with each feature labelled by `field`.
Style labelled(Style style, const std::string& field);

// The style with each feature called by `field` where QGIS lists and identifies features.
Style titled(Style style, const std::string& field);

// Prisms drawn as footprints at their roofs' height: solid in the 3D view, from `base_field` to `top_field` (absolute
// heights, m).
Style prisms(const std::string& name, const Drawing& drawing, const std::string& base_field,
             const std::string& top_field);

// The whole document, with the titles of the layer's columns as the fields' aliases.
std::string document(const Style& style, std::span<const Column> columns);

}  // namespace tesseray::qml
