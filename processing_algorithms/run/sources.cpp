// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/sources.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/blank_text.h"
#include "core/base/folder_entries.h"
#include "core/base/is_there.h"
#include "core/io/results/result_hash.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_name.h"
#include "core/io/sources/write_ahead_log.h"

namespace tesseray {
namespace {

namespace fs = std::filesystem;

// Of "/vsizip/city.zip/roofs.shp" the archive; empty where there is none on this machine.
fs::path archive_of(const std::string& virtual_path) {
  std::error_code problem;
  const std::size_t begin = virtual_path.find('/', 1);
  for (std::size_t end = virtual_path.size(); begin != std::string::npos && end > begin + 1;
       end = virtual_path.rfind('/', end - 1)) {
    fs::path file = virtual_path.substr(begin + 1, end - begin - 1);
    if (fs::is_regular_file(file, problem)) return file;
  }
  return {};
}

// What the files of a format are called that stand beside the one by which its layers are named.
std::vector<std::string_view> extensions_beside(const fs::path& dataset) {
  const std::string ending = lower_case(dataset.extension().string());
  if (ending == ".shp") return {".shx", ".dbf", ".prj", ".cpg"};
  if (ending == ".tab") return {".dat", ".map", ".id", ".ind"};
  if (ending == ".mif") return {".mid"};
  return {};
}

// Of a file geodatabase, which is a folder, in the order of their names.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files = entries_of(folder);
  std::sort(files.begin(), files.end());
  return files;
}

// Logs in which the latest changes of databases stand until they are put into them.
void append_logs(std::vector<fs::path>& files) {
  const std::size_t count = files.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string log = files[i].string() + "-wal";
    if (holds_changes(log)) files.emplace_back(log);
  }
}

// The files that belong to a source: itself, what stands beside it or in its folder, what a virtual one shows, and the
// archive that it is in. [] for a server's.
std::vector<fs::path> files_of(const std::string& dataset) {
  const bool is_on_disk = is_local_path(dataset) || parts_of_geopackage(dataset);
  // Others are not opened a second time: a server may be slow.
  std::vector<fs::path> files = is_on_disk ? files_of_dataset(dataset) : std::vector<fs::path>{dataset};
  for (fs::path& file : files) {
    if (file.string().starts_with("/vsi")) file = archive_of(file.string());
  }
  std::error_code problem;
  const bool is_geodatabase = lower_case(fs::path(dataset).extension().string()) == ".gdb";
  if (is_geodatabase && fs::is_directory(dataset, problem)) files = files_in(dataset);
  std::vector<fs::path> on_disk;
  for (fs::path& file : files) {
    const bool is_known = std::find(on_disk.begin(), on_disk.end(), file) != on_disk.end();
    if (!is_known && fs::is_regular_file(file, problem)) on_disk.push_back(std::move(file));
  }
  append_logs(on_disk);
  if (!is_local_path(dataset) || on_disk.empty()) return on_disk;
  for (const std::string_view extension : extensions_beside(dataset)) {
    fs::path sibling = on_disk.front();
    if (is_there(sibling.replace_extension(extension))) on_disk.push_back(sibling);
  }
  return on_disk;
}

// Adds a file's bytes to `hash` and returns how many there were; nothing where they cannot be read to their end.
std::optional<std::uint64_t> add_file(const fs::path& path, ResultHash& hash, const Progress& progress) {
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
  return file.eof() ? std::optional(bytes) : std::nullopt;
}

}  // namespace

bool is_plain_path(const std::string& source) { return is_local_path(path_of_source(source).string()); }

fs::path path_of_source(const std::string& source) { return parts_of_source(source).dataset; }

std::string layer_of_source(const std::string& source) {
  const SourceParts parts = parts_of_source(source);
  const std::optional<GeoPackageParts> geopackage = parts_of_geopackage(parts.dataset);
  std::string layer = geopackage ? geopackage->table : std::string();
  for (const auto& [key, value] : parts.options) {
    if (key == "layername") layer = value;
  }
  return layer;
}

RunRecord::Input fingerprint(const std::string& source, const Progress& progress) {
  RunRecord::Input input{.path = without_password(source), .bytes = 0, .hash = {}};
  const std::vector<fs::path> files = files_of(path_of_source(source).string());
  if (files.empty()) return input;
  ResultHash hash;
  for (const fs::path& file : files) {
    const std::optional<std::uint64_t> bytes = add_file(file, hash, progress);
    if (!bytes) return {.path = input.path, .bytes = 0, .hash = {}};
    input.bytes += *bytes;
  }
  input.hash = hash.hexadecimal();
  const fs::path path = path_of_source(source);
  if (path.is_relative()) input.absolute_path = fs::absolute(path).lexically_normal().string();
  return input;
}

}  // namespace tesseray
