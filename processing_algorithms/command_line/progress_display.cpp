// SPDX-License-Identifier: GPL-3.0-or-later
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "processing_algorithms/run/run_progress.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

// One JSON object per line (docs/command_line.md).
class JsonDisplay final : public ProgressDisplay {
 public:
  void show(std::string_view stage, double fraction, std::optional<double> eta_s) override {
    Json line{{"stage", stage}, {"progress", std::round(fraction * 1e4) / 1e4}};
    line["eta_s"] = eta_s ? Json(std::round(*eta_s * 10) / 10) : Json(nullptr);
    write(line);
  }
  void stage_done(std::string_view stage, double /*seconds*/) override { show(stage, 1.0, 0.0); }
  void warning(const Warning& warning) override {
    write({{"warning", {{"code", warning.code}, {"message", warning.message}}}});
  }
  void error(const Error& error) override {
    Json body{{"code", error.code()}, {"message", error.message()}, {"hint", error.hint()}};
    const ErrorPlace& place = error.place();
    if (!place.file.empty()) body["file"] = place.file;
    if (!place.layer.empty()) body["layer"] = place.layer;
    if (!place.field.empty()) body["field"] = place.field;
    if (place.feature_id) body["feature_id"] = *place.feature_id;
    if (place.line) body["line"] = *place.line;
    write({{"error", std::move(body)}});
  }

 private:
  static void write(const Json& json) {
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
  }
};

// Warnings and errors for people.
class QuietDisplay : public ProgressDisplay {
 public:
  QuietDisplay() : log_("tesseray", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()) {
    log_.set_pattern("%^%l:%$ %v");
  }
  void show(std::string_view, double, std::optional<double>) override {}
  void stage_done(std::string_view, double) override {}
  void warning(const Warning& warning) override { log_.warn(warning.message); }
  void error(const Error& error) override { log_.error(error.what()); }

 protected:
  spdlog::logger log_;
};

std::string as_duration(double seconds) {
  std::array<char, 32> text{};
  if (seconds < 9.95)
    std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  else if (seconds < 120)
    std::snprintf(text.data(), text.size(), "%.0f s", seconds);
  else
    std::snprintf(text.data(), text.size(), "%.0f min", seconds / 60);
  return text.data();
}

// One line per finished stage, for logs and pipes.
class LineDisplay : public QuietDisplay {
 public:
  void stage_done(std::string_view stage, double seconds) override {
    const std::string line = std::string(stage) + ": " + as_duration(seconds) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
};

// The stage at work with a bar that is drawn over, above it the finished ones.
class BarDisplay final : public LineDisplay {
 public:
  void show(std::string_view stage, double fraction, std::optional<double> eta_s) override {
    constexpr int width = 30;
    const int filled = static_cast<int>(fraction * width);
    std::string line = "\r\033[K" + std::string(stage) + " [";
    for (int i = 0; i < width; ++i) line += i < filled ? "█" : "·";
    line += "] " + std::to_string(static_cast<int>(fraction * 100)) + " %";
    if (eta_s) line += ", " + as_duration(*eta_s) + " left";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
  }
  void stage_done(std::string_view stage, double seconds) override {
    clear();
    LineDisplay::stage_done(stage, seconds);
  }
  void warning(const Warning& warning) override {
    clear();
    LineDisplay::warning(warning);
  }
  void error(const Error& error) override {
    clear();
    LineDisplay::error(error);
  }

 private:
  static void clear() { std::fputs("\r\033[K", stderr); }
};

}  // namespace

std::unique_ptr<ProgressDisplay> make_progress_display(ProgressStyle style) {
  if (style == ProgressStyle::json) return std::make_unique<JsonDisplay>();
  if (style == ProgressStyle::none) return std::make_unique<QuietDisplay>();
  if (isatty(STDERR_FILENO) == 1) return std::make_unique<BarDisplay>();
  return std::make_unique<LineDisplay>();
}

}  // namespace tesseray
