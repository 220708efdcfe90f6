// Memory without a name that processes share by its descriptor: nothing is left of it when the last one has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "regatta/base/unique_fd.hpp"

namespace regatta {

/// Zeros. `name` is what /proc calls it. Throws InternalError.
UniqueFd make_shared_memory(const char* name, std::uint64_t bytes);

/// From here on it keeps its size: who maps it cannot be ended by another one who cuts it. Throws InternalError.
void keep_size(const UniqueFd& memory);

/// As keep_size, and from here on nobody can map it to write: mappings that could before still can. Throws
/// InternalError.
void keep_size_and_writer(const UniqueFd& memory);

/// Takes the memory now, not page by page while it is first used. Throws InternalError.
void allocate(const UniqueFd& memory, std::uint64_t bytes);

/// "/proc/PID/fd/FD", by which others of the same user and PID namespace open what this process holds.
std::string path_of_descriptor(int fd);

/// Opens the shared memory behind such a path. `flags` as open has them. Throws InternalError, also if the path is no
/// shared memory.
UniqueFd open_shared_memory(const std::string& path, int flags);

/// Throws InternalError.
std::uint64_t shared_memory_bytes(int fd);

/// Unmapped at the end. `protection` as mmap has it. Throws InternalError.
std::shared_ptr<std::byte> map_shared(int fd, std::uint64_t bytes, int protection);

}  // namespace regatta
