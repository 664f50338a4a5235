// SPDX-License-Identifier: GPL-3.0-or-later
// The scene file (.tscene): a cleaned scene, how to cut it into tiles, and transmitters, for machines without GIS
// libraries. docs/formats.md describes its bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/staged_file.h"
#include "core/scene/scene.h"
#include "core/scene/tiling_options.h"
#include "core/scene/transmitter.h"

namespace tesseray {

struct SceneFile {
  Scene scene;
  TilingOptions tiling_options;
  std::vector<Transmitter> transmitters;  // none with an antenna from a pattern file
};

// Writes beside `target` and renames when complete. Throws Error(invalid_input) for a transmitter whose antenna is a
// pattern from a file, Error(resources) when the disk is full.
void write_scene_file(const SceneFile& content, const FileTarget& target);

// What was written, to the last bit. Throws Error(invalid_input) for a foreign, truncated or damaged file or one of
// another version, saying which.
SceneFile read_scene_file(const std::filesystem::path& path);

// True when the file begins as scene files do; false as well when it cannot be read.
bool is_scene_file(const std::filesystem::path& path);

// The file's content after its header.
std::vector<std::uint8_t> encoded_scene(const SceneFile& content);
// REQUIRES nothing: throws std::length_error when `bytes` are not the whole content of a scene file.
SceneFile decoded_scene(std::span<const std::uint8_t> bytes);

}  // namespace tesseray
