// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/surface_stage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/io/readers/material_text.h"
#include "core/io/sources/text_values.h"
#include "core/physics/material.h"
#include "core/propagation/scattering/scattering_lobes.h"
#include "processing_algorithms/run/spelling.h"
#include "processing_algorithms/stages/frequency_ranges.h"
#include "processing_algorithms/stages/ray_parameters.h"

namespace tesseray {
namespace {

constexpr Choice<ScatteringModel> scattering_models[] = {{"reciprocal", ScatteringModel::reciprocal},
                                                         {"reflected", ScatteringModel::reflected},
                                                         {"incident", ScatteringModel::incident}};
enum class Lobe { lambertian, directive };
constexpr Choice<Lobe> lobes[] = {{"lambertian", Lobe::lambertian}, {"directive", Lobe::directive}};

// In place of a name: the material of PERMITTIVITY and CONDUCTIVITY.
constexpr char by_numbers[] = "by_numbers";

std::vector<std::string> material_names() {
  std::vector<std::string> names{by_numbers};
  for (const ItuMaterial& material : itu_materials()) names.emplace_back(material.name);
  return names;
}

// Of what is no name of a material: permittivity and conductivity.
ElectricProperties material_numbers(const std::string& text) {
  const std::optional<ElectricProperties> numbers = parse_electric_properties(text);
  if (!numbers) {
    throw std::invalid_argument("'" + text + "' is neither one of " + join(material_names(), ", ") + " nor " +
                                std::string(material_numbers_example) + did_you_mean(text, material_names()));
  }
  const std::string problem = out_of_range(*numbers);
  if (!problem.empty()) {
    throw std::invalid_argument("'" + text + "': " + problem + "; write " + std::string(material_numbers_example));
  }
  return *numbers;
}

Parameter material_parameter(const std::string& name, const std::string& label, const std::string& help) {
  return {.name = name,
          .label = label,
          .help = help + ", by its name in ITU-R P.2040, or in numbers: " + std::string(material_numbers_example) +
                  ", or by_numbers for PERMITTIVITY and CONDUCTIVITY",
          .kind = ParameterKind::enumeration,
          .default_value = by_numbers,
          .choices = material_names(),
          .check_other =
              [](const std::string& text) {
                if (find_itu_material(material_word(text)) == nullptr) material_numbers(text);
              },
          .advanced = true};
}

// The number of the material of that name, or of these numbers, in the scene, where it is added if it is not there yet.
std::uint16_t material_number(Scene& scene, const std::string& text) {
  if (text == by_numbers) return 0;
  const std::string word = material_word(text);
  const std::string name = find_itu_material(word) != nullptr ? word : material_name(material_numbers(text));
  const auto first = scene.materials.begin() + 1;
  const auto found = std::find_if(first, scene.materials.end(), [&](const Material& m) { return m.name == name; });
  if (found != scene.materials.end()) return static_cast<std::uint16_t>(found - scene.materials.begin());
  scene.materials.push_back(*material_named(name));
  return static_cast<std::uint16_t>(scene.materials.size() - 1);
}

Error bad_scattering(const std::string& message) {
  return {ErrorKind::invalid_input, "bad_scattering", "SCATTERING_BY_MATERIAL: " + message,
          "write names and coefficients from 0 to 1, as in \"glass=0.1 brick=0.35 ground=0.2\""};
}

// The place of the default of a kind of surface by its name; nullptr for other names.
std::uint16_t* default_of_surface(DefaultMaterials& defaults, const std::string& name) {
  if (name == "ground") return &defaults.ground;
  if (name == "wall") return &defaults.wall;
  return name == "roof" ? &defaults.roof : nullptr;
}

using ScatteringByName = std::map<std::string, double>;

// Each material gets what is said of its own name ("steel"), or else of the material that this is in P.2040 ("metal").
void set_scattering_of_materials(Scene& scene, const ScatteringByName& coefficients) {
  std::set<std::string> names{"ground", "wall", "roof"};
  for (Material& material : scene.materials) {
    const ItuMaterial* const known = find_itu_material(material.name);
    const std::string of_known = known ? std::string(known->name) : material.name;
    auto said = coefficients.find(material.name);
    if (said == coefficients.end()) said = coefficients.find(of_known);
    if (said != coefficients.end()) material.scattering_coefficient = said->second;
    names.insert(material.name);
  }
  for (const auto& [name, coefficient] : coefficients) {
    if (names.contains(name) || find_itu_material(name)) continue;
    throw bad_scattering("there is no material \"" + name + "\"");
  }
}

// The surfaces get a material of their own, so that others of the same material keep theirs.
void set_scattering_of_surfaces(Scene& scene, std::uint16_t& number, double coefficient) {
  scene.materials.push_back(scene.materials[number]);
  scene.materials.back().scattering_coefficient = coefficient;
  number = static_cast<std::uint16_t>(scene.materials.size() - 1);
}

// "name=number" by name, of materials in numbers by their one spelling.
ScatteringByName scattering_by_material(const std::string& text) {
  ScatteringByName result;
  std::string separated = text;
  std::replace_if(
      separated.begin(), separated.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(separated);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) throw bad_scattering("\"" + word + "\" has no =");
    if (sign == 0) throw bad_scattering("\"" + word + "\" has no name");
    const std::optional<double> number = parse_number(word.substr(sign + 1));
    if (!number || *number < 0 || *number > 1) throw bad_scattering("\"" + word + "\" has no number from 0 to 1");
    const std::string name = lower_case(word.substr(0, sign));
    const std::optional<ElectricProperties> numbers = parse_electric_properties(name);
    if (!result.emplace(numbers ? material_name(*numbers) : name, *number).second) {
      throw bad_scattering("\"" + name + "\" is there twice");
    }
  }
  return result;
}

}  // namespace

std::vector<Parameter> material_parameters() {
  using Kind = ParameterKind;
  const Material material;
  return {
      material_parameter("WALL_MATERIAL", "Walls", "what walls are made of that have no material of their own"),
      material_parameter("ROOF_MATERIAL", "Roofs", "what roofs are made of"),
      material_parameter("GROUND_MATERIAL", "Ground", "what the ground is made of"),
      {.name = "PERMITTIVITY",
       .label = "Permittivity",
       .help = "relative permittivity, real part, of surfaces whose material is given by_numbers",
       .kind = Kind::number,
       .default_value = shortest(material.a),
       .minimum = 1,
       .maximum = greatest_permittivity},
      {.name = "CONDUCTIVITY",
       .label = "Conductivity",
       .help = "conductivity of surfaces whose material is given by_numbers",
       .kind = Kind::number,
       .default_value = shortest(material.c),
       .unit = "S/m",
       .minimum = 0,
       .maximum = greatest_conductivity},
  };
}

namespace {

std::vector<Parameter> scattering_parameters() {
  using Kind = ParameterKind;
  const RayLaunchingOptions defaults;
  return {
      {.name = "SCATTERING_MODEL",
       .label = "Scattering model",
       .help = "what the scattered power is a part of: a form that is the same in both directions, the reflected or "
               "the incident power",
       .kind = Kind::enumeration,
       .default_value = "reciprocal",
       .choices = words(scattering_models),
       .advanced = true},
      {.name = "SCATTERING_COEFFICIENT",
       .label = "Scattering coefficient",
       .help = "amplitude ratio S of the Effective Roughness model; 0 for none",
       .kind = Kind::number,
       .default_value = shortest(defaults.scattering_coefficient),
       .minimum = 0,
       .maximum = 1},
      {.name = "SCATTERING_BY_MATERIAL",
       .label = "Scattering of materials",
       .help = "scattering coefficients of single materials, or of all walls, roofs or ground without a material of "
               "their own, as in \"glass=0.1 brick=0.35 ground=0.2\"; materials in numbers as the environment spells "
               "them (5.31/0.0326=0.3)",
       .kind = Kind::string,
       .optional = true,
       .advanced = true},
      {.name = "SCATTERING_LOBE",
       .label = "Scattering lobe",
       .help = "where scattered power goes: by Lambert's law, or mainly about the specular direction",
       .kind = Kind::enumeration,
       .default_value = "lambertian",
       .choices = words(lobes),
       .advanced = true},
      {.name = "LOBE_EXPONENT",
       .label = "Exponent of the lobe",
       .help = "exponent of the directive lobe; greater is narrower",
       .kind = Kind::number,
       .default_value = "4",
       .minimum = 1,
       .maximum = greatest_lobe_exponent,
       .integer = true,
       .advanced = true},
      {.name = "CROSS_POLARIZATION",
       .label = "Cross-polarised part",
       .help = "the part of the scattered power that is in the other polarisation",
       .kind = Kind::number,
       .default_value = shortest(defaults.cross_polarization),
       .minimum = 0,
       .maximum = 1,
       .advanced = true},
  };
}

// Without a look at frequencies.
Scene with_named_materials(const ParameterValues& values, Scene scene) {
  Material& material = scene.materials.at(0);
  material.a = values.number("PERMITTIVITY");
  material.c = values.number("CONDUCTIVITY");
  material.b = material.d = 0;
  scene.default_materials = {.ground = material_number(scene, values.text("GROUND_MATERIAL")),
                             .wall = material_number(scene, values.text("WALL_MATERIAL")),
                             .roof = material_number(scene, values.text("ROOF_MATERIAL"))};
  return scene;
}

}  // namespace

std::vector<Parameter> surface_parameters() { return concatenated({material_parameters(), scattering_parameters()}); }

Scene with_materials(Run& run, Scene scene, const std::vector<Transmitter>& transmitters) {
  scene = with_named_materials(run.values(), std::move(scene));
  RayLaunchingOptions options;
  read_link_options(run.values(), options);
  warn_of_frequencies(scene, transmitters, options, run.progress());
  return scene;
}

Scene with_surfaces(Run& run, Scene scene, const std::vector<Transmitter>& transmitters) {
  const ParameterValues& values = run.values();
  scene = with_named_materials(values, std::move(scene));
  const ScatteringByName coefficients = scattering_by_material(values.text("SCATTERING_BY_MATERIAL"));
  set_scattering_of_materials(scene, coefficients);
  // What is said of a kind of surface counts more than what is said of its material.
  for (const auto& [name, coefficient] : coefficients) {
    std::uint16_t* const number = default_of_surface(scene.default_materials, name);
    if (number) set_scattering_of_surfaces(scene, *number, coefficient);
  }
  warn_of_frequencies(scene, transmitters, ray_launching_options(values), run.progress());
  return scene;
}

void read_scattering(const ParameterValues& values, RayLaunchingOptions& options) {
  options.scattering_model = values.choice("SCATTERING_MODEL", scattering_models);
  options.scattering_coefficient = values.number("SCATTERING_COEFFICIENT");
  const bool directive = values.choice("SCATTERING_LOBE", lobes) == Lobe::directive;
  options.scattering_lobe_exponent = directive ? values.integer("LOBE_EXPONENT") : 0;
  options.cross_polarization = values.number("CROSS_POLARIZATION");
}

}  // namespace tesseray
