// SPDX-License-Identifier: GPL-3.0-or-later
// What a search by blocks of threads goes through, as plain arrays: cells and blocks of cells with what they hold at
// most, elements by cell, and the solid scene. The same numbers as SightGrid's, with absolute heights.
#pragma once

#include <cstdint>
#include <vector>

#include "core/visibility/occlusion/elements.h"
#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/search/sight_grid.h"

namespace tesseray {

// Heights in metres, absolute, rounded up; the terrain's lowest rounded down.
struct SightSquare {
  float top_z = 0, target_top_z = 0;
  float terrain_low_z = 0;  // −∞ where a part of the square has no terrain
};

struct SightCell {
  SightSquare square;
  // Elements by falling height; from first_roof on the flat roofs, likewise.
  std::uint32_t first_element = 0, first_roof = 0, end_element = 0;
  std::uint32_t first_part = 0, end_part = 0;
};

// Owns nothing. Cells lie row by row from the south-west, and so do blocks of SightGrid::block_cells² cells.
struct SightSceneView {
  OcclusionView occlusion;
  Vec2 origin;
  double cell_m = 1;
  std::int32_t columns = 0, rows = 0, block_columns = 0, block_rows = 0;
  float top_z = 0;  // nothing is higher
  const SightCell* cells = nullptr;
  const SightSquare* blocks = nullptr;
  const Element* elements = nullptr;
  std::uint32_t element_count = 0;
  const std::uint32_t* parts = nullptr;
  const Rectangle* part_bounds = nullptr;
};

// Throws Error(resources) for more elements than a block's memory has numbers for.
void require_searchable(std::uint64_t elements);

// Owns the arrays of a view, but for those of the occlusion, which must outlive it.
class SightSceneArrays {
 public:
  SightSceneArrays(const OcclusionView& occlusion, const std::vector<Element>& elements);
  SightSceneView view() const;

 private:
  SightSceneView view_;
  std::vector<SightCell> cells_;
  std::vector<SightSquare> blocks_;
  std::vector<Element> elements_;
  std::vector<std::uint32_t> parts_;
  std::vector<Rectangle> part_bounds_;
};

}  // namespace tesseray
