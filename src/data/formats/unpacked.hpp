// Gzip (RFC 1952) around a data file.
#pragma once

#include <cstdint>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// What a gzip file holds, in memory; any other file as it is. Throws InputError if it is damaged, cut short, followed
/// by more, or holds more than the cap.
FileBytes unpacked(const FileBytes& file, std::uint64_t memory_cap_bytes);

}  // namespace regatta::data
