// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gdal_session.h"

#include <cpl_conv.h>
#include <gdal_priv.h>

#include <filesystem>

namespace tesseray {

GdalSession::GdalSession() {
  CPLPushErrorHandlerEx(collect, this);
  static const bool registered = (GDALAllRegister(), true);
  static_cast<void>(registered);
  // GDAL would otherwise put the OSM driver's scratch files into the working directory, which may be read-only.
  if (CPLGetConfigOption("CPL_TMPDIR", nullptr) == nullptr) {
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
    if (!failed) {
      CPLSetThreadLocalConfigOption("CPL_TMPDIR", folder.c_str());
      set_temporary_folder_ = true;
    }
  }
}

GdalSession::~GdalSession() {
  if (set_temporary_folder_) CPLSetThreadLocalConfigOption("CPL_TMPDIR", nullptr);
  CPLPopErrorHandler();
}

void CPL_STDCALL GdalSession::collect(CPLErr severity, CPLErrorNum /*number*/, const char* message) {
  auto* session = static_cast<GdalSession*>(CPLGetErrorHandlerUserData());
  if (severity >= CE_Failure) session->last_failure_ = message;
}

}  // namespace tesseray
