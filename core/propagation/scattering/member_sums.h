// SPDX-License-Identifier: GPL-3.0-or-later
// What diffuse rays bring to some of a row's members: of hundreds of members a mirror sends a ray to a dozen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/propagation/rays/arrivals.h"

namespace tesseray {

class MemberSums {
 public:
  // None has a sum any more. REQUIRES for the others: members below `count`.
  void clear(std::size_t count) {
    places_.assign(count, 0);
    members_.clear();
    sums_.clear();
  }
  // Valid until the next call.
  DiffuseSum& of(std::uint32_t member) {
    std::uint32_t& place = places_[member];
    if (place == 0) {
      members_.push_back(member);
      sums_.emplace_back();
      place = static_cast<std::uint32_t>(sums_.size());
    }
    return sums_[place - 1];
  }
  // Calls visit(member, sum) for those that were asked for, in that order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) visit(members_[i], sums_[i]);
  }

 private:
  std::vector<std::uint32_t> places_;  // by member: where its sum is, from 1 on; 0: it has none
  std::vector<std::uint32_t> members_;
  std::vector<DiffuseSum> sums_;
};

}  // namespace tesseray
