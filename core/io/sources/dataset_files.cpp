// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/dataset_files.h"

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>

#include <string_view>

#include "core/base/listed.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

bool is_local_path(const std::string& dataset) {
  if (dataset.starts_with("/vsi") || dataset.starts_with("<") || dataset.starts_with("{")) return false;
  const std::size_t colon = dataset.find(':');
  if (colon == std::string::npos || colon < 2) return true;
  return dataset.find('/') < colon;
}

std::vector<std::filesystem::path> files_of_dataset(const std::string& dataset) {
  // All other local files are what they are called; some, such as GeoJSON, GDAL opens slowly.
  if (is_local_path(dataset) && !lower_case(dataset).ends_with(".vrt")) return {dataset};
  const GdalSession session;
  const GDALDatasetUniquePtr opened(GDALDataset::Open(dataset.c_str(), GDAL_OF_READONLY));
  std::vector<std::filesystem::path> files;
  if (!opened) return files;
  const CPLStringList names(opened->GetFileList());
  for (int i = 0; i < names.size(); ++i) files.emplace_back(names[i]);
  return files;
}

std::string hint_for_zip(const std::string& dataset) {
  if (!is_local_path(dataset) || !lower_case(dataset).ends_with(".zip")) return {};
  const std::string archive = "/vsizip/" + dataset, within = archive + "/";
  // A slash behind its name would hide what lies in folders.
  const CPLStringList names(VSIReadDirRecursive(archive.c_str()));
  std::vector<std::string> files;
  for (int i = 0; i < names.size(); ++i) {
    if (!std::string_view(names[i]).ends_with('/')) files.emplace_back(names[i]);
  }
  constexpr std::size_t most_shown = 8;
  return "unpack it, or give a file in it as " + within + (files.size() == 1 ? files.front() : "NAME") +
         (files.size() > 1 ? "; there are " + listed(files, most_shown) : "");
}

}  // namespace tesseray
