// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/dataset_files.h"

#include <cpl_minixml.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/blank_text.h"
#include "core/base/is_there.h"
#include "core/base/listed.h"
#include "core/io/sources/gdal_session.h"

namespace tesseray {
namespace {

constexpr std::string_view root_of_virtual_layers = "<OGRVRTDataSource", root_of_virtual_rasters = "<VRTDataset";

// Where such a root stands: GDAL opens these files by any name.
std::string head_of(const std::string& file) {
  constexpr std::size_t head_bytes = 4096;
  // A pipe gives nothing, or only once.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  std::ifstream opened(file, std::ios::binary);
  std::string head(head_bytes, '\0');
  opened.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(opened.gcount()));
  return head;
}

void append_files(const std::string& dataset, std::vector<std::filesystem::path>& files);

// What virtual layers are of, at and below a node: GDAL lists none for unions and for layers in another CRS.
void append_shown(const CPLXMLNode* node, const std::filesystem::path& folder,
                  std::vector<std::filesystem::path>& files) {
  for (; node != nullptr; node = node->psNext) {
    if (node->eType == CXT_Element && std::string_view(node->pszValue) == "SrcDataSource") {
      const std::string name = CPLGetXMLValue(node, nullptr, "");
      const bool is_relative = CPLTestBool(CPLGetXMLValue(node, "relativeToVRT", "0"));
      append_files(is_relative ? (folder / name).string() : name, files);
    }
    append_shown(node->psChild, folder, files);
  }
}

void append_listed_by_gdal(const std::string& dataset, std::vector<std::filesystem::path>& files) {
  const GdalSession session;
  const GDALDatasetUniquePtr opened(GDALDataset::Open(dataset.c_str(), GDAL_OF_READONLY));
  if (!opened) return;
  const CPLStringList names(opened->GetFileList());
  for (int i = 0; i < names.size(); ++i) files.emplace_back(names[i]);
}

void append_files(const std::string& dataset, std::vector<std::filesystem::path>& files) {
  if (const std::optional<GeoPackageParts> geopackage = parts_of_geopackage(dataset)) {
    files.emplace_back(geopackage->file);
    return;
  }
  const bool is_local = is_local_path(dataset);
  const std::string head = is_local ? head_of(dataset) : std::string();
  const bool has_layers = head.find(root_of_virtual_layers) != std::string::npos;
  const CPLXMLTreeCloser layers(has_layers ? CPLParseXMLFile(dataset.c_str()) : nullptr);
  if (layers) {
    // One that shows itself is no end.
    if (std::find(files.begin(), files.end(), dataset) != files.end()) return;
    files.emplace_back(dataset);
    append_shown(layers.get(), std::filesystem::path(dataset).parent_path(), files);
  } else if (is_local && head.find(root_of_virtual_rasters) == std::string::npos) {
    // All other local files are what they are called; some, such as GeoJSON, GDAL opens slowly.
    files.emplace_back(dataset);
  } else {
    append_listed_by_gdal(dataset, files);
  }
}

}  // namespace

bool is_local_path(const std::string& dataset) {
  if (dataset.starts_with("/vsi") || dataset.starts_with("<") || dataset.starts_with("{")) return false;
  const std::size_t colon = dataset.find(':');
  if (colon == std::string::npos || colon < 2) return true;
  return dataset.find('/') < colon;
}

std::optional<GeoPackageParts> parts_of_geopackage(const std::string& dataset) {
  constexpr std::string_view prefix = "GPKG:";
  if (!dataset.starts_with(prefix)) return std::nullopt;
  const std::string rest = dataset.substr(prefix.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos || is_there(rest)) return GeoPackageParts{rest, {}};
  return GeoPackageParts{rest.substr(0, colon), rest.substr(colon + 1)};
}

std::vector<std::filesystem::path> files_of_dataset(const std::string& dataset) {
  std::vector<std::filesystem::path> files;
  append_files(dataset, files);
  return files;
}

bool is_raster(const std::string& dataset) {
  return is_local_path(dataset) &&
         GDALDatasetUniquePtr(GDALDataset::Open(dataset.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY)) != nullptr;
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
