// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/sources.h"

#include <array>
#include <cstddef>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/blank_text.h"
#include "core/io/results/result_hash.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/passwords.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

// The files that belong to a source: itself, and what stands beside a shapefile.
std::vector<fs::path> files_of(const fs::path& path) {
  std::vector<fs::path> files{path};
  if (lower_case(path.extension().string()) != ".shp") return files;
  for (const char* extension : {".shx", ".dbf", ".prj", ".cpg"}) {
    fs::path sibling = path;
    if (fs::exists(sibling.replace_extension(extension))) files.push_back(sibling);
  }
  return files;
}

// Adds a file's bytes to `hash` and returns how many there were.
std::uint64_t add_file(const fs::path& path, ResultHash& hash, const Progress& progress) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t bytes = 0;
  while (file) {
    progress.throw_if_cancelled();
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto read = static_cast<std::size_t>(file.gcount());
    hash.add(std::string_view(block.data(), read));
    bytes += read;
  }
  return bytes;
}

}  // namespace

bool is_plain_path(const std::string& source) { return is_local_path(path_of_source(source).string()); }

fs::path path_of_source(const std::string& source) { return source.substr(0, source.find('|')); }

std::string layer_of_source(const std::string& source) {
  for (const std::string& part : split(source, '|')) {
    constexpr std::string_view key = "layername=";
    if (part.starts_with(key)) return part.substr(key.size());
  }
  return source.starts_with("GPKG:") ? source.substr(source.rfind(':') + 1) : std::string();
}

RunRecord::Input fingerprint(const std::string& source, const Progress& progress) {
  RunRecord::Input input{.path = without_password(source), .bytes = 0, .hash = {}};
  std::error_code problem;
  if (!is_plain_path(source) || !fs::is_regular_file(path_of_source(source), problem)) return input;
  ResultHash hash;
  for (const fs::path& file : files_of(path_of_source(source))) input.bytes += add_file(file, hash, progress);
  input.hash = hash.hexadecimal();
  return input;
}

}  // namespace tesseray
