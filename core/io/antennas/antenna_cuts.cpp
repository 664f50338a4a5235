// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/antennas/antenna_cuts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"

namespace tesseray {
namespace {

constexpr double greatest_db = 300.0;
constexpr double widest_gap_deg = 45.0;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class CutFiller {
 public:
  CutFiller(RawAntenna& raw, const std::string& file) : raw_(raw), file_(file) {}

  void fill() {
    for (const bool vertical : {false, true}) check(vertical);
    make_attenuations();
    if (raw_.vertical_is_upwards) {
      for (RawCut::Point& point : raw_.vertical->points) point.angle_deg = -point.angle_deg;
    }
    AntennaFile& antenna = raw_.antenna;
    antenna.horizontal = around(*raw_.horizontal, "horizontal");
    complete_horizontal();
    antenna.vertical = around(*raw_.vertical, "vertical");
    complete_vertical();
  }

 private:
  void check(bool vertical) {
    const std::optional<RawCut>& cut = vertical ? raw_.vertical : raw_.horizontal;
    const std::string name = vertical ? "vertical" : "horizontal";
    if (!cut) {
      throw antenna_error("missing_cut", "there is no " + name + " cut",
                          "both cuts are needed: HORIZONTAL and VERTICAL in MSI files, PATCUT AZ and EL in NSMA files",
                          file_);
    }
    if (cut->points.empty()) {
      throw antenna_error("missing_points", "no points follow the heading of the " + name + " cut",
                          "each point is a line with an angle and a value", file_, cut->line);
    }
    const auto count = static_cast<std::int64_t>(cut->points.size());
    if (cut->said_count && *cut->said_count != count) {
      assume("point_count", "the " + name + " cut says " + std::to_string(*cut->said_count) + " points and has " +
                                std::to_string(count));
    }
    for (const RawCut::Point& point : cut->points) {
      if (std::fabs(point.angle_deg) > 360.0) {
        throw antenna_error("bad_angle", "the angle " + number(point.angle_deg) + " is beyond a full turn",
                            "angles are degrees from −360 to 360", file_, point.line);
      }
      if (std::fabs(point.value_db) > greatest_db) {
        throw antenna_error("bad_value", number(point.value_db) + " dB is no attenuation of an antenna",
                            "correct the value; at most 300 dB", file_, point.line);
      }
    }
  }

  // Positive below the maximum, whatever way the file counts.
  void make_attenuations() {
    const bool are_gains = raw_.reference_gain_db.has_value();
    const bool counts_down = are_gains || raw_.antenna.format == AntennaFileFormat::nsma;
    const double reference = raw_.reference_gain_db.value_or(0.0);
    const RawCut::Point* least = nullptr;
    const RawCut::Point* most = nullptr;
    for (auto* cut : {&*raw_.horizontal, &*raw_.vertical}) {
      for (RawCut::Point& point : cut->points) {
        if (counts_down) point.value_db = reference - point.value_db;
        if (least == nullptr || point.value_db < least->value_db) least = &point;
        if (most == nullptr || point.value_db > most->value_db) most = &point;
      }
    }
    // What is stronger than the maximum by less than this is rounding of whoever normalised the file.
    constexpr double rounding_db = 1.0;
    if (least->value_db >= 0) return;
    const bool turned = !are_gains && most->value_db <= std::min(rounding_db, -least->value_db);
    const RawCut::Point& beyond = turned ? *most : *least;
    const double excess = turned ? most->value_db : -least->value_db;
    if (excess > rounding_db) {
      throw antenna_error(are_gains ? "above_gain" : "mixed_signs",
                          are_gains
                              ? "the point is " + number(excess) + " dB above the gain"
                              : "the point has another sign than others: " + number(excess) + " dB above the maximum",
                          "values are all attenuations, or all gains relative to the maximum", file_, beyond.line);
    }
    if (turned) assume("sign", "the values are signed as gains are not in this format: taken as attenuations");
    // Less is this program's own rounding, from dBd to dBi and back.
    constexpr double told_db = 1e-6;
    if (excess > told_db)
      assume("above_maximum", "values up to " + number(excess) + " dB above the maximum are taken as it");
    for (auto* cut : {&*raw_.horizontal, &*raw_.vertical}) {
      for (RawCut::Point& point : cut->points) {
        point.value_db = std::max(turned ? -point.value_db : point.value_db, 0.0);
      }
    }
  }

  // In order from 0 to 360, each direction once.
  std::vector<CutPoint> around(const RawCut& raw, const std::string& name) {
    std::vector<RawCut::Point> points = raw.points;
    std::stable_sort(points.begin(), points.end(), [](const RawCut::Point& a, const RawCut::Point& b) {
      return in_turn(a.angle_deg) < in_turn(b.angle_deg);
    });
    std::vector<CutPoint> cut;
    const RawCut::Point* before = nullptr;
    for (const RawCut::Point& point : points) {
      const double angle = in_turn(point.angle_deg);
      if (before == nullptr || cut.back().angle_deg != angle) {
        cut.push_back({angle, point.value_db});
        before = &point;
        continue;
      }
      const double difference = std::fabs(before->value_db - point.value_db);
      if (before->angle_deg == point.angle_deg && difference > 0) {
        throw antenna_error(
            "duplicate_angle",
            "the " + name + " cut has " + number(point.angle_deg) + "° a second time, with another value",
            "keep one of the two lines", file_, point.line);
      }
      if (difference > 0.1) {
        assume("seam", "the " + name + " cut has two values at " + number(angle) + "° (a turn apart), " +
                           number(difference) + " dB from each other: the first is taken");
      }
    }
    return cut;
  }

  struct Gap {
    double from = 0, to = 0;  // to may be beyond 360
    double width() const { return to - from; }
  };
  static Gap widest_gap(const std::vector<CutPoint>& cut) {
    Gap widest{cut.back().angle_deg, cut.front().angle_deg + 360.0};
    for (std::size_t i = 1; i < cut.size(); ++i) {
      const Gap gap{cut[i - 1].angle_deg, cut[i].angle_deg};
      if (gap.width() > widest.width()) widest = gap;
    }
    return widest;
  }

  [[noreturn]] void refuse_gap(const Gap& gap, const RawCut& cut, const std::string& name) const {
    throw antenna_error(
        "gap",
        "the " + name + " cut has nothing between " + number(gap.from) + "° and " + number(in_turn(gap.to)) + "°",
        "a cut goes around the full circle, in steps of at most 45°", file_, cut.line);
  }

  // Of a cut that goes around: the half that was given may have wide steps itself.
  void refuse_gaps(const std::vector<CutPoint>& cut, const RawCut& raw, const std::string& name) const {
    const Gap gap = widest_gap(cut);
    if (gap.width() > widest_gap_deg) refuse_gap(gap, raw, name);
  }

  static void sort(std::vector<CutPoint>& cut) {
    std::sort(cut.begin(), cut.end(), [](const CutPoint& a, const CutPoint& b) { return a.angle_deg < b.angle_deg; });
  }

  // A cut of one side stands for both.
  void complete_horizontal() {
    std::vector<CutPoint>& cut = raw_.antenna.horizontal;
    const Gap gap = widest_gap(cut);
    if (gap.width() <= widest_gap_deg) return;
    if (cut.front().angle_deg != 0.0 || gap.from < 175 || gap.from > 185 || gap.to != 360.0) {
      refuse_gap(gap, *raw_.horizontal, "horizontal");
    }
    assume("half_horizontal", "the horizontal cut has one side: the other is taken as its mirror image");
    const std::size_t count = cut.size();
    for (std::size_t i = 1; i < count; ++i) {
      const double mirrored = 360.0 - cut[i].angle_deg;
      if (mirrored > gap.from) cut.push_back({mirrored, cut[i].attenuation_db});
    }
    sort(cut);
    refuse_gaps(cut, *raw_.horizontal, "horizontal");
  }

  // A cut of the front half: the back is taken as its mirror image, weaker as the horizontal cut is there.
  void complete_vertical() {
    std::vector<CutPoint>& cut = raw_.antenna.vertical;
    const Gap gap = widest_gap(cut);
    if (gap.width() <= widest_gap_deg) return;
    if (gap.from < 85 || gap.from > 95 || gap.to < 265 || gap.to > 275) {
      refuse_gap(gap, *raw_.vertical, "vertical");
    }
    assume(
        "half_vertical",
        "the vertical cut has the front only: the back is taken as its mirror image, weaker as the horizontal cut is");
    const std::vector<CutPoint>& horizontal = raw_.antenna.horizontal;
    const double weaker = attenuation_db(horizontal, 180.0) - attenuation_db(horizontal, 0.0);
    const std::size_t count = cut.size();
    for (std::size_t i = 0; i < count; ++i) {
      const double behind = in_turn(180.0 - cut[i].angle_deg);
      if (behind > gap.from && behind < gap.to) {
        cut.push_back({behind, std::max(cut[i].attenuation_db + weaker, 0.0)});
      }
    }
    sort(cut);
    refuse_gaps(cut, *raw_.vertical, "vertical");
  }

  void assume(const char* code, const std::string& message) { raw_.antenna.assumptions.push_back({code, message}); }

  RawAntenna& raw_;
  const std::string& file_;
};

}  // namespace

void fill_cuts(RawAntenna& raw, const std::string& file) { CutFiller(raw, file).fill(); }

}  // namespace tesseray
