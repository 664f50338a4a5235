// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/footprints/clean_footprint.h"

#include <algorithm>
#include <cmath>

#include "core/scene/ground_plan/polygon.h"
#include "core/scene/issue_text.h"

namespace tesseray {
namespace {

bool is_finite(Vec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

bool is_finite(const RawFootprint& footprint) {
  for (const Rings& rings : footprint.parts) {
    for (const Ring& ring : rings) {
      if (!std::all_of(ring.begin(), ring.end(), [](Vec2 p) { return is_finite(p); })) return false;
    }
  }
  return true;
}

// On the coordinate grid, each vertex once.
Ring snapped_ring(const Ring& ring, Vec2 origin) {
  Ring result;
  for (const Vec2 vertex : ring) {
    const Vec2 p{snapped(vertex.x - origin.x), snapped(vertex.y - origin.y)};
    if (result.empty() || !(result.back() == p)) result.push_back(p);
  }
  while (result.size() > 1 && result.front() == result.back()) result.pop_back();
  return result;
}

Rings snapped_rings(const Rings& rings, Vec2 origin) {
  Rings result;
  for (const Ring& ring : rings) {
    Ring clean = snapped_ring(ring, origin);
    if (clean.size() >= 3) {
      result.push_back(std::move(clean));
    } else if (result.empty()) {
      return {};  // no exterior
    }
  }
  return result;
}

}  // namespace

double mean_width(const Rings& rings) {
  double perimeter = 0;
  for (const Ring& ring : rings) {
    Vec2 a = ring.back();
    for (const Vec2 b : ring) {
      perimeter += norm(b - a);
      a = b;
    }
  }
  return perimeter > 0 ? 2 * area(rings) / perimeter : 0;
}

bool is_sliver(const Rings& rings) { return area(rings) < sliver_area_m2 || mean_width(rings) < sliver_width_m; }

Rectangle bounds_of(const RawFootprint& footprint) {
  Rectangle box;
  for (const Rings& rings : footprint.parts) {
    for (const Ring& ring : rings) {
      for (const Vec2 p : ring) {
        if (is_finite(p)) box.extend(p);
      }
    }
  }
  return box;
}

Rings outline_of(const RawFootprint& footprint, Vec2 origin) {
  Rings outline;
  for (const Rings& rings : footprint.parts) {
    for (const Ring& ring : rings) {
      Ring local;
      for (const Vec2 p : ring) {
        if (is_finite(p)) local.push_back({snapped(p.x - origin.x), snapped(p.y - origin.y)});
      }
      if (local.size() > 1 && local.front() == local.back()) local.pop_back();
      if (!local.empty()) outline.push_back(std::move(local));
    }
  }
  return outline;
}

namespace {

struct Cleaned {
  std::vector<Rings> polygons;
  bool was_invalid = false;
  double area_before_m2 = 0, area_after_m2 = 0;  // of the repaired parts
  std::size_t slivers = 0, filled_holes = 0;
  double sliver_area_m2 = 0;
  double largest_sliver_m2 = 0, largest_sliver_width_m = 0;
};

Cleaned valid_polygons(const RawFootprint& footprint, Vec2 origin, PolygonOverlay& overlay) {
  Cleaned cleaned;
  for (const Rings& part : footprint.parts) {
    Rings rings = snapped_rings(part, origin);
    if (rings.empty()) continue;
    orient(rings);
    if (overlay.is_valid(rings)) {
      cleaned.polygons.push_back(std::move(rings));
    } else {
      cleaned.was_invalid = true;
      cleaned.area_before_m2 += area(rings);
      for (Rings& lobe : overlay.repaired(rings)) {
        cleaned.area_after_m2 += area(lobe);
        cleaned.polygons.push_back(std::move(lobe));
      }
    }
  }
  return cleaned;
}

// Nor with holes that small.
void leave_out_slivers(Cleaned& cleaned) {
  std::vector<Rings> kept;
  for (Rings& rings : cleaned.polygons) {
    if (is_sliver(rings)) {
      ++cleaned.slivers;
      cleaned.sliver_area_m2 += area(rings);
      if (area(rings) > cleaned.largest_sliver_m2) {
        cleaned.largest_sliver_m2 = area(rings);
        cleaned.largest_sliver_width_m = mean_width(rings);
      }
      continue;
    }
    cleaned.filled_holes += std::erase_if(rings, [&rings](const Ring& ring) {
      return &ring != &rings.front() && std::fabs(signed_area(ring)) < sliver_area_m2;
    });
    kept.push_back(std::move(rings));
  }
  cleaned.polygons = std::move(kept);
}

// As the rings say it, lobes of opposite turns take from each other, and holes count wherever they lie.
std::string change_of_area(const Cleaned& cleaned) {
  constexpr double worth_telling_m2 = 1;
  if (std::fabs(cleaned.area_after_m2 - cleaned.area_before_m2) <= worth_telling_m2) return {};
  return " of " + square_metres(cleaned.area_after_m2) + ", where its rings add up to " +
         square_metres(cleaned.area_before_m2);
}

// In whole millimetres, downwards: what is too thin never reads as wide enough.
std::string millimetres(double length_m) {
  return std::to_string(static_cast<int>(std::floor(1000 * length_m))) + " mm";
}

// A wall that is drawn as thin as it is may have much area.
std::string why_a_sliver(const Cleaned& cleaned) {
  const std::string area_m2 = square_metres(cleaned.sliver_area_m2);
  if (cleaned.largest_sliver_m2 < sliver_area_m2) {
    return "an outline of only " + area_m2 + " is left out, since it has less than " + square_metres(sliver_area_m2);
  }
  return "an outline of " + area_m2 +
         " is left out, since it is too thin: " + millimetres(cleaned.largest_sliver_width_m) +
         " wide in the mean, less than " + millimetres(sliver_width_m);
}

// add(action, code, message) for each thing that was done.
template <class Add>
void tell_of(const Cleaned& cleaned, const Add& add) {
  if (cleaned.polygons.empty()) {
    const bool has_slivers = cleaned.slivers > 0;
    add(Issue::Action::dropped, has_slivers ? "sliver" : "no_area",
        has_slivers ? why_a_sliver(cleaned) : "the outline encloses no area; the feature is left out");
    return;
  }
  if (cleaned.was_invalid) {
    add(Issue::Action::repaired, "self_crossing",
        "the outline crosses or touches itself; repaired into " + std::to_string(cleaned.polygons.size()) +
            " polygon(s)" + change_of_area(cleaned));
  }
  if (cleaned.slivers > 0) {
    add(Issue::Action::dropped, "sliver",
        std::to_string(cleaned.slivers) + " sliver(s) of " + square_metres(cleaned.sliver_area_m2) +
            " in all are left out: less than " + square_metres(sliver_area_m2) + " each, or " +
            millimetres(sliver_width_m) + " wide in the mean");
  }
  if (cleaned.filled_holes > 0) {
    add(Issue::Action::repaired, "filled_hole",
        std::to_string(cleaned.filled_holes) + " hole(s) of less than " + square_metres(sliver_area_m2) +
            " are filled");
  }
}

}  // namespace

std::vector<Rings> clean_footprint(const RawFootprint& footprint, Vec2 origin, PolygonOverlay& overlay, IssueLog& log) {
  const auto add = [&](Issue::Action action, const char* code, const std::string& message) {
    log.add(action, code, message, footprint.feature_id, outline_of(footprint, origin));
  };
  if (!is_finite(footprint)) {
    add(Issue::Action::dropped, "bad_coordinates", "a coordinate is not a finite number; the feature is left out");
    return {};
  }
  Cleaned cleaned = valid_polygons(footprint, origin, overlay);
  leave_out_slivers(cleaned);
  tell_of(cleaned, add);
  return std::move(cleaned.polygons);
}

}  // namespace tesseray
