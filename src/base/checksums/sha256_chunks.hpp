// The compression function of SHA-256 (FIPS 180-4, 6.2.2), by the processor's own instructions where it has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace regatta {

using Sha256State = std::array<std::uint32_t, 8>;

/// Takes so many chunks of 64 bytes.
void compress_chunks(Sha256State& state, const std::uint8_t* bytes, std::size_t chunks);

/// The same on any processor.
void compress_chunks_anywhere(Sha256State& state, const std::uint8_t* bytes, std::size_t chunks);

}  // namespace regatta
