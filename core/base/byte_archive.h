// SPDX-License-Identifier: GPL-3.0-or-later
// What is told as one list of fields, as bytes and back: the list is a template over ByteWriter and ByteReader, which
// have the same functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/little_endian.h"

namespace tesseray {

class ByteWriter {
 public:
  void field(const double& number) { append_f64(number, bytes_); }
  void field(const float& number) { append_u32(std::bit_cast<std::uint32_t>(number), bytes_); }
  void field(const std::uint64_t& number) { append_u64(number, bytes_); }
  void field(const std::int64_t& number) { append_u64(static_cast<std::uint64_t>(number), bytes_); }
  void field(const std::uint32_t& number) { append_u32(number, bytes_); }
  void field(const std::uint16_t& number) { append_little_endian(number, bytes_); }
  void field(const bool& flag) { bytes_.push_back(flag ? 1 : 0); }
  void field(const std::string& text) {
    append_u32(static_cast<std::uint32_t>(text.size()), bytes_);
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  template <class Enum>
  void choice(const Enum& value, Enum /*last*/) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  template <class Item, class Each>
  void list(const std::vector<Item>& items, std::size_t /*least_item_bytes*/, const Each& each) {
    append_u32(static_cast<std::uint32_t>(items.size()), bytes_);
    for (const Item& item : items) each(item);
  }

  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 protected:
  std::vector<std::uint8_t> bytes_;
};

// Throws std::length_error when the bytes are not what is asked for.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  void field(double& number) { number = load_f64(take(8)); }
  void field(float& number) { number = std::bit_cast<float>(load_u32(take(4))); }
  void field(std::uint64_t& number) { number = load_u64(take(8)); }
  void field(std::int64_t& number) { number = static_cast<std::int64_t>(load_u64(take(8))); }
  void field(std::uint32_t& number) { number = load_u32(take(4)); }
  void field(std::uint16_t& number) { number = load_little_endian<std::uint16_t>(take(2)); }
  void field(bool& flag) { flag = *take(1) != 0; }
  void field(std::string& text) {
    const std::uint32_t length = count(1);
    const std::uint8_t* characters = take(length);
    text.assign(characters, characters + length);
  }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    const std::uint8_t number = *take(1);
    if (number > static_cast<std::uint8_t>(last)) throw std::length_error("a choice that there is not");
    value = static_cast<Enum>(number);
  }
  template <class Item, class Each>
  void list(std::vector<Item>& items, std::size_t least_item_bytes, const Each& each) {
    items.resize(count(least_item_bytes));
    for (Item& item : items) each(item);
  }

  void require_end() const {
    if (!left_.empty()) throw std::length_error("bytes after the end");
  }

 protected:
  const std::uint8_t* take(std::size_t size) {
    if (size > left_.size()) throw std::length_error("too few bytes");
    const std::uint8_t* at = left_.data();
    left_ = left_.subspan(size);
    return at;
  }
  // A number of items, each of at least so many bytes: no more than the rest can hold, so that nothing is allocated
  // for items that cannot be there.
  std::uint32_t count(std::size_t least_item_bytes) {
    const std::uint32_t items = load_u32(take(4));
    if (items > left_.size() / least_item_bytes) throw std::length_error("too few bytes");
    return items;
  }
  std::size_t bytes_left() const { return left_.size(); }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace tesseray
