// SHA-256 (FIPS 180-4), and its first 128 bits as the identity of trials, blocks and files.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace regatta {

/// The first 16 bytes of a SHA-256; printed as 32 lower-case hexadecimal digits.
struct Hash128 {
  std::array<std::uint8_t, 16> bytes{};
  bool operator==(const Hash128& other) const { return half(0) == other.half(0) && half(1) == other.half(1); }
  /// As the digits read. Two words are compared in place of sixteen bytes: sweeps sort a million of these.
  std::strong_ordering operator<=>(const Hash128& other) const {
    const auto first = half(0) <=> other.half(0);
    return first != std::strong_ordering::equal ? first : half(1) <=> other.half(1);
  }
  /// Eight of the bytes as a number, the first of them its highest.
  [[nodiscard]] std::uint64_t half(std::size_t which) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + which * sizeof value, sizeof value);
    return __builtin_bswap64(value);
  }
};

std::array<std::uint8_t, 32> sha256(std::string_view data);
std::string sha256_hex(std::string_view data);
Hash128 hash128(std::string_view data);
std::string to_string(const Hash128& hash);
std::optional<Hash128> parse_hash128(std::string_view hex);

}  // namespace regatta

template <>
struct std::hash<regatta::Hash128> {
  std::size_t operator()(const regatta::Hash128& key) const noexcept { return key.half(0); }
};

namespace regatta {

/// Hashes in no order.
using HashSet = std::unordered_set<Hash128>;

}  // namespace regatta
