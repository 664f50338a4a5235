// SPDX-License-Identifier: GPL-3.0-or-later
// Who sees whom: one symmetric relation over the elements of an environment.
//
// Elements are numbered: tile t is element t, edge segment e is element tiles.size() + e. Tile i sees tile j when each
// centroid lies in front of the other's plane and the open segment between the centroids, lifted off their surfaces
// by 1 cm, meets no wall, roof or ground. An edge segment acts at its midpoint, lifted 1 cm along the bisector of its
// faces; it sees a tile when it lies in front of the tile's plane and nothing is between, and another edge segment
// when nothing is between (segments of one line do not see each other).
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/infinity.h"
#include "core/base/progress.h"
#include "core/base/staged_file.h"
#include "core/scene/scene.h"
#include "core/tiling/tiling.h"

namespace tesseray {

inline constexpr double lift_m = 0.01;      // how far points are lifted off their surfaces
inline constexpr double in_front_m = 1e-6;  // a point is in front of a plane when it is farther than this

struct OcclusionView;  // occlusion/occlusion_view.h

// The solid scene as a set that segments can meet. Thread-safe. Parts that stand on the ground reach down without
// end, and below the terrain is solid; a point inside of a part or of the ground sees nothing.
class Occlusion {
 public:
  explicit Occlusion(const Scene& scene);
  ~Occlusion();
  Occlusion(Occlusion&&) noexcept;
  Occlusion& operator=(Occlusion&&) noexcept;

  // True when the open segment a–b meets no wall, roof, underside or terrain triangle. Symmetric: free(a, b) =
  // free(b, a), bit for bit.
  bool is_free(Vec3 a, Vec3 b) const;

  // The same for stages and devices that test many segments; valid as long as this object lives.
  const OcclusionView& view() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The numbers from begin to end − 1.
struct ElementRange {
  std::uint32_t begin = 0, end = std::numeric_limits<std::uint32_t>::max();
};

struct VisibilityOptions {
  double max_distance_m = infinity;
};

class VisibilityFile;  // file/visibility_file.h

// Rows of the relation: ascending element numbers. Thread-safe.
class Visibility {
 public:
  virtual ~Visibility() = default;
  virtual std::uint32_t tile_count() const = 0;
  virtual std::uint32_t edge_count() const = 0;
  std::uint32_t element_count() const { return tile_count() + edge_count(); }
  // Replaces `row` with the elements that `element` sees.
  virtual void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const = 0;
  // The same with its tiles alone, which come first.
  virtual void read_tiles_of_row(std::uint32_t element, std::vector<std::uint32_t>& row) const {
    read_row(element, row);
    row.resize(visible_tiles(element));
  }
  // How many elements `element` sees, and how many of them are tiles.
  virtual std::uint32_t row_length(std::uint32_t element) const = 0;
  virtual std::uint32_t visible_tiles(std::uint32_t element) const = 0;
  // The file that the rows are read from; null for those in memory.
  virtual const VisibilityFile* file() const { return nullptr; }
};

// The whole relation in memory.
std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress);

// The relation in a file (docs/formats.md): versioned, checksummed per block, bound to `environment_hash`.
// write_visibility writes beside `target` and renames when complete. open_visibility maps the file and throws
// Error(invalid_input) for a foreign, stale, truncated or damaged one, saying which; stale, too, is one that has not as
// many tiles and edges as the environment is cut into now.
void write_visibility(const Visibility& visibility, const VisibilityOptions& options, std::uint64_t environment_hash,
                      const FileTarget& target, Progress& progress);
std::unique_ptr<Visibility> open_visibility(const std::filesystem::path& path, const Tiling& tiling,
                                            std::uint64_t environment_hash);

// The whole relation straight into such a file, block by block of elements, with about `memory_bytes` beside what the
// elements and their scene take. Finished blocks are kept in a work file beside `target` until the file is there: after
// cancelling, killing or a full disk, the same call goes on from the last of them and gives the same bytes.
void compute_visibility_file(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options,
                             std::uint64_t environment_hash, const FileTarget& target, std::uint64_t memory_bytes,
                             Progress& progress);

// What a visibility file says of itself; throws as open_visibility does, but looks at the head alone.
struct VisibilityFileInfo {
  std::uint64_t environment_hash = 0;
  VisibilityOptions options;
  std::uint32_t tile_count = 0, edge_count = 0;
  std::uint64_t entry_count = 0;  // over all rows, so every pair twice
};
VisibilityFileInfo read_visibility_info(const std::filesystem::path& path);

// An environment as it was, and the file of its relation.
struct EarlierVisibility {
  const Scene& scene;
  const Tiling& tiling;
  std::filesystem::path file;
  std::uint64_t environment_hash = 0;
};

// An environment as it is after an edit, and what its relation is to be bound to.
struct EditedEnvironment {
  const Scene& scene;
  const Tiling& tiling;
  const Occlusion& occlusion;  // of the scene
  VisibilityOptions options;
  std::uint64_t environment_hash = 0;
};

struct VisibilityUpdate {
  std::string why_not;                  // why nothing was written: all must be computed anew; "" when the file is there
  std::uint64_t new_elements = 0;       // rows that were found from nothing
  std::uint64_t searched_elements = 0;  // unchanged elements that may see past what changed
  std::uint64_t changed_entries = 0;    // of rows of unchanged elements
};

// Writes to `target` what computing the relation of `after` anew would, byte by byte, from that of an earlier scene:
// only what an edit may have changed is looked at again (docs/visibility-updates.md). For edits on the same terrain
// that leave most of the elements as they were. Throws as open_visibility does about the earlier file.
VisibilityUpdate update_visibility(const EarlierVisibility& before, const EditedEnvironment& after,
                                   const FileTarget& target, Progress& progress);

// The paper's edge rows instead of the segments' own: an edge sees what either of its parent tiles sees, and no edge
// sees another. Keeps a reference to `visibility`.
std::unique_ptr<Visibility> with_parents_edge_rows(const Visibility& visibility, const Tiling& tiling);

// First-level visibility: the elements that a free point sees (its own definition: in front of the tile's plane and
// nothing between it and the lifted centroid or midpoint). Ascending.
std::vector<std::uint32_t> visible_from(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                        const VisibilityOptions& options = {});

// Which of some elements, ascending, are among them.
std::vector<std::uint32_t> visible_among(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                         std::span<const std::uint32_t> elements);

// The row of one tile, without those of others.
std::vector<std::uint32_t> visible_from_tile(const Occlusion& occlusion, const Tiling& tiling, std::uint32_t tile,
                                             const VisibilityOptions& options = {});

// What visible_from gives, or those of some elements alone, for many points of one city: prepared once, then about a
// hundred times faster. Thread-safe; keeps a reference to `occlusion`.
class PointVisibility {
 public:
  PointVisibility(const Occlusion& occlusion, const Tiling& tiling, ElementRange targets = {});
  ~PointVisibility();
  PointVisibility(PointVisibility&&) noexcept;
  PointVisibility& operator=(PointVisibility&&) noexcept;

  std::vector<std::uint32_t> visible_from(Vec3 point, const VisibilityOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same for points that come one after the other: seen from one by one, until so many have come that preparing is
// worth it. Thread-safe; keeps references.
class SightFromPoints {
 public:
  // `expected`: so many points come at least.
  SightFromPoints(const Occlusion& occlusion, const Tiling& tiling, std::size_t expected = 0);
  ~SightFromPoints();

  std::vector<std::uint32_t> visible_from(Vec3 point) const;
  // About what it takes when it is prepared.
  std::uint64_t bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The point at which an element is seen: centroid or midpoint, lifted.
Vec3 lifted_point(const Tile& tile);
Vec3 lifted_point(const EdgeSegment& edge);

}  // namespace tesseray
