// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/visibility/file/visibility_file.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/updates/changed_sights.h"
#include "core/visibility/updates/row_renumberer.h"
#include "core/visibility/updates/scene_change.h"

namespace tesseray {

namespace {

// Above these, a full computation is not much slower, if at all.
constexpr std::size_t most_places = 64;
constexpr std::size_t least_unchanged_share = 4;  // at least so many unchanged elements for each new one
// Each time, all processors have to be told.
constexpr std::uint32_t rows_forgotten_at_once = 32 * VisibilityHeader{}.rows_per_block;
constexpr char too_much[] = "too much has changed";

std::string why_not_local(const EarlierVisibility& before, const VisibilityFile& file, const EditedEnvironment& after) {
  if (file.info().options.max_distance_m != after.options.max_distance_m) return "MAX_DISTANCE is another one";
  if (!(before.scene.frame.origin == after.scene.frame.origin)) return "the origin of the local frame is another one";
  if (!is_same_terrain(before.scene.terrain, after.scene.terrain)) return "the terrain is another one";
  if (file.tile_count() != before.tiling.tiles.size() || file.edge_count() != before.tiling.edges.size()) {
    return "another version of Tesseray made other tiles";
  }
  return "";
}

// Makes the rows after an edit from those before it.
class RowUpdater {
 public:
  RowUpdater(const VisibilityFile& before, const Renumbering& numbers, const ChangedSights& sights)
      : before_(before), numbers_(numbers), sights_(sights), renumberer_(numbers) {}

  void fill(std::uint32_t begin, std::uint32_t end, RowBlock& block) const {
    RowRenumberer renumberer = renumberer_;
    auto change = std::lower_bound(sights_.changes.begin(), sights_.changes.end(), SightChange{begin, 0, false});
    auto fresh = std::lower_bound(sights_.fresh.begin(), sights_.fresh.end(), begin);
    block.reserve(old_bytes(begin, end));
    for (std::uint32_t element = begin; element < end; ++element) {
      const auto first_change = change;
      while (change != sights_.changes.end() && change->element == element) ++change;
      if (fresh != sights_.fresh.end() && *fresh == element) {
        add(sights_.fresh_rows[static_cast<std::size_t>(fresh++ - sights_.fresh.begin())], block);
        continue;
      }
      const std::uint32_t old = numbers_.old_of_new[element];
      const CodedRow stored = before_.coded_row(old);
      if (!renumberer.append(stored.bytes, {first_change, change}, block.coded())) throw before_.damaged_row(old);
      block.end_row(static_cast<std::uint32_t>(stored.length + renumberer.more_tiles() + renumberer.more_edges()),
                    static_cast<std::uint32_t>(stored.visible_tiles + renumberer.more_tiles()));
    }
    if (end % rows_forgotten_at_once == 0) forget_last_before(end);
  }

 private:
  // About as many bytes as the rows of these elements took, and some more.
  std::size_t old_bytes(std::uint32_t begin, std::uint32_t end) const {
    std::size_t bytes = 0;
    for (std::uint32_t element = begin; element < end; ++element) {
      const std::uint32_t old = numbers_.old_of_new[element];
      if (old != no_index) bytes += before_.coded_row(old).bytes.size();
    }
    return bytes + bytes / 16;
  }

  // Gives back the memory that the rows before `end` were read into. What another thread still reads comes back.
  void forget_last_before(std::uint32_t end) const {
    const std::uint32_t begin = end - rows_forgotten_at_once;
    std::uint32_t first_read = no_index, last_read = 0;
    for (std::uint32_t element = begin; element < end; ++element) {
      const std::uint32_t old = numbers_.old_of_new[element];
      if (old == no_index) continue;
      first_read = std::min(first_read, old);
      last_read = old;
    }
    if (first_read <= last_read) before_.forget_rows(first_read, last_read + 1);
  }

  void add(const std::vector<std::uint32_t>& row, RowBlock& block) const {
    const auto tiles = std::lower_bound(row.begin(), row.end(), numbers_.new_tiles) - row.begin();
    block.add_row(row, static_cast<std::uint32_t>(tiles));
  }

  const VisibilityFile& before_;
  const Renumbering& numbers_;
  const ChangedSights& sights_;
  RowRenumberer renumberer_;
};

}  // namespace

VisibilityUpdate update_visibility(const EarlierVisibility& before, const EditedEnvironment& after,
                                   const FileTarget& target, Progress& progress) {
  progress.begin_stage("visibility");
  const VisibilityFile file(before.file, before.tiling, before.environment_hash,
                            VisibilityFile::Check::as_rows_are_read);
  VisibilityUpdate update;
  update.why_not = why_not_local(before, file, after);
  if (!update.why_not.empty()) return update;
  const SceneChange change = find_scene_change(before.scene, after.scene);
  if (change.places.size() > most_places) {
    update.why_not = too_much;
    return update;
  }
  Renumbering numbers;
  std::vector<Element> elements;
  std::optional<SightGrid> grid;
  tbb::parallel_invoke([&] { numbers = match_elements(before.tiling, after.tiling, change); },
                       [&] {
                         elements = make_elements(after.occlusion.view(), after.tiling);
                         grid.emplace(after.occlusion.view(), elements);
                       });
  update.new_elements =
      static_cast<std::uint64_t>(std::count(numbers.old_of_new.begin(), numbers.old_of_new.end(), no_index));
  if (update.new_elements * (1 + least_unchanged_share) > numbers.old_of_new.size()) {
    update.why_not = too_much;
    return update;
  }
  const SightScene sights_after = {after.occlusion.view(), elements, numbers.new_tiles, *grid};
  const ChangedSights sights =
      find_changed_sights(sights_after, change, numbers, file, after.options.max_distance_m, progress);
  update.searched_elements = sights.searched_sources;
  update.changed_entries = sights.changes.size();

  progress.begin_stage("visibility file");
  const RowUpdater updater(file, numbers, sights);
  write_row_blocks(
      {after.environment_hash, after.options, numbers.new_tiles, static_cast<std::uint32_t>(after.tiling.edges.size()),
       0},
      target, progress,
      [&](std::uint32_t begin, std::uint32_t end, RowBlock& block) { updater.fill(begin, end, block); }, file.bytes());
  return update;
}

}  // namespace tesseray
