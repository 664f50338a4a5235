// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/enumerable_thread_specific.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>

#include "core/base/parallel.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/search/number_marks.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

// Which of `count` elements are seen; number_of(k), their numbers, ascend.
template <class NumberOf>
std::vector<std::uint32_t> seen_by(const Element& source, const OcclusionView& view, const Tiling& tiling,
                                   const VisibilityOptions& options, std::size_t count, const NumberOf& number_of) {
  constexpr std::size_t per_block = 4096;
  if (source.is_inside) return {};
  const auto tiles = static_cast<std::uint32_t>(tiling.tiles.size());
  std::vector<std::vector<std::uint32_t>> of_blocks((count + per_block - 1) / per_block);
  parallel_blocks(count, per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t number = number_of(k);
      const Element target = number < tiles ? tile_element(tiling.tiles[number], number)
                                            : edge_element(tiling.edges[number - tiles], number);
      if (face_each_other(source, target) && within(options.max_distance_m, source.point, target.point) &&
          path_is_free(view, source.point, target.point) && !is_inside_part(view, target.point)) {
        of_blocks[begin / per_block].push_back(number);
      }
    }
  });
  std::vector<std::uint32_t> seen;
  for (const std::vector<std::uint32_t>& block : of_blocks) seen.insert(seen.end(), block.begin(), block.end());
  return seen;
}

// Which of all.
std::vector<std::uint32_t> seen_by(const Element& source, const OcclusionView& view, const Tiling& tiling,
                                   const VisibilityOptions& options) {
  return seen_by(source, view, tiling, options, tiling.tiles.size() + tiling.edges.size(),
                 [](std::size_t k) { return static_cast<std::uint32_t>(k); });
}

}  // namespace

std::vector<std::uint32_t> visible_from(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                        const VisibilityOptions& options) {
  const OcclusionView& view = occlusion.view();
  return seen_by(free_point_element(view, point), view, tiling, options);
}

std::vector<std::uint32_t> visible_among(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                         std::span<const std::uint32_t> elements) {
  const OcclusionView& view = occlusion.view();
  return seen_by(free_point_element(view, point), view, tiling, {}, elements.size(),
                 [&](std::size_t k) { return elements[k]; });
}

std::vector<std::uint32_t> visible_from_tile(const Occlusion& occlusion, const Tiling& tiling, std::uint32_t tile,
                                             const VisibilityOptions& options) {
  const OcclusionView& view = occlusion.view();
  Element source = tile_element(tiling.tiles[tile], tile);
  source.is_inside = is_inside_part(view, source.point);
  return seen_by(source, view, tiling, options);
}

struct PointVisibility::Impl {
  Impl(const OcclusionView& view, const Tiling& tiling, ElementRange targets)
      : elements(make_elements(view, tiling)),
        grid(view, elements, targets),
        scene{view, elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid} {}

  std::vector<Element> elements;
  SightGrid grid;
  SightScene scene;
  // To make a search takes a good part of the time that looking around in a street does.
  struct OfThread {
    explicit OfThread(std::size_t element_count) : ascending(element_count) {}

    std::optional<SightSearch> search;
    NumberMarks ascending;  // puts what is found in order
  };
  tbb::enumerable_thread_specific<OfThread> of_threads{elements.size()};
};

PointVisibility::PointVisibility(const Occlusion& occlusion, const Tiling& tiling, ElementRange targets)
    : impl_(std::make_unique<Impl>(occlusion.view(), tiling, targets)) {}
PointVisibility::~PointVisibility() = default;
PointVisibility::PointVisibility(PointVisibility&&) noexcept = default;
PointVisibility& PointVisibility::operator=(PointVisibility&&) noexcept = default;

std::vector<std::uint32_t> PointVisibility::visible_from(Vec3 point, const VisibilityOptions& options) const {
  std::vector<std::uint32_t> seen;
  Impl::OfThread& here = impl_->of_threads.local();
  if (!here.search || here.search->max_distance_m() != options.max_distance_m)
    here.search.emplace(impl_->scene, options.max_distance_m);
  here.search->find_all(free_point_element(impl_->scene.occlusion, point), seen);
  for (const std::uint32_t number : seen) here.ascending.add(number);
  auto next = seen.begin();
  here.ascending.take_runs([&](std::uint32_t first, std::uint32_t count) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    std::iota(next, end, first);
    next = end;
  });
  return seen;
}

struct SightFromPoints::Impl {
  // To prepare the search takes about as long as looking from three points without.
  static constexpr std::size_t worth_preparing = 4;

  const Occlusion& occlusion;
  const Tiling& tiling;
  std::atomic<std::size_t> asked{0};
  std::unique_ptr<const PointVisibility> search{};  // of whom `prepared` is told when it is there
  std::atomic<const PointVisibility*> prepared{nullptr};

  void prepare() {
    search = std::make_unique<const PointVisibility>(occlusion, tiling);
    prepared = search.get();
  }
};

SightFromPoints::SightFromPoints(const Occlusion& occlusion, const Tiling& tiling, std::size_t expected)
    : impl_(new Impl{occlusion, tiling}) {
  if (expected >= Impl::worth_preparing) impl_->prepare();
}
SightFromPoints::~SightFromPoints() = default;

std::uint64_t SightFromPoints::bytes() const {
  // Groups of a cell's elements are about half full.
  constexpr std::uint64_t of_element = sizeof(Element) + 2 * sizeof(ElementGroup) / lanes;
  return (impl_->tiling.tiles.size() + impl_->tiling.edges.size()) * of_element;
}

std::vector<std::uint32_t> SightFromPoints::visible_from(Vec3 point) const {
  // One thread prepares; what others are asked meanwhile they find without.
  if (impl_->prepared == nullptr && ++impl_->asked == Impl::worth_preparing) impl_->prepare();
  const PointVisibility* const search = impl_->prepared;
  return search != nullptr ? search->visible_from(point)
                           : tesseray::visible_from(impl_->occlusion, impl_->tiling, point);
}

}  // namespace tesseray
