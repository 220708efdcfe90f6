// CRC-32C (Castagnoli, RFC 3720 appendix B.4), as used by the journal and the sample log.
#pragma once

#include <cstdint>
#include <string_view>

namespace regatta {

/// CRC of `data`; pass an earlier result as `seed` to continue over a further piece.
std::uint32_t crc32c(std::string_view data, std::uint32_t seed = 0);

/// The same without the instruction that some processors have for it.
std::uint32_t crc32c_anywhere(std::string_view data, std::uint32_t seed);

}  // namespace regatta
