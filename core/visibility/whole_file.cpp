// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/whole_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

#include "core/base/error.h"

namespace tesseray {

namespace {

bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

Error write_error(const std::filesystem::path& path, int error) {
  const std::string reason = std::generic_category().message(error);
  if (is_full(error)) {
    return Error(ErrorKind::resources, "disk_full", "cannot write the file: " + reason,
                 "free some space or give a path on another disk", {.file = path.string()});
  }
  return Error(ErrorKind::resources, "write_failed", "cannot write the file: " + reason,
               "check the disk and the rights on the folder", {.file = path.string()});
}

}  // namespace

WholeFileWriter::WholeFileWriter(const std::filesystem::path& target) : target_(target) {
  // In the same folder, so that renaming does not copy; a name of its own, so that two writers do not mix.
  std::random_device random;
  do {
    temporary_ = target.string() + "." + std::to_string(random()) + ".part";
    descriptor_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int error = errno;
    if (is_full(error)) throw write_error(target, error);
    throw Error(ErrorKind::invalid_input, "cannot_create_file",
                "cannot create the file: " + std::generic_category().message(error),
                "give a path in a folder that exists and can be written to", {.file = target.string()});
  }
}

WholeFileWriter::~WholeFileWriter() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void WholeFileWriter::append(std::span<const std::uint8_t> bytes) {
  write_at(size_, bytes);
  size_ += bytes.size();
}

void WholeFileWriter::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) { write_at(offset, bytes); }

void WholeFileWriter::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw write_error(target_, errno);
    }
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void WholeFileWriter::commit() {
  if (fsync(descriptor_) != 0) throw write_error(target_, errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw write_error(target_, errno);
  close(descriptor_);
  descriptor_ = -1;
  // The new name is durable once its folder is; a file system that cannot do so has still renamed.
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int folder_descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    fsync(folder_descriptor);
    close(folder_descriptor);
  }
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto refuse = [&](int error) {
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

}  // namespace tesseray
