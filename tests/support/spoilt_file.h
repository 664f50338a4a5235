// SPDX-License-Identifier: GPL-3.0-or-later
// A file that a test spoils, to see it refused.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/error.h"

namespace tesseray::testing {

// In a folder of its own, which goes with the test.
class SpoiltFile : public ::testing::Test {
 protected:
  explicit SpoiltFile(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("tesseray-" + name + "-" + std::to_string(getpid()))),
        path_(folder_ / name) {
    std::filesystem::create_directories(folder_);
  }
  ~SpoiltFile() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  // The code of the error with which read() refuses it; "" when it does not.
  template <class Read>
  std::string refusal_by(const Read& read) const {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(error.place().file, path_.string());
      EXPECT_FALSE(error.hint().empty());
      return error.code();
    }
    return "";
  }

  std::filesystem::path folder_, path_;
};

}  // namespace tesseray::testing
