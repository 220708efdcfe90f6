#include "regatta/base/digest.hpp"

#include <cstring>

#include "base/checksums/sha256_chunks.hpp"
#include "regatta/base/error.hpp"

namespace regatta {

std::array<std::uint8_t, 32> sha256(std::string_view data) {
  Sha256State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
  const std::size_t whole = data.size() / 64 * 64;
  compress_chunks(state, bytes, whole / 64);

  std::array<std::uint8_t, 128> tail{};
  const std::size_t rest = data.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), bytes + whole, rest);
  tail[rest] = 0x80;
  const std::size_t padded = rest < 56 ? 64 : 128;
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;
  for (int i = 0; i < 8; ++i) tail[padded - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  compress_chunks(state, tail.data(), padded / 64);

  std::array<std::uint8_t, 32> digest{};
  for (int i = 0; i < 32; ++i) digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

template <std::size_t N>
std::string to_hex(const std::array<std::uint8_t, N>& bytes) {
  std::string text;
  for (std::uint8_t byte : bytes) {
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view data) { return to_hex(sha256(data)); }

Hash128 hash128(std::string_view data) {
  const auto digest = sha256(data);
  Hash128 hash;
  std::memcpy(hash.bytes.data(), digest.data(), hash.bytes.size());
  return hash;
}

std::string to_string(const Hash128& hash) { return to_hex(hash.bytes); }

namespace {

/// 16 for what is no digit: it stands beside the four bits that a digit has.
constexpr std::uint8_t value_of(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
  return digit >= 'a' && digit <= 'f' ? static_cast<std::uint8_t>(digit - 'a' + 10) : 16;
}

}  // namespace

std::optional<Hash128> parse_hash128(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  Hash128 hash;
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
    const std::uint8_t high = value_of(hex[2 * i]), low = value_of(hex[2 * i + 1]);
    all |= high | low;
    hash.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return all > 15 ? std::nullopt : std::optional(hash);
}

}  // namespace regatta
