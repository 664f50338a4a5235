// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/datum_grids.h"

#include <proj.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/base/listed.h"

namespace tesseray {
namespace {

struct Release {
  void operator()(PJ_CONTEXT* context) const { proj_context_destroy(context); }
  void operator()(PJ* object) const { proj_destroy(object); }
  void operator()(PJ_OBJ_LIST* list) const { proj_list_destroy(list); }
  void operator()(PJ_OPERATION_FACTORY_CONTEXT* context) const { proj_operation_factory_context_destroy(context); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

// Of this thread: opening PROJ's database takes longer than asking it.
PJ_CONTEXT* context() {
  thread_local const Owned<PJ_CONTEXT> own = [] {
    Owned<PJ_CONTEXT> made(proj_context_create());
    proj_log_level(made.get(), PJ_LOG_NONE);
    return made;
  }();
  return own.get();
}

Owned<PJ> parsed(const Crs& crs) { return Owned<PJ>(proj_create(context(), crs.wkt().c_str())); }

// In the order in which PROJ takes them.
Owned<PJ_OBJ_LIST> operations(const PJ* from, const PJ* to, const Rectangle& place, PROJ_GRID_AVAILABILITY_USE grids) {
  const Owned<PJ_OPERATION_FACTORY_CONTEXT> choice(proj_create_operation_factory_context(context(), nullptr));
  proj_operation_factory_context_set_spatial_criterion(context(), choice.get(),
                                                       PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
  proj_operation_factory_context_set_grid_availability_use(context(), choice.get(), grids);
  proj_operation_factory_context_set_allow_ballpark_transformations(context(), choice.get(), 0);
  if (!place.empty()) {
    proj_operation_factory_context_set_area_of_interest(context(), choice.get(), place.min.x, place.min.y, place.max.x,
                                                        place.max.y);
  }
  return Owned<PJ_OBJ_LIST>(proj_create_operations(context(), from, to, choice.get()));
}

bool covers(const PJ* operation, Vec2 place) {
  double west = 0, south = 0, east = 0, north = 0;
  if (proj_get_area_of_use(context(), operation, &west, &south, &east, &north, nullptr) == 0) return true;
  if (place.y < south || place.y > north) return false;
  return west <= east ? place.x >= west && place.x <= east : place.x >= west || place.x <= east;
}

// Those after an @ may be missing.
std::vector<std::string> missing_grids(const PJ* operation) {
  std::vector<std::string> missing;
  const int count = proj_coordoperation_get_grid_used_count(context(), operation);
  for (int i = 0; i < count; ++i) {
    const char* names = nullptr;
    int is_available = 0;
    proj_coordoperation_get_grid_used(context(), operation, i, &names, nullptr, nullptr, nullptr, nullptr, nullptr,
                                      &is_available);
    if (is_available != 0 || names == nullptr) continue;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
      if (name.starts_with('@') || name == "null") continue;
      if (std::string_view(proj_grid_info(name.c_str()).format) == "missing") missing.push_back(name);
    }
  }
  return missing;
}

struct Operation {
  std::optional<double> accuracy_m;
  std::vector<std::string> missing_grids;
};

std::optional<Operation> first_operation(PJ_OBJ_LIST* list, const Rectangle& place, bool with_all_grids) {
  const int count = list == nullptr ? 0 : proj_list_get_count(list);
  for (int i = 0; i < count; ++i) {
    const Owned<PJ> operation(proj_list_get(context(), list, i));
    if (!place.empty() && !covers(operation.get(), place.middle())) continue;
    Operation found{.accuracy_m = {}, .missing_grids = missing_grids(operation.get())};
    if (with_all_grids && !found.missing_grids.empty()) continue;
    if (const double accuracy_m = proj_coordoperation_get_accuracy(context(), operation.get()); accuracy_m >= 0) {
      found.accuracy_m = accuracy_m;
    }
    return found;
  }
  return {};
}

}  // namespace

std::optional<OperationWithoutGrids> operation_without_grids(const Crs& from, const Crs& to, const Rectangle& place) {
  const Owned<PJ> source = parsed(from), target = parsed(to);
  if (source == nullptr || target == nullptr) return {};
  const auto first = [&](PROJ_GRID_AVAILABILITY_USE grids, bool with_all_grids) {
    return first_operation(operations(source.get(), target.get(), place, grids).get(), place, with_all_grids);
  };
  const std::optional<Operation> best = first(PROJ_GRID_AVAILABILITY_IGNORED, false);
  if (!best || best->missing_grids.empty()) return {};
  const std::optional<Operation> another = first(PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID, true);
  return OperationWithoutGrids{.grids = listed(best->missing_grids),
                               .accuracy_m = best->accuracy_m,
                               .has_another = another.has_value(),
                               .another_accuracy_m = another ? another->accuracy_m : std::nullopt};
}

void require_own_grids(const Crs& crs, const ErrorPlace& place) {
  if (!crs.wkt().starts_with("BOUNDCRS[")) return;
  const std::optional<OperationWithoutGrids> operation =
      operation_without_grids(crs, Crs::from_text("EPSG:4326"), Rectangle{});
  if (!operation || operation->has_another) return;
  throw Error(ErrorKind::invalid_input, "missing_grid",
              "the CRS " + crs.name() + " needs the grid " + operation->grids + ", which is not installed",
              std::string(get_grid) + ", or choose a CRS without it", place);
}

}  // namespace tesseray
