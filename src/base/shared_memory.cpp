#include "regatta/base/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "regatta/base/error.hpp"

namespace regatta {

UniqueFd make_shared_memory(const char* name, std::uint64_t bytes) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    throw InternalError(errno_text("make shared memory", errno));
  return fd;
}

namespace {

void seal(const UniqueFd& memory, int more) {
  if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | more) != 0)
    throw InternalError(errno_text("seal shared memory", errno));
}

}  // namespace

void keep_size(const UniqueFd& memory) { seal(memory, 0); }

void keep_size_and_writer(const UniqueFd& memory) { seal(memory, F_SEAL_FUTURE_WRITE); }

void allocate(const UniqueFd& memory, std::uint64_t bytes) {
  const int problem = ::posix_fallocate(memory.get(), 0, static_cast<off_t>(bytes));
  if (problem != 0) throw InternalError(errno_text("allocate shared memory", problem));
}

std::string path_of_descriptor(int fd) { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd); }

// A process that ended may have left its number to another one, whose descriptor is something else: only what is sealed
// shared memory is taken.
UniqueFd open_shared_memory(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK));
  if (!fd) throw InternalError(errno_text(fmt::format("open the shared memory {}", path), errno));
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    throw InternalError(fmt::format("{} is no shared memory that keeps its size", path));
  return fd;
}

std::uint64_t shared_memory_bytes(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) throw InternalError(errno_text("look at shared memory", errno));
  return static_cast<std::uint64_t>(found.st_size);
}

std::shared_ptr<std::byte> map_shared(int fd, std::uint64_t bytes, int protection) {
  void* const at = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) throw InternalError(errno_text("map shared memory", errno));
  return {static_cast<std::byte*>(at), [bytes](std::byte* mapped) { ::munmap(mapped, bytes); }};
}

}  // namespace regatta
