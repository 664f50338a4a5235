// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/folder_entries.h"

#include <system_error>

namespace tesseray {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code failed;
  // A failure makes it the end.
  std::filesystem::directory_iterator entry(folder, failed);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(failed)) entries.push_back(entry->path());
  return entries;
}

}  // namespace tesseray
