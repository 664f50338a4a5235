// SPDX-License-Identifier: GPL-3.0-or-later
// A scene as bytes and back, section by section in the order of docs/formats.md.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/byte_archive.h"
#include "core/base/error.h"
#include "core/scene/file/scene_file.h"

namespace tesseray {
namespace {

using Bytes = std::vector<std::uint8_t>;

// How terrain heights are stored: as they are, or as differences in steps of the coordinate grid.
enum class HeightCoding : std::uint8_t { plain = 0, steps = 1 };

// The fields of a scene in the file's order, written by Writer and read by Reader: one list for both directions.
class Writer : public ByteWriter {
 public:
  void heights(const Terrain& terrain);
  void cells(const Clutter& clutter);

 private:
  void append_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
};

class Reader : public ByteReader {
 public:
  using ByteReader::ByteReader;
  void heights(Terrain& terrain);
  void cells(Clutter& clutter);

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = *take(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    throw std::length_error("a number without end");
  }
};

// Small numbers of either sign as small unsigned ones: 0, −1, 1, −2, …
std::uint64_t folded(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

// The height in steps of the coordinate grid when that says it to the last bit.
std::optional<std::int64_t> steps_of(float height_m) {
  const double steps = static_cast<double>(height_m) / coordinate_step_m;
  constexpr double most = 1e15;
  if (!(std::fabs(steps) < most) || steps != std::floor(steps)) return std::nullopt;
  if (std::bit_cast<std::uint32_t>(height_m) == std::bit_cast<std::uint32_t>(-0.0F)) return std::nullopt;
  return static_cast<std::int64_t>(steps);
}

// Neighbours are of about one height, so that their difference takes one or two bytes instead of four.
void Writer::heights(const Terrain& terrain) {
  bool on_grid = true;
  for (const float height_m : terrain.height_m) on_grid = on_grid && steps_of(height_m).has_value();
  bytes_.push_back(static_cast<std::uint8_t>(on_grid ? HeightCoding::steps : HeightCoding::plain));
  std::int64_t before = 0;
  for (const float height_m : terrain.height_m) {
    if (on_grid) {
      const std::int64_t steps = *steps_of(height_m);
      append_varint(folded(steps - before));
      before = steps;
    } else {
      append_u32(std::bit_cast<std::uint32_t>(height_m), bytes_);
    }
  }
}

void Reader::heights(Terrain& terrain) {
  HeightCoding coding = HeightCoding::plain;
  choice(coding, HeightCoding::steps);
  const std::size_t least_bytes = coding == HeightCoding::steps ? 1 : 4;
  const std::uint64_t nodes = std::uint64_t{terrain.columns} * terrain.rows;
  if (nodes > bytes_left() / least_bytes) throw std::length_error("too few bytes");
  terrain.height_m.resize(nodes);
  std::int64_t steps = 0;
  for (float& height_m : terrain.height_m) {
    if (coding == HeightCoding::steps) {
      // As unsigned numbers, so that no bytes overflow.
      steps =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(steps) + static_cast<std::uint64_t>(unfolded(varint())));
      height_m = static_cast<float>(static_cast<double>(steps) * coordinate_step_m);
    } else {
      height_m = std::bit_cast<float>(load_u32(take(4)));
    }
  }
}

// Runs of equal cells: how many, and of which class.
void Writer::cells(const Clutter& clutter) {
  for (auto begin = clutter.cells.begin(); begin != clutter.cells.end();) {
    const auto end = std::find_if(begin, clutter.cells.end(), [begin](std::uint8_t cell) { return cell != *begin; });
    append_varint(static_cast<std::uint64_t>(end - begin));
    bytes_.push_back(*begin);
    begin = end;
  }
}

void Reader::cells(Clutter& clutter) {
  constexpr std::uint64_t most_cells = std::uint64_t{1} << 28;
  const std::uint64_t count = std::uint64_t{clutter.columns} * clutter.rows;
  if (count > most_cells) throw std::length_error("too many cells of clutter");
  while (clutter.cells.size() < count) {
    const std::uint64_t length = varint();
    const std::uint8_t clutter_class = *take(1);
    if (length == 0 || length > count - clutter.cells.size() || clutter_class > clutter.classes.size()) {
      throw std::length_error("a run of clutter that cannot be");
    }
    clutter.cells.insert(clutter.cells.end(), length, clutter_class);
  }
}

template <class Archive, class Point>
void visit_place(Archive& archive, Point& p) {
  archive.field(p.x);
  archive.field(p.y);
}

template <class Archive, class Polygon>
void visit_rings(Archive& archive, Polygon& rings) {
  archive.list(rings, 4, [&](auto& ring) { archive.list(ring, 16, [&](auto& p) { visit_place(archive, p); }); });
}

template <class Archive, class Surface>
void visit_terrain(Archive& archive, Surface& terrain) {
  visit_place(archive, terrain.south_west);
  archive.field(terrain.step_x);
  archive.field(terrain.step_y);
  archive.field(terrain.columns);
  archive.field(terrain.rows);
  archive.heights(terrain);
}

template <class Archive, class Cover>
void visit_clutter(Archive& archive, Cover& clutter) {
  visit_place(archive, clutter.south_west);
  archive.field(clutter.step_x);
  archive.field(clutter.step_y);
  archive.field(clutter.columns);
  archive.field(clutter.rows);
  archive.list(clutter.classes, 4, [&](auto& name) { archive.field(name); });
  archive.cells(clutter);
}

template <class Archive, class Part>
void visit_prism(Archive& archive, Part& prism) {
  archive.field(prism.building_id);
  archive.field(prism.source_feature);
  archive.field(prism.part);
  archive.field(prism.bottom_z);
  archive.field(prism.top_z);
  archive.field(prism.on_ground);
  archive.field(prism.material);
  visit_rings(archive, prism.rings);
}

template <class Archive, class Area>
void visit_vegetation(Archive& archive, Area& area) {
  archive.field(area.source_feature);
  archive.field(area.bottom_z);
  archive.field(area.top_z);
  visit_rings(archive, area.rings);
}

template <class Archive, class Site>
void visit_transmitter(Archive& archive, Site& transmitter) {
  archive.field(transmitter.transmitter_id);
  archive.field(transmitter.name);
  visit_place(archive, transmitter.position);
  archive.field(transmitter.position.z);
  archive.field(transmitter.height_above_ground_m);
  archive.field(transmitter.frequency_hz);
  archive.field(transmitter.erp_dbm);
  archive.choice(transmitter.antenna, AntennaKind::beam);
  archive.field(transmitter.antenna_details.beamwidth_deg);
  archive.field(transmitter.antenna_details.name);
  archive.field(transmitter.azimuth_deg);
  archive.field(transmitter.grid_azimuth_deg);
  archive.field(transmitter.downtilt_deg);
  archive.choice(transmitter.polarization, Polarization::slant_minus_45);
  archive.field(transmitter.diameter_m);
}

template <class Archive, class Content>
void visit_content(Archive& archive, Content& content) {
  auto& scene = content.scene;
  visit_place(archive, scene.frame.origin);
  archive.field(scene.frame.crs_wkt);
  archive.field(scene.frame.crs_name);
  visit_place(archive, scene.extent.min);
  visit_place(archive, scene.extent.max);
  archive.field(content.tiling_options.tile_area_m2);
  archive.field(content.tiling_options.min_wall_width_m);
  archive.field(content.tiling_options.min_wall_area_m2);
  archive.field(content.tiling_options.ridge_angle_deg);
  archive.list(scene.materials, 52, [&](auto& material) {
    archive.field(material.name);
    for (auto* number :
         {&material.a, &material.b, &material.c, &material.d, &material.minimum_ghz, &material.maximum_ghz}) {
      archive.field(*number);
    }
  });
  visit_terrain(archive, scene.terrain);
  archive.list(scene.prisms, 43, [&](auto& prism) { visit_prism(archive, prism); });
  archive.list(scene.vegetation, 28, [&](auto& area) { visit_vegetation(archive, area); });
  visit_clutter(archive, scene.clutter);
  archive.list(content.transmitters, 106, [&](auto& site) { visit_transmitter(archive, site); });
}

// What tiling and occlusion rely on.
void check_scene(const Scene& scene) {
  if (scene.materials.empty() || scene.terrain.columns < 2 || scene.terrain.rows < 2) {
    throw std::length_error("no materials, or no terrain");
  }
  for (const Prism& prism : scene.prisms) {
    if (prism.rings.empty() || prism.material >= scene.materials.size()) throw std::length_error("a part of nothing");
  }
}

}  // namespace

std::vector<std::uint8_t> encoded_scene(const SceneFile& content) {
  for (const Transmitter& transmitter : content.transmitters) {
    if (transmitter.antenna != AntennaKind::pattern_file) continue;
    throw Error(ErrorKind::invalid_input, "antenna_not_storable",
                "transmitter '" + transmitter.name + "' has an antenna from the pattern file " +
                    transmitter.antenna_details.file + ", which a scene file does not hold",
                "give it a built-in antenna or a beam, or leave the transmitters out");
  }
  Writer writer;
  visit_content(writer, content);
  return writer.take();
}

SceneFile decoded_scene(std::span<const std::uint8_t> bytes) {
  SceneFile content;
  Reader reader(bytes);
  visit_content(reader, content);
  reader.require_end();
  check_scene(content.scene);
  return content;
}

}  // namespace tesseray
