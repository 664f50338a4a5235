// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/rtree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/infinity.h"
#include "core/io/sources/sql_text.h"

namespace tesseray {

namespace {

constexpr std::size_t node_header_bytes = 4;  // depth (in the root only) and number of cells, 16 bits each
constexpr std::size_t cell_bytes = 24;        // 64-bit id and four 32-bit floats
// Leaves are packed from this many rows at a time, which bounds the memory for any number of rows.
constexpr std::size_t rows_per_packing = 1 << 20;

float rounded_down(double value) {
  const auto f = static_cast<float>(value);
  return static_cast<double>(f) > value ? std::nextafterf(f, -infinity_f) : f;
}
float rounded_up(double value) {
  const auto f = static_cast<float>(value);
  return static_cast<double>(f) < value ? std::nextafterf(f, infinity_f) : f;
}

void put_big_endian(unsigned char* to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value >> (8 * (bytes - 1 - i)));
}

}  // namespace

RtreeBuilder::RtreeBuilder(SqliteDatabase& database, const std::string& table)
    : database_(database),
      // SQLite chooses the size of nodes from the page size when it makes the table, and reads it from the root later.
      node_bytes_(static_cast<std::size_t>(
          database.integer("SELECT length(data) FROM " + quoted_name(table + "_node") + " WHERE nodeno = 1"))),
      capacity_((node_bytes_ - node_header_bytes) / cell_bytes),
      update_root_("UPDATE " + quoted_name(table + "_node") + " SET data = ?2 WHERE nodeno = ?1"),
      insert_node_(database, "INSERT INTO " + quoted_name(table + "_node") + " VALUES (?, ?)"),
      insert_parent_(database, "INSERT INTO " + quoted_name(table + "_parent") + " VALUES (?, ?)"),
      insert_row_(database, "INSERT INTO " + quoted_name(table + "_rowid") + " VALUES (?, ?)") {}

void RtreeBuilder::add(std::int64_t row_id, const Rectangle& box) {
  rows_.push_back(
      {row_id, {rounded_down(box.min.x), rounded_up(box.max.x), rounded_down(box.min.y), rounded_up(box.max.y)}});
  if (rows_.size() == rows_per_packing) pack_leaves();
}

void RtreeBuilder::pack_leaves() {
  const std::vector<Cell> leaves = pack(std::exchange(rows_, {}), true);
  nodes_.insert(nodes_.end(), leaves.begin(), leaves.end());
}

std::vector<RtreeBuilder::Cell> RtreeBuilder::pack(std::vector<Cell> cells, bool leaves) {
  const auto center = [](const Cell& cell, std::size_t axis) {
    return static_cast<double>(cell.box[2 * axis]) + static_cast<double>(cell.box[2 * axis + 1]);
  };
  const auto by = [&center](std::size_t axis) {
    return [&center, axis](const Cell& a, const Cell& b) {
      return std::pair(center(a, axis), a.id) < std::pair(center(b, axis), b.id);
    };
  };
  const std::size_t node_count = (cells.size() + capacity_ - 1) / capacity_;
  const auto slices = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(node_count))));
  const std::size_t slice_cells = (node_count + slices - 1) / slices * capacity_;
  std::sort(cells.begin(), cells.end(), by(0));
  for (std::size_t first = 0; first < cells.size(); first += slice_cells) {
    const std::size_t last = std::min(cells.size(), first + slice_cells);
    std::sort(cells.begin() + static_cast<std::ptrdiff_t>(first), cells.begin() + static_cast<std::ptrdiff_t>(last),
              by(1));
  }

  std::vector<Cell> nodes;
  nodes.reserve(node_count);
  std::vector<std::pair<std::int64_t, std::int64_t>> homes;  // id → node
  homes.reserve(cells.size());
  for (std::size_t first = 0; first < cells.size(); first += capacity_) {
    const std::size_t count = std::min(capacity_, cells.size() - first);
    Cell node{next_node_++, cells[first].box};
    for (std::size_t i = first; i < first + count; ++i) {
      const std::array<float, 4>& box = cells[i].box;
      node.box = {std::min(node.box[0], box[0]), std::max(node.box[1], box[1]), std::min(node.box[2], box[2]),
                  std::max(node.box[3], box[3])};
      homes.emplace_back(cells[i].id, node.id);
    }
    write_node(node.id, 0, cells.data() + first, count);
    nodes.push_back(node);
  }
  // In the order of their keys, so that the tables grow at their end.
  std::sort(homes.begin(), homes.end());
  SqliteStatement& insert_home = leaves ? insert_row_ : insert_parent_;
  for (const auto& [id, node] : homes) insert_home.bind(1, id).bind(2, node).run();
  return nodes;
}

void RtreeBuilder::finish() {
  // The root's cells are rows when they all fit there, else nodes.
  int depth = 0;
  std::vector<Cell> root = rows_;
  if (!nodes_.empty() || rows_.size() > capacity_) {
    if (!rows_.empty()) pack_leaves();
    root = std::exchange(nodes_, {});
    for (depth = 1; root.size() > capacity_; ++depth) root = pack(std::move(root), false);
  }
  SqliteStatement& insert_home = depth == 0 ? insert_row_ : insert_parent_;
  for (const Cell& cell : root) insert_home.bind(1, cell.id).bind(2, std::int64_t{1}).run();
  write_node(1, depth, root.data(), root.size());
}

void RtreeBuilder::write_node(std::int64_t number, int depth, const Cell* cells, std::size_t count) {
  std::vector<unsigned char> data(node_bytes_, 0);
  put_big_endian(data.data(), static_cast<std::uint64_t>(depth), 2);
  put_big_endian(data.data() + 2, count, 2);
  unsigned char* to = data.data() + node_header_bytes;
  for (std::size_t i = 0; i < count; ++i, to += cell_bytes) {
    put_big_endian(to, static_cast<std::uint64_t>(cells[i].id), 8);
    for (std::size_t k = 0; k < 4; ++k) {
      put_big_endian(to + 8 + 4 * k, std::bit_cast<std::uint32_t>(cells[i].box[k]), 4);
    }
  }
  if (number == 1) {
    SqliteStatement(database_, update_root_).bind(1, number).bind(2, std::span<const unsigned char>(data)).run();
  } else {
    insert_node_.bind(1, number).bind(2, std::span<const unsigned char>(data)).run();
  }
}

}  // namespace tesseray
