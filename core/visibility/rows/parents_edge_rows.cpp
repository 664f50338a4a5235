// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/parallel.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

// Rows of edges are made when they are asked for; the lists of edges that a tile's row needs are kept.
class ParentsEdgeRows final : public Visibility {
 public:
  ParentsEdgeRows(const Visibility& visibility, const Tiling& tiling)
      : visibility_(visibility), edges_of_tile_(visibility.tile_count()), lengths_(visibility.element_count()) {
    parents_.reserve(tiling.edges.size());
    for (std::uint32_t e = 0; e < tiling.edges.size(); ++e) {
      const EdgeSegment& edge = tiling.edges[e];
      parents_.push_back({edge.tile_a, edge.tile_b});
      for (const std::uint32_t parent : parents_.back()) {
        if (parent != no_index) edges_of_tile_[parent].push_back(tile_count() + e);
      }
    }
    parallel_blocks(lengths_.size(), 256, no_progress(), [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> row;
      for (std::size_t element = begin; element < end; ++element) {
        ParentsEdgeRows::read_row(static_cast<std::uint32_t>(element), row);
        lengths_[element] = static_cast<std::uint32_t>(row.size());
      }
    });
  }

  std::uint32_t tile_count() const override { return visibility_.tile_count(); }
  std::uint32_t edge_count() const override { return visibility_.edge_count(); }

  void read_row(std::uint32_t element, std::vector<std::uint32_t>& row) const override {
    if (element < tile_count()) {
      read_tile_row(element, row);
    } else {
      read_edge_row(element - tile_count(), row);
    }
  }
  std::uint32_t row_length(std::uint32_t element) const override { return lengths_[element]; }
  std::uint32_t visible_tiles(std::uint32_t element) const override {
    return element < tile_count() ? visibility_.visible_tiles(element) : lengths_[element];
  }

 private:
  void read_edge_row(std::uint32_t edge, std::vector<std::uint32_t>& row) const {
    row.clear();
    std::vector<std::uint32_t> seen, either;
    for (const std::uint32_t parent : parents_[edge]) {
      if (parent == no_index) continue;
      visibility_.read_tiles_of_row(parent, seen);
      either.clear();
      std::set_union(row.begin(), row.end(), seen.begin(), seen.end(), std::back_inserter(either));
      row.swap(either);
    }
  }

  // A tile sees the edges whose parents it sees.
  void read_tile_row(std::uint32_t tile, std::vector<std::uint32_t>& row) const {
    visibility_.read_tiles_of_row(tile, row);
    const std::size_t tiles = row.size();
    for (std::size_t k = 0; k < tiles; ++k) {
      const std::vector<std::uint32_t>& edges = edges_of_tile_[row[k]];
      row.insert(row.end(), edges.begin(), edges.end());
    }
    const auto first_edge = row.begin() + static_cast<std::ptrdiff_t>(tiles);
    std::sort(first_edge, row.end());
    row.erase(std::unique(first_edge, row.end()), row.end());
  }

  const Visibility& visibility_;
  std::vector<std::array<std::uint32_t, 2>> parents_;
  std::vector<std::vector<std::uint32_t>> edges_of_tile_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

std::unique_ptr<Visibility> with_parents_edge_rows(const Visibility& visibility, const Tiling& tiling) {
  return std::make_unique<ParentsEdgeRows>(visibility, tiling);
}

}  // namespace tesseray
