// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/checksum.h"

#include <bit>
#include <cstddef>

#include "core/base/little_endian.h"

namespace tesseray {

namespace {

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu, prime_3 = 0x165667B19E3779F9u,
                        prime_4 = 0x85EBCA77C2B2AE63u, prime_5 = 0x27D4EB2F165667C5u;

// Bytes that are fetched before their turn.
constexpr std::size_t read_ahead = 1536;

std::uint64_t round(std::uint64_t lane, std::uint64_t input) { return std::rotl(lane + input * prime_2, 31) * prime_1; }

std::uint64_t merged(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round(0, lane)) * prime_1 + prime_4; }

}  // namespace

std::uint64_t xxh64(std::span<const std::uint8_t> bytes) {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = prime_5;
  if (left >= 32) {
    std::uint64_t lanes[4] = {prime_1 + prime_2, prime_2, 0, 0 - prime_1};
    for (; left >= 32; left -= 32) {
      // The processor itself does not look beyond the end of a page.
      __builtin_prefetch(at + read_ahead);
      for (std::uint64_t& lane : lanes) {
        lane = round(lane, load_u64(at));
        at += 8;
      }
    }
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = merged(hash, lane);
  }
  hash += bytes.size();
  for (; left >= 8; left -= 8, at += 8) hash = std::rotl(hash ^ round(0, load_u64(at)), 27) * prime_1 + prime_4;
  if (left >= 4) {
    hash = std::rotl(hash ^ (load_u32(at) * prime_1), 23) * prime_2 + prime_3;
    left -= 4;
    at += 4;
  }
  for (; left > 0; --left, ++at) hash = std::rotl(hash ^ (*at * prime_5), 11) * prime_1;
  hash = (hash ^ (hash >> 33)) * prime_2;
  hash = (hash ^ (hash >> 29)) * prime_3;
  return hash ^ (hash >> 32);
}

}  // namespace tesseray
