// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/file/kept_beside.h"

#include <algorithm>

#include "core/base/checksum.h"
#include "core/base/is_there.h"
#include "core/base/little_endian.h"
#include "core/base/mapped_file.h"
#include "core/base/staged_file.h"
#include "core/visibility/file/visibility_file.h"

namespace tesseray {
namespace {

constexpr std::size_t head_bytes = 56;

// What the head says before its checksums.
std::vector<std::uint8_t> asked_for(const KeptKind& kind, const KeptBeside& beside) {
  std::vector<std::uint8_t> head;
  append_u32(kind.letters, head);
  append_u32(kind.format_version, head);
  append_u64(beside.environment_hash, head);
  append_f64(beside.options.max_distance_m, head);
  append_f64(beside.receiver_height_m, head);
  append_u32(beside.elements, head);
  append_u32(0, head);
  return head;
}

std::vector<std::uint8_t> encoded_head(const KeptKind& kind, const KeptBeside& beside,
                                       std::span<const std::uint8_t> content) {
  std::vector<std::uint8_t> head = asked_for(kind, beside);
  append_u64(xxh64(content), head);
  append_u64(xxh64(head), head);
  return head;
}

// True for a whole file that was made for what is asked for.
bool is_as_asked_for(std::span<const std::uint8_t> bytes, const KeptKind& kind, const KeptBeside& beside) {
  if (bytes.size() < head_bytes) return false;
  const std::vector<std::uint8_t> head = encoded_head(kind, beside, bytes.subspan(head_bytes));
  return std::equal(head.begin(), head.end(), bytes.begin());
}

}  // namespace

std::optional<KeptBeside> kept_beside(const Visibility& visibility, double receiver_height_m) {
  const VisibilityFile* const file = visibility.file();
  if (!file || !is_there(file->path())) return std::nullopt;
  return KeptBeside{file->path(), file->info().environment_hash, file->info().options, visibility.element_count(),
                    receiver_height_m};
}

std::filesystem::path kept_file(const KeptKind& kind, const KeptBeside& beside) {
  std::filesystem::path file = beside.visibility_file;
  return file.replace_extension(kind.extension);
}

std::optional<std::vector<std::uint8_t>> read_kept(const KeptKind& kind, const KeptBeside& beside) {
  const std::filesystem::path path = kept_file(kind, beside);
  if (!is_there(path)) return std::nullopt;
  const MappedFile mapped(path);
  const std::span<const std::uint8_t> bytes = mapped.bytes();
  if (bytes.size() < 4 || load_u32(bytes.data()) != kind.letters) {
    throw Error(ErrorKind::invalid_input, "foreign_kept_file", "the file does not hold " + kind.what,
                "rename it, so that this can be kept beside the visibility", {.file = path.string()});
  }
  if (!is_as_asked_for(bytes, kind, beside)) return std::nullopt;
  const std::span<const std::uint8_t> content = bytes.subspan(head_bytes);
  return std::vector<std::uint8_t>(content.begin(), content.end());
}

void write_kept(const KeptKind& kind, const KeptBeside& beside, std::span<const std::uint8_t> content) {
  StagedFile staged(kept_file(kind, beside));
  staged.write(0, encoded_head(kind, beside, content));
  staged.write(head_bytes, content);
  staged.flush();
  staged.publish();
}

}  // namespace tesseray
