// CRC-32C on a processor without an instruction for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace regatta {

/// The same as crc32c(), on every processor.
std::uint32_t crc32c_anywhere(std::string_view data, std::uint32_t seed);

}  // namespace regatta
