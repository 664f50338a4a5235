// SPDX-License-Identifier: GPL-3.0-or-later
// Which memory is whose.
#pragma once

#include <cstddef>

namespace emulated_gpu {

// Whether so many bytes are one array's, or lie within it, that the GPU has.
bool is_on_device(const void* begin, std::size_t bytes);
// The same of the host's arrays that a GPU copies to and from on its own.
bool is_pinned(const void* begin, std::size_t bytes);

}  // namespace emulated_gpu
