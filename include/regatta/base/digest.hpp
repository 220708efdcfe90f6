// SHA-256 (FIPS 180-4), and its first 128 bits as the identity of trials, blocks and files.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {

/// The first 16 bytes of a SHA-256; printed as 32 lower-case hexadecimal digits.
struct Hash128 {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Hash128&) const = default;
};

std::array<std::uint8_t, 32> sha256(std::string_view data);
std::string sha256_hex(std::string_view data);
Hash128 hash128(std::string_view data);
std::string to_string(const Hash128& hash);
std::optional<Hash128> parse_hash128(std::string_view hex);

}  // namespace regatta

template <>
struct std::hash<regatta::Hash128> {
  std::size_t operator()(const regatta::Hash128& key) const noexcept {
    std::size_t head = 0;
    for (std::size_t i = 0; i < sizeof head; ++i) head = head << 8 | key.bytes[i];
    return head;
  }
};
