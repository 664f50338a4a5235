// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/updates/changed_sights.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

#include "core/base/parallel.h"

namespace tesseray {

namespace {

constexpr std::size_t block = 256;
// Heights are compared with this tolerance, and planes with that of lifted points: far more than all rounding.
constexpr double height_tolerance_m = 1e-3, plane_tolerance_m = 3 * lift_m;

bool is_above(const Element& target, const Element& source) {
  return target.point.z > source.point.z || (target.point.z == source.point.z && target.number > source.number);
}

// The ways from an eye into a box; all ways for an eye in it, or beside it.
class WaysInto {
 public:
  WaysInto(Vec2 eye, const Rectangle& box) {
    const Rectangle relative = {box.min - eye, box.max - eye};
    if (nearest_distance(relative) <= 0) return;
    azimuths_ = azimuths_of(relative);
    is_everywhere_ = false;
    const Vec2 corners[] = {
        relative.min, {relative.max.x, relative.min.y}, relative.max, {relative.min.x, relative.max.y}};
    low_ = high_ = corners[0];
    for (const Vec2 corner : corners) {
      if (cross(low_, corner) < 0) low_ = corner;
      if (cross(high_, corner) > 0) high_ = corner;
    }
  }
  bool is_everywhere() const { return is_everywhere_; }
  AzimuthInterval azimuths() const { return azimuths_; }
  bool has(Vec2 way) const { return is_everywhere_ || (cross(low_, way) >= 0 && cross(way, high_) >= 0); }

 private:
  bool is_everywhere_ = true;
  AzimuthInterval azimuths_;
  Vec2 low_, high_;
};

// False when no sight that rises from the source, or is level, can pass the place.
bool may_look_into(const Element& source, const ChangedPlace& place, double max_distance_m) {
  if (place.top_z < source.point.z - height_tolerance_m) return false;
  const Rectangle box = {place.box.min - source.anchor.xy(), place.box.max - source.anchor.xy()};
  const Vec2 nearest = {higher(0, higher(box.min.x, -box.max.x)), higher(0, higher(box.min.y, -box.max.y))};
  if (norm(nearest) > max_distance_m + 1) return false;
  if (source.kind != Element::Kind::tile) return true;
  // Both ends of a sight lie in front of the source's plane, but for the lifting, and so does all between.
  const Vec3 n = source.axis;
  const double low_z = source.point.z - height_tolerance_m - source.anchor.z, high_z = place.top_z - source.anchor.z;
  const double in_front = higher(n.x * box.min.x, n.x * box.max.x) + higher(n.y * box.min.y, n.y * box.max.y) +
                          higher(n.z * low_z, n.z * high_z);
  return in_front > -plane_tolerance_m;
}

struct Worker {
  SightSearch search;
  std::vector<std::uint32_t> seen, row;
  std::vector<SightChange> changes;
  std::uint64_t searched_sources = 0;
};

class Finder {
 public:
  Finder(const SightScene& scene, const SceneChange& change, const Renumbering& numbers, const VisibilityFile& before,
         double max_distance_m)
      : scene_(scene),
        change_(change),
        numbers_(numbers),
        before_(before),
        max_distance_m_(max_distance_m),
        workers_([this] {
          return Worker{SightSearch(scene_, max_distance_m_), {}, {}, {}, 0};
        }) {
    places_of_old_.resize(numbers.new_of_old.size());
    tbb::parallel_for(std::size_t{0}, scene.elements.size(), [&](std::size_t number) {
      const std::uint32_t old = numbers.old_of_new[number];
      if (old != no_index) places_of_old_[old] = scene.elements[number].point.xy();
    });
  }

  ChangedSights find(Progress& progress) {
    ChangedSights found;
    for (std::uint32_t element = 0; element < numbers_.old_of_new.size(); ++element) {
      if (numbers_.old_of_new[element] == no_index) found.fresh.push_back(element);
    }
    found.fresh_rows.resize(found.fresh.size());
    tbb::parallel_for(std::size_t{0}, found.fresh.size(), [&](std::size_t k) {
      progress.throw_if_cancelled();
      find_row(found.fresh[k], workers_.local(), found.fresh_rows[k]);
    });
    parallel_blocks(scene_.elements.size(), block, progress,
                    [&](std::size_t begin, std::size_t end) { find_changes(begin, end); });
    for (Worker& worker : workers_) {
      found.changes.insert(found.changes.end(), worker.changes.begin(), worker.changes.end());
      found.searched_sources += worker.searched_sources;
    }
    // A sight may pass several places.
    tbb::parallel_sort(found.changes.begin(), found.changes.end());
    found.changes.erase(std::unique(found.changes.begin(), found.changes.end()), found.changes.end());
    return found;
  }

 private:
  bool was_there(std::uint32_t element) const { return numbers_.old_of_new[element] != no_index; }

  void find_row(std::uint32_t element, Worker& worker, std::vector<std::uint32_t>& row) const {
    worker.search.find_all(scene_.elements[element], row);
    std::sort(row.begin(), row.end());
    for (const std::uint32_t other : row) {
      if (was_there(other)) worker.changes.push_back({other, element, true});
    }
  }

  void find_changes(std::size_t begin, std::size_t end) {
    Worker& worker = workers_.local();
    std::uint32_t first_read = no_index, last_read = 0;
    for (std::size_t number = begin; number < end; ++number) {
      const Element& source = scene_.elements[number];
      if (source.is_inside || !was_there(source.number)) continue;
      bool is_read = false;
      for (const ChangedPlace& place : change_.places) {
        if (!may_look_into(source, place, max_distance_m_) ||
            is_certainly_hidden(scene_.occlusion, source.point, place.box, place.top_z)) {
          continue;
        }
        if (!is_read) before_.read_row(numbers_.old_of_new[number], worker.row);
        is_read = true;
        const WaysInto ways(source.point.xy(), place.box);
        find_lost(source, place, ways, worker);
        find_gained(source, place, ways, worker);
      }
      if (!is_read) continue;
      ++worker.searched_sources;
      first_read = std::min(first_read, numbers_.old_of_new[number]);
      last_read = std::max(last_read, numbers_.old_of_new[number]);
    }
    if (first_read <= last_read) before_.forget_rows(first_read, last_read + 1);
  }

  void add(std::uint32_t a, std::uint32_t b, bool is_seen, Worker& worker) const {
    worker.changes.push_back({a, b, is_seen});
    worker.changes.push_back({b, a, is_seen});
  }

  // What the source saw and sees no more.
  void find_lost(const Element& source, const ChangedPlace& place, const WaysInto& ways, Worker& worker) const {
    if (place.added.empty()) return;
    for (const std::uint32_t old : worker.row) {
      if (!ways.has(places_of_old_[old] - source.point.xy())) continue;
      const std::uint32_t number = numbers_.new_of_old[old];
      if (number == no_index) continue;
      const Element& target = scene_.elements[number];
      if (!is_above(target, source)) continue;
      if (place.added.meet(source.point, target.point)) add(source.number, number, false, worker);
    }
  }

  // What the source sees and did not see.
  void find_gained(const Element& source, const ChangedPlace& place, const WaysInto& ways, Worker& worker) const {
    if (place.removed.empty()) return;
    worker.seen.clear();
    if (ways.is_everywhere()) {
      worker.search.find_above(source, worker.seen);
    } else {
      worker.search.find_above_within(source, ways.azimuths(), worker.seen);
    }
    for (const std::uint32_t number : worker.seen) {
      const std::uint32_t old = numbers_.old_of_new[number];
      if (old == no_index) continue;
      const Element& target = scene_.elements[number];
      if (!ways.has(target.point.xy() - source.point.xy()) || !place.removed.meet(source.point, target.point)) continue;
      if (!std::binary_search(worker.row.begin(), worker.row.end(), old)) add(source.number, number, true, worker);
    }
  }

  const SightScene& scene_;
  const SceneChange& change_;
  const Renumbering& numbers_;
  const VisibilityFile& before_;
  double max_distance_m_;
  // Where the elements of the earlier rows are, by old numbers: close together, since long rows ask for them all over.
  // Of no meaning for those that are gone.
  std::vector<Vec2> places_of_old_;
  tbb::enumerable_thread_specific<Worker> workers_;
};

}  // namespace

ChangedSights find_changed_sights(const SightScene& scene, const SceneChange& change, const Renumbering& numbers,
                                  const VisibilityFile& before, double max_distance_m, Progress& progress) {
  return Finder(scene, change, numbers, before, max_distance_m).find(progress);
}

}  // namespace tesseray
