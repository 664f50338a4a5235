// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/file/scene_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/little_endian.h"
#include "core/base/mapped_file.h"
#include "core/base/staged_file.h"

namespace tesseray {
namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'S', 'C', 'N'};
constexpr std::uint32_t format_version = 2;
constexpr std::size_t header_bytes = 40;

Error refusal(const std::filesystem::path& path, std::string code, const std::string& reason) {
  return Error(ErrorKind::invalid_input, std::move(code), "the scene file is refused: " + reason,
               "make it anew with exportscene", {.file = path.string()});
}

std::vector<std::uint8_t> encoded_header(std::span<const std::uint8_t> content, std::uint64_t hash) {
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  append_u32(format_version, bytes);
  append_u64(header_bytes + content.size(), bytes);
  append_u64(hash, bytes);
  append_u64(xxh64(content), bytes);
  append_u64(xxh64(bytes), bytes);
  return bytes;
}

}  // namespace

void write_scene_file(const SceneFile& content, const FileTarget& target) {
  const std::vector<std::uint8_t> bytes = encoded_scene(content);
  StagedFile file(target);
  file.write(0, encoded_header(bytes, scene_hash(content.scene)));
  file.write(header_bytes, bytes);
  file.flush();
  file.publish();
}

SceneFile read_scene_file(const std::filesystem::path& path) {
  const MappedFile mapped(path);
  const std::span<const std::uint8_t> file = mapped.bytes();
  if (file.size() < magic.size() || !std::equal(magic.begin(), magic.end(), file.begin())) {
    throw refusal(path, "foreign_scene", "it is not a scene file");
  }
  const auto truncated = [&](std::uint64_t expected) {
    return refusal(path, "truncated_scene",
                   "it ends too early (" + std::to_string(file.size()) + " bytes of " + std::to_string(expected) + ")");
  };
  if (file.size() < header_bytes) throw truncated(header_bytes);
  if (const std::uint32_t version = load_u32(file.data() + 4); version != format_version) {
    throw refusal(path, "unsupported_scene_version",
                  "it has format version " + std::to_string(version) + ", and this program reads version " +
                      std::to_string(format_version));
  }
  if (load_u64(file.data() + 32) != xxh64(file.first(32)))
    throw refusal(path, "damaged_scene", "its header is damaged");
  if (const std::uint64_t expected = load_u64(file.data() + 8); file.size() < expected) {
    throw truncated(expected);
  } else if (file.size() > expected) {
    throw refusal(path, "damaged_scene", "there are bytes after its end");
  }
  const std::span<const std::uint8_t> content = file.subspan(header_bytes);
  if (load_u64(file.data() + 24) != xxh64(content)) throw refusal(path, "damaged_scene", "its content is damaged");
  try {
    SceneFile scene_file = decoded_scene(content);
    if (scene_hash(scene_file.scene) != load_u64(file.data() + 16)) {
      throw refusal(path, "damaged_scene", "its content does not fit its hash");
    }
    return scene_file;
  } catch (const std::length_error& wrong) {
    throw refusal(path, "damaged_scene", std::string("its content is damaged: ") + wrong.what());
  }
}

bool is_scene_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> begin{};
  file.read(begin.data(), begin.size());
  return file && std::equal(begin.begin(), begin.end(), magic.begin(),
                            [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

}  // namespace tesseray
