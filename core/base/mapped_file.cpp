// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/error.h"

namespace tesseray {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto refuse = [&](int error) {
    if (error == ENOMEM) {
      return Error(ErrorKind::resources, "out_of_memory", "the memory is not enough to map the file",
                   "close other programs, or raise the limit of memory (ulimit -v)", {.file = path.string()});
    }
    return Error(ErrorKind::invalid_input, "cannot_read_file",
                 "cannot read the file: " + std::generic_category().message(error), "check the path and its rights",
                 {.file = path.string()});
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw refuse(errno);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    const int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
    close(descriptor);
    throw refuse(error);
  }
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  if (size > 0) {
    void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
      const int error = errno;
      close(descriptor);
      throw refuse(error);
    }
    bytes_ = {static_cast<const std::uint8_t*>(memory), size};
  }
  close(descriptor);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

void MappedFile::forget(std::span<const std::uint8_t> part) const {
  // Whole pages of memory: those at the ends may be in use by others, who would read them again.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const std::size_t end = static_cast<std::size_t>(part.data() - bytes_.data()) + part.size();
  madvise(const_cast<std::uint8_t*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace tesseray
