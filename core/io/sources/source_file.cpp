// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/source_file.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/folder_entries.h"
#include "core/base/is_there.h"
#include "core/io/sources/dataset_files.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/text_values.h"
#include "core/io/sources/write_ahead_log.h"

namespace tesseray {
namespace {

std::string files_beside(const std::filesystem::path& path) {
  std::vector<std::string> names;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const std::filesystem::path& beside : entries_of(folder)) names.push_back(beside.filename());
  std::sort(names.begin(), names.end());
  return nearest_name(path.filename().string(), names);
}

}  // namespace

void require_permission_to_read(const std::string& dataset) {
  std::error_code failed;
  const bool is_there = std::filesystem::exists(dataset, failed);
  if (failed != std::errc::permission_denied && (!is_there || access(dataset.c_str(), R_OK) == 0)) return;
  throw Error(ErrorKind::invalid_input, "unreadable_file", "the permission to read this is missing",
              "let its owner give it, or take a copy that you may read", {.file = without_password(dataset)});
}

void require_file(const std::string& dataset, const std::string& parameter) {
  if (dataset.empty()) {
    throw Error(ErrorKind::invalid_input, "missing_parameter", parameter + " is not given", "name a file or layer");
  }
  if (!is_local_path(dataset)) return refuse_unread_changes(dataset);
  std::error_code failed;
  const bool is_there = std::filesystem::exists(dataset, failed);
  require_permission_to_read(dataset);
  if (is_pipe_or_device(dataset)) {
    throw Error(ErrorKind::invalid_input, "unreadable_file",
                "this is a pipe or a device, and files are read more than once",
                "write what comes through it to a file, and name that", {.file = dataset});
  }
  if (is_there && std::filesystem::is_regular_file(dataset, failed) &&
      std::filesystem::file_size(dataset, failed) == 0 && !failed) {
    throw Error(ErrorKind::invalid_input, "unreadable_file", "the file is empty, of 0 bytes",
                "make or copy it anew: what wrote it was broken off, or the disk was full", {.file = dataset});
  }
  if (is_there) return refuse_unread_changes(dataset);
  const std::string near = files_beside(dataset);
  throw Error(ErrorKind::invalid_input, "file_not_found", "there is no such file",
              near.empty() ? "check the path given as " + parameter : "did you mean " + near + "?",
              {.file = without_password(dataset)});
}

}  // namespace tesseray
