// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/gdal_session.h"

#include <cpl_conv.h>
#include <gdal_priv.h>

#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "core/io/sources/passwords.h"

namespace tesseray {

GdalSession::GdalSession() {
  CPLPushErrorHandlerEx(collect, this);
  static const bool registered = (GDALAllRegister(), true);
  static_cast<void>(registered);
  // GDAL would otherwise put the OSM driver's scratch files into the working directory, which may be read-only.
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (!failed) set_option("CPL_TMPDIR", folder.string());
  // It takes the first row of a spreadsheet for one of values where all its cells are texts.
  set_option("OGR_XLSX_HEADERS", "FORCE");
  set_option("OGR_ODS_HEADERS", "FORCE");
}

GdalSession::~GdalSession() {
  for (const char* option : set_options_) CPLSetThreadLocalConfigOption(option, nullptr);
  CPLPopErrorHandler();
}

void GdalSession::refuse_for_memory() const {
  if (!wanted_memory_) return;
  throw Error(ErrorKind::resources, "out_of_memory", "the memory is not enough (" + last_failure_ + ")",
              "close other programs, or ask for less");
}

void GdalSession::refuse_locked(const std::string& file) const {
  // SQLite's words, which GDAL hands on without a number.
  if (last_failure_.find("database is locked") == std::string::npos) return;
  throw Error(ErrorKind::invalid_input, "file_locked", "another program is writing to the file or holds it open",
              "wait until it has finished, or close it", {.file = without_password(file)});
}

void GdalSession::refuse_locked_meanwhile(const std::string& file) const {
  refuse_locked(file);
  const GdalSession anew;
  const GDALDatasetUniquePtr opened(
      GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_RASTER | GDAL_OF_READONLY));
  if (opened == nullptr) anew.refuse_locked(file);
}

void GdalSession::set_option(const char* name, const std::string& value) {
  if (CPLGetConfigOption(name, nullptr) != nullptr) return;
  CPLSetThreadLocalConfigOption(name, value.c_str());
  set_options_.push_back(name);
}

void CPL_STDCALL GdalSession::collect(CPLErr severity, CPLErrorNum number, const char* message) {
  auto* session = static_cast<GdalSession*>(CPLGetErrorHandlerUserData());
  if (severity == CE_Warning) session->collect_warning(message);
  if (severity < CE_Failure) return;
  session->last_failure_ = message;
  session->wanted_memory_ |= number == CPLE_OutOfMemory;
}

// "Value '12,5' of field houses.height parsed incompletely to real 12."
void GdalSession::collect_warning(const std::string& message) {
  constexpr std::string_view before_text = "Value '", before_field = "' of field ", behind = " parsed incompletely to ";
  const std::size_t end = message.rfind(behind), middle = message.rfind(before_field, end);
  if (end == std::string::npos || middle == std::string::npos || !message.starts_with(before_text)) return;
  const std::size_t field = middle + before_field.size();
  numbers_read_in_part_.push_back(
      {message.substr(before_text.size(), middle - before_text.size()), message.substr(field, end - field)});
}

}  // namespace tesseray
