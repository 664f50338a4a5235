// SPDX-License-Identifier: GPL-3.0-or-later
// Which sequences of reflections may light what: the tree of a source's images.
//
// How it works. A source lights surfaces; each makes an image, whose rays leave through the lit part of the surface: a
// beam. What the beam meets is cut to the part that it lights, and makes images in turn. What walls hide is left out
// (plan_horizon.h). Sequences that are given may still miss or be blocked, but none that exists is left out, up to
// these limits: the number of reflections, the length, and one reflection at a floor (a roof or the ground) unless a
// ceiling lies between, which over level floors is no limit at all: after one the ray rises.
//
// What it costs. Per image a look at the surfaces in its sector of the plan, some tens of microseconds. A street
// antenna in a dense city has about ten times as many images with each reflection more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/images/plan_horizon.h"
#include "core/propagation/images/real_edges.h"
#include "core/propagation/images/reflectors.h"
#include "core/visibility/occlusion/cell_grid.h"

namespace tesseray {

inline constexpr int most_image_reflections = 4;

// Surfaces at which a ray is reflected, in order.
struct ReflectionChain {
  std::array<std::uint32_t, most_image_reflections> reflectors{};
  std::uint8_t length = 0;

  void push(std::uint32_t reflector) { reflectors[length++] = reflector; }
  std::span<const std::uint32_t> numbers() const { return {reflectors.data(), length}; }
};

struct ImageLimits {
  int reflections = 0;               // at most most_image_reflections
  int reflections_before_edge = -1;  // sequences before an edge; negative: edges are not wanted
  double max_length_m = 0;           // of a whole ray, to any point of `goal`
  Rectangle goal;                    // of the plan: where rays end
};

// What a source may light by a sequence of reflections.
struct LitItem {
  std::uint32_t number = 0;  // of a target or an edge
  ReflectionChain chain;
};
struct LitItems {
  std::vector<LitItem> targets, edges;
  std::uint64_t images = 0;  // looked at, for the log
};

// Keeps references to what it is made of.
class ImageTree {
 public:
  ImageTree(const Reflectors& reflectors, const RealEdges& edges);

  // Thread-safe; the same for any number of threads. REQUIRES: limits.reflections ≤ most_image_reflections.
  LitItems light(Vec3 source, std::span<const Vec3> targets, const ImageLimits& limits, Progress& progress) const;

 private:
  struct Node;
  struct Search;
  struct Workspace;
  bool is_edge(std::uint32_t item) const;
  std::uint32_t edge_of(std::uint32_t item) const;
  Rectangle plan_box(std::uint32_t item) const;
  // What lies in the node's sector of the plan, within reach.
  void find_items(const Node& node, const Search& search, Workspace& work) const;
  // Of the walls among these; none where walls hide nothing.
  std::optional<PlanHorizon> horizon_of(const Node& node, const Search& search, const Workspace& work) const;
  bool may_light(const Node& node, const EdgeSegment& edge, const std::optional<PlanHorizon>& horizon) const;
  // The image in a surface; none when the node does not light it.
  std::optional<Node> child_of(const Node& node, std::uint32_t number, const std::optional<PlanHorizon>& horizon) const;
  void expand(const Node& node, const Search& search, Workspace& work, std::vector<Node>& children,
              LitItems& lit) const;
  void look(const Node& node, const Search& search, LitItems& lit) const;
  void descend(const Node& node, const Search& search, Workspace& work, LitItems& lit) const;

  const Reflectors& reflectors_;
  const RealEdges& edges_;
  std::uint32_t item_count_ = 0;  // reflectors, then edges
  CellGrid grid_;
  CellLists cells_;
  std::vector<std::uint32_t> everywhere_;  // items too large for lists of cells
};

}  // namespace tesseray
