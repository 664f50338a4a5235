// SPDX-License-Identifier: GPL-3.0-or-later
// A stretch of work with GDAL: drivers registered, and its messages kept off standard error.
#pragma once

#include <cpl_error.h>

#include <string>
#include <vector>

namespace tesseray {

// While one lives, what GDAL and PROJ would print from this thread is collected instead, and GDAL reads as tools expect
// it. Nests; scoped to a thread.
class GdalSession {
 public:
  GdalSession();
  ~GdalSession();
  GdalSession(const GdalSession&) = delete;
  GdalSession& operator=(const GdalSession&) = delete;

  // The latest failure's message, or "" when nothing failed since forget().
  const std::string& last_failure() const { return last_failure_; }
  void forget() {
    last_failure_.clear();
    numbers_read_in_part_.clear();
  }
  // A text that GDAL has read the beginning of as a number since forget(), and warned of.
  struct PartOfNumber {
    std::string text;
    std::string field;  // "layer.field"
  };
  const std::vector<PartOfNumber>& numbers_read_in_part() const { return numbers_read_in_part_; }
  // Throws Error(resources) if anything failed for want of memory.
  void refuse_for_memory() const;
  // Throws Error(invalid_input) if that failure is another program's lock on the database `file`.
  void refuse_locked(const std::string& file) const;
  // The same for a failure after the file was opened, of which GDAL does not always say why. REQUIRES: a failure.
  void refuse_locked_meanwhile(const std::string& file) const;

 private:
  // For this thread, unless the user has set it.
  void set_option(const char* name, const std::string& value);
  static void CPL_STDCALL collect(CPLErr severity, CPLErrorNum number, const char* message);
  void collect_warning(const std::string& message);

  std::string last_failure_;
  std::vector<PartOfNumber> numbers_read_in_part_;
  bool wanted_memory_ = false;
  std::vector<const char*> set_options_;
};

}  // namespace tesseray
