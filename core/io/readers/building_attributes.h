// SPDX-License-Identifier: GPL-3.0-or-later
// Heights, bases and materials of buildings from the attributes of their features.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/vector_source.h"

namespace tesseray {

// Which attributes of a layer say what, and how they are read. Example:
//   BuildingAttributes attributes(source, input, issues);
//   attributes.read(feature, building, issues);
class BuildingAttributes {
 public:
  // Finds the attributes by the input's names, or by alias; what is assumed about the layer becomes an issue. Throws
  // Error for a field that is not there, and for a missing one of a kind that the user asked for.
  BuildingAttributes(VectorSource& source, const EnvironmentInput& input, std::vector<Issue>& issues);

  // False for a feature of an OSM layer that is no building.
  bool is_building(const OGRFeature& feature);
  // Fills in everything but feature_id and parts, which must be there. What cannot be read stays empty; assumptions are
  // issues.
  void read(const OGRFeature& feature, RawBuilding& building, std::vector<Issue>& issues);
  // Issues that sum up what was found in many features. Call it once, after the last read().
  void finish(std::vector<Issue>& issues) const;
  // The field that names materials; "" for none.
  std::string material_field() const { return material_ ? material_->name() : ""; }
  // Names of materials that were read, without repetition, in alphabetical order.
  const std::set<std::string>& materials() const { return materials_; }

 private:
  std::optional<double> read_height(const OGRFeature& feature, const RawBuilding& building, std::vector<Issue>& issues);
  // Counts a readable height as one without a unit, or in another than is assumed for these.
  void count_unit(const OGRFeature& feature);
  std::optional<double> read_storeys_m(const OGRFeature& feature, const RawBuilding& building,
                                       std::vector<Issue>& issues) const;
  std::optional<double> read_base(const OGRFeature& feature, const RawBuilding& building,
                                  std::vector<Issue>& issues) const;
  std::optional<double> read_entrance(const OGRFeature& feature, const RawBuilding& building,
                                      std::vector<Issue>& issues) const;
  // A name, known or not, or that of properties in numbers; "" for the default.
  std::string read_material(const OGRFeature& feature, const RawBuilding& building, std::vector<Issue>& issues) const;
  void assume_height_from_storeys(const OGRFeature& feature, RawBuilding& building, std::vector<Issue>& issues);

  HeightKind kind_;
  const LengthUnit bare_unit_;  // HEIGHT_UNIT
  LengthUnit unit_;             // of heights: by the name of their field, or that
  double storey_height_m_;
  std::optional<Rectangle> extent_;
  std::string layer_;
  std::optional<Attribute> height_, storeys_, base_, entrance_, material_, osm_building_, osm_part_;
  bool has_osm_tags_ = false;
  std::size_t heights_from_storeys_ = 0;
  std::size_t bare_heights_ = 0, heights_in_other_unit_ = 0;
  std::size_t osm_parts_ = 0;
  std::set<std::string> materials_;
};

}  // namespace tesseray
