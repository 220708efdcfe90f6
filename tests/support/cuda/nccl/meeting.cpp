#include "support/cuda/nccl/meeting.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace regatta::cuda_fakes::nccl {

namespace {

constexpr std::size_t kTableBytes = 4096;
static_assert(sizeof(Table) <= kTableBytes);
constexpr std::size_t kBytes = kTableBytes + kMostRanks * kMostBytes;
constexpr const char* kFormat = "fake NCCL /proc/%d/fd/%d";

}  // namespace

engine::cuda::NcclUniqueId make_meeting() {
  engine::cuda::NcclUniqueId id{};
  const int memory = ::memfd_create("fake-nccl", MFD_CLOEXEC);
  if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(kBytes)) != 0) return id;
  std::snprintf(id.bytes, sizeof id.bytes, kFormat, static_cast<int>(::getpid()), memory);
  return id;
}

Table* join_meeting(const engine::cuda::NcclUniqueId& id) {
  int process = 0;
  int descriptor = 0;
  if (std::memchr(id.bytes, 0, sizeof id.bytes) == nullptr) return nullptr;
  if (std::sscanf(id.bytes, kFormat, &process, &descriptor) != 2) return nullptr;
  const int memory = ::open(std::strchr(id.bytes, '/'), O_RDWR | O_CLOEXEC);
  if (memory < 0) return nullptr;
  void* const at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
  ::close(memory);
  return at == MAP_FAILED ? nullptr : static_cast<Table*>(at);
}

void leave_meeting(Table* table) { ::munmap(static_cast<void*>(table), kBytes); }

float* numbers_of(Table* table, int rank) {
  auto* const base = reinterpret_cast<std::byte*>(table) + kTableBytes;
  return reinterpret_cast<float*>(base + static_cast<std::size_t>(rank) * kMostBytes);
}

}  // namespace regatta::cuda_fakes::nccl
