// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/styles.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace tesseray::styles {

namespace {

using qml::Color;
using qml::Drawing;
using qml::Symbol;

using Ramp = std::vector<Color>;

// matplotlib's viridis from its light to its dark end.
const Ramp& light_to_dark() {
  static const Ramp ramp = {{253, 231, 37}, {189, 223, 38}, {122, 209, 81}, {68, 191, 112},
                            {34, 168, 132}, {33, 144, 141}, {42, 120, 142}, {53, 95, 141},
                            {65, 68, 135},  {72, 36, 117},  {68, 1, 84}};
  return ramp;
}

const Ramp& dark_to_light() {
  static const Ramp ramp(light_to_dark().rbegin(), light_to_dark().rend());
  return ramp;
}

// ColorBrewer's RdBu from blue over white to red.
const Ramp& blue_to_red() {
  static const Ramp ramp = {{18, 73, 132},   {54, 129, 186},  {126, 184, 215}, {202, 225, 238}, {246, 247, 247},
                            {252, 213, 191}, {236, 147, 116}, {200, 68, 64},   {138, 11, 37}};
  return ramp;
}

constexpr Color dark_grey{60, 60, 60};

// Classes between `breaks`, and one below and one above them. `drawing` gets each class's colour.
// REQUIRES: one colour more than breaks.
std::vector<qml::Range> classes(const std::vector<int>& breaks, const Ramp& ramp, const std::string& unit,
                                Drawing drawing, bool outline_in_color) {
  constexpr int far = 1'000'000;
  std::vector<qml::Range> ranges;
  for (std::size_t i = 0; i < ramp.size(); ++i) {
    const bool first = i == 0, last = i + 1 == ramp.size();
    const int lower = first ? -far : breaks[i - 1], upper = last ? far : breaks[i];
    std::string label = first  ? "below " + std::to_string(upper)
                        : last ? "above " + std::to_string(lower)
                               : std::to_string(lower) + " to " + std::to_string(upper);
    label.append(" ").append(unit);
    drawing.color = ramp[i];
    if (outline_in_color) drawing.outline = ramp[i];
    ranges.push_back({lower, upper, std::move(label), drawing});
  }
  return ranges;
}

Drawing fill(const Color& color, const Color& outline) {
  return {.symbol = Symbol::fill, .color = color, .outline = outline};
}
Drawing line(const Color& color, double width_mm) {
  return {.symbol = Symbol::line, .color = color, .outline = color, .width_mm = width_mm};
}
Drawing upright_line(const Color& color, double width_mm, double size_mm) {
  Drawing drawing = line(color, width_mm);
  drawing.size_mm = size_mm;
  drawing.upright = true;
  return drawing;
}

std::vector<int> steps(int first, int last, int step) {
  std::vector<int> values;
  for (int value = first; value <= last; value += step) values.push_back(value);
  return values;
}

// A quarter of the light less each time; after four times the colour itself again.
Color darker(Color color, std::size_t times) {
  for (std::size_t i = 0; i < times % 5; ++i) {
    for (int* part : {&color.red, &color.green, &color.blue}) *part = *part * 3 / 4;
  }
  return color;
}

// A category for each of the names, in their order.
std::vector<qml::Category> colored_by_name(const std::vector<std::string>& names, Drawing drawing,
                                           bool outline_in_color) {
  // Okabe and Ito's colours and lighter tones of them, then the same darker and darker: neighbours in the list differ.
  constexpr Color colors[] = {{0, 114, 178},   {230, 159, 0},   {0, 158, 115},   {204, 121, 167},
                              {86, 180, 233},  {213, 94, 0},    {240, 228, 66},  {110, 110, 110},
                              {128, 185, 218}, {246, 213, 145}, {140, 210, 190}, {232, 193, 216}};
  std::vector<qml::Category> categories;
  for (std::size_t i = 0; i < names.size(); ++i) {
    drawing.color = darker(colors[i % std::size(colors)], i / std::size(colors));
    if (outline_in_color) drawing.outline = drawing.color;
    categories.push_back({names[i], names[i], drawing});
  }
  return categories;
}

}  // namespace

Styles buildings() { return {qml::prisms("Buildings", fill({200, 196, 188}, dark_grey), "base_z", "roof_z")}; }

Styles vegetation() {
  return {qml::prisms("Vegetation", fill({120, 170, 110, 160}, {90, 140, 80}), "base_z", "top_z")};
}

Styles tiles() {
  // Walls are lines on a map: only their outline shows.
  return {qml::categorized("Tiles", "kind",
                           {{"ground", "Ground", fill({230, 226, 215}, {190, 186, 175})},
                            {"roof", "Roof", fill({238, 190, 130}, {200, 140, 70})},
                            {"wall", "Wall", fill({96, 140, 180}, {96, 140, 180})}})};
}

Styles edges() {
  return {qml::categorized("Edges", "kind",
                           {{"roof", "Roof edge", line({213, 94, 0}, 0.4)},
                            {"corner", "Vertical corner", upright_line({0, 114, 178}, 0.8, 1.2)},
                            {"terrain", "Terrain ridge", line({0, 158, 115}, 0.4)}})};
}

Styles issues() {
  // Outlines alone: a fill would mix with the colours of the result beneath.
  const auto outline = [](const Color& color) {
    return Drawing{.color = {color.red, color.green, color.blue, 0}, .outline = color, .width_mm = 0.5};
  };
  return {qml::categorized("Issues", "action",
                           {{"dropped", "Dropped", outline({213, 94, 0})},
                            {"repaired", "Repaired", outline({204, 121, 167})},
                            {"assumed", "Assumed", outline({0, 114, 178})}})};
}

Styles transmitters() {
  const Drawing triangle{.symbol = Symbol::marker,
                         .color = {213, 94, 0},
                         .outline = {255, 255, 255},
                         .width_mm = 0.4,
                         .size_mm = 5,
                         .marker = "triangle",
                         .sphere_m = 5};
  return {qml::labelled(qml::single("Transmitters", triangle), "name")};
}

Styles path_loss(Symbol symbol, const TargetOverlap& overlap) {
  // The outline in the fill's colour closes the seams between tiles and shows walls, which have no area on a map.
  const Drawing target{.symbol = symbol, .width_mm = 0.2, .size_mm = 1.6, .sphere_m = 1};
  // One transmitter's tiles lie beside each other, ground, roofs, walls as they are stored: no order, drawn sooner.
  const auto order = [&](const qml::DrawnBy& value) {
    std::vector<qml::DrawnBy> by;
    if (overlap.of_transmitters && overlap.of_kinds) by.push_back({"kind"});
    if (overlap.of_transmitters) by.push_back(value);
    return by;
  };
  return {qml::graduated("Path loss", "path_loss_db", classes(steps(60, 150, 10), light_to_dark(), "dB", target, true),
                         order({"path_loss_db", false})),
          qml::graduated("Received power", "received_power_dbm",
                         classes(steps(-120, -30, 10), dark_to_light(), "dBm", target, true),
                         order({"received_power_dbm", true}))};
}

Styles path_loss_table() { return {qml::table("Path loss")}; }

Styles fingerprints() {
  return {qml::single("Fingerprints", {.symbol = Symbol::marker,
                                       .color = {0, 114, 178},
                                       .outline = {0, 114, 178},
                                       .width_mm = 0.1,
                                       .size_mm = 1.2,
                                       .sphere_m = 1})};
}

Styles located() {
  const Drawing point{.symbol = Symbol::marker, .outline = dark_grey, .width_mm = 0.1, .size_mm = 2.6, .sphere_m = 1.5};
  return {qml::graduated("Spread", "spread_m",
                         classes({5, 10, 20, 30, 50, 75, 100, 150, 200, 300}, light_to_dark(), "m", point, false))};
}

Styles power_delay_profile() { return {qml::table("Power-delay profile")}; }

Styles antenna_pattern() { return {qml::table("Antenna pattern")}; }

Styles error_statistics() { return {qml::table("Error statistics")}; }

namespace {

// By itself QGIS takes the first text: why a measurement was not used, which is NULL for most.
qml::Style called_by_measurement(qml::Style style) { return qml::titled(std::move(style), "measurement_id"); }

}  // namespace

Styles prediction_error() {
  const Drawing point{.symbol = Symbol::marker, .outline = dark_grey, .width_mm = 0.1, .size_mm = 2.2, .sphere_m = 1.5};
  std::vector<qml::Range> ranges = classes({-15, -10, -6, -3, 3, 6, 10, 15}, blue_to_red(), "dB", point, false);
  ranges.front().label += " (predicted too weak)";
  ranges.back().label += " (predicted too strong)";
  return {called_by_measurement(qml::graduated("Prediction error", "error_db", ranges))};
}

Styles arrival_time_error() {
  const Drawing point{.symbol = Symbol::marker, .outline = dark_grey, .width_mm = 0.1, .size_mm = 2.2, .sphere_m = 1.5};
  std::vector<qml::Range> ranges =
      classes({-1000, -500, -250, -100, 100, 250, 500, 1000}, blue_to_red(), "ns", point, false);
  ranges.front().label += " (predicted too early)";
  ranges.back().label += " (predicted too late)";
  return {called_by_measurement(qml::graduated("Prediction error", "error_ns", ranges))};
}

Styles rays() {
  const Drawing ray{.symbol = Symbol::line, .width_mm = 0.3};
  return {qml::graduated("Rays", "power_dbm", classes(steps(-130, -40, 10), dark_to_light(), "dBm", ray, true))};
}

Styles explained_rays() {
  // Okabe and Ito's colours, in the order in which they are told apart best.
  Styles styles = {qml::categorized("Mechanism", "mechanism",
                                    {{"direct", "Direct", line({0, 0, 0}, 0.6)},
                                     {"reflection", "Reflection", line({0, 114, 178}, 0.4)},
                                     {"diffraction", "Diffraction", line({213, 94, 0}, 0.4)},
                                     {"scattering", "Scattering", line({0, 158, 115}, 0.2)},
                                     {"over_rooftop", "Over rooftops", line({204, 121, 167}, 0.4)},
                                     {"through_building", "Through a building", line({86, 180, 233}, 0.4)}})};
  for (qml::Style& by_power : rays()) styles.push_back(std::move(by_power));
  return styles;
}

Styles best_server(Symbol symbol, const std::vector<std::string>& transmitters) {
  const Drawing target{.symbol = symbol, .width_mm = 0.2, .size_mm = 1.6, .sphere_m = 1};
  // White, which no transmitter has, between borders: seen on any ground, and beside the page.
  Drawing unserved = target;
  unserved.color = {255, 255, 255};
  unserved.outline = {190, 186, 175};
  unserved.width_mm = 0.1;
  std::vector<qml::Category> servers = colored_by_name(transmitters, target, true);
  servers.push_back({std::nullopt, "no server", unserved});
  return {qml::categorized("Best server", "transmitter", servers),
          qml::graduated("Signal to interference and noise", "sinr_db",
                         classes({-6, -3, 0, 3, 6, 10, 15, 20, 25, 30}, dark_to_light(), "dB", target, true)),
          qml::graduated("Received power", "received_power_dbm",
                         classes(steps(-120, -30, 10), dark_to_light(), "dBm", target, true))};
}

Styles district_coverage(const std::vector<CoveredShare>& shares, const std::vector<std::string>& transmitters) {
  const Drawing district{.symbol = Symbol::fill, .outline = dark_grey, .width_mm = 0.3};
  Styles styles;
  for (const CoveredShare& share : shares) {
    styles.push_back(qml::graduated("Ground covered at " + share.threshold, share.field,
                                    classes({10, 20, 30, 40, 50, 60, 70, 80, 90, 95}, dark_to_light(),
                                            "% at \u2265 " + share.threshold, district, false)));
  }
  styles.push_back(qml::graduated("Median received power", "median_dbm",
                                  classes(steps(-120, -30, 10), dark_to_light(), "dBm", district, false)));
  styles.push_back(qml::categorized("Best server", "best_server", colored_by_name(transmitters, district, false)));
  return styles;
}

Styles district_transmitters() { return {qml::table("Transmitters by district")}; }

}  // namespace tesseray::styles
