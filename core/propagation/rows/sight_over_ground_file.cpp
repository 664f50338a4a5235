// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/sight_over_ground_file.h"

#include "core/base/little_endian.h"
#include "core/visibility/rows/row_codec.h"

namespace tesseray {
namespace {

constexpr std::uint32_t magic = 0x474f5354;  // "TSOG", read as a little-endian number
constexpr std::uint32_t version = 2;

}  // namespace

const KeptKind sight_over_ground{magic, version, ".tsog", "what is seen from over the ground"};

void write_sight_over_ground(const SightOverGround& sight, const KeptBeside& beside) {
  std::vector<std::uint8_t> bytes;
  append_u32(sight.ground_tiles(), bytes);
  for (std::uint32_t tile = 0; tile < sight.ground_tiles(); ++tile) append_counted_row(sight.beside_row(tile), bytes);
  write_kept(sight_over_ground, beside, bytes);
}

std::optional<SightOverGround> read_sight_over_ground(const KeptBeside& beside) {
  const std::optional<std::vector<std::uint8_t>> content = read_kept(sight_over_ground, beside);
  if (!content || content->size() < 4) return std::nullopt;
  const std::uint8_t* at = content->data();
  const std::uint8_t* const end = at + content->size();
  const std::uint32_t ground_tiles = load_u32(at);
  at += 4;
  if (ground_tiles > beside.elements) return std::nullopt;
  std::vector<std::vector<std::uint32_t>> rows(ground_tiles);
  for (std::vector<std::uint32_t>& row : rows) {
    if (!read_counted_row(at, end, beside.elements, row)) return std::nullopt;
  }
  if (at != end) return std::nullopt;
  return SightOverGround(rows, beside.elements);
}

}  // namespace tesseray
