// CRC-32C on a processor without an instruction for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace regatta {

/// What crc32c() gives.
std::uint32_t crc32c_anywhere(std::string_view data, std::uint32_t seed);

}  // namespace regatta
