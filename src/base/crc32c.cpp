#include "regatta/base/crc32c.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace regatta {
namespace {

constexpr std::uint32_t reversed_polynomial = 0x82f63b78;

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: the CRC of byte b followed by k zero bytes, so that eight bytes are taken at a time.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reversed_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 255];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

#if defined(__x86_64__)

/// The processor has an instruction for this very polynomial.
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view data, std::uint32_t seed) {
  std::uint64_t crc = ~seed;
  const char* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    crc = _mm_crc32_u64(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++p) rest = _mm_crc32_u8(rest, static_cast<std::uint8_t>(*p));
  return ~rest;
}

#endif

}  // namespace

std::uint32_t crc32c(std::string_view data, std::uint32_t seed) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(data, seed);
#endif
  return crc32c_anywhere(data, seed);
}

std::uint32_t crc32c_anywhere(std::string_view data, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  const auto* p = reinterpret_cast<const std::uint8_t*>(data.data());
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    crc ^= p[0] | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
    crc = tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^ tables[5][crc >> 16 & 255] ^ tables[4][crc >> 24] ^
          tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
  }
  for (; left > 0; --left, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 255];
  return ~crc;
}

}  // namespace regatta
