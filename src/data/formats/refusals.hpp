// How the readers of data files refuse, and the memory that they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Throws InputError: "'x.npy' is damaged at offset 10: ...; get the file again".
[[noreturn]] void refuse_damaged(const FileBytes& file, std::uint64_t offset, const std::string& what);

/// Throws InputError if reading the file takes more memory than it may.
void check_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes);

/// Memory for that many bytes, not yet written. Throws what check_memory throws, and InputError if there is none.
std::shared_ptr<std::byte[]> shared_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes);

}  // namespace regatta::data
