#include "regatta/base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
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

std::shared_ptr<std::byte> map_shared(int fd, std::uint64_t bytes, int protection) {
  void* const at = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) throw InternalError(errno_text("map shared memory", errno));
  return {static_cast<std::byte*>(at), [bytes](std::byte* mapped) { ::munmap(mapped, bytes); }};
}

}  // namespace regatta
