// Files made by hand, what is read of them, and damage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/data/array.hpp"

namespace regatta::data {

inline FileBytes file_of(std::string bytes, std::string name) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return {std::move(name), *owner, owner};
}

/// The elements of all rows, one after the other.
template <class Number>
std::vector<Number> values_of(const Array& array) {
  std::vector<Number> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.count); ++i) {
    for (std::size_t at = 0; at < row_bytes(array); at += sizeof(Number)) {
      Number value;
      std::memcpy(&value, array.first + i * array.stride_bytes + at, sizeof value);
      values.push_back(value);
    }
  }
  return values;
}

/// Touches every byte of every row.
inline std::uint64_t sum_of_rows(const Array& array) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.count); ++i) {
    const std::byte* const row = array.first + i * array.stride_bytes;
    for (std::size_t at = 0; at < row_bytes(array); ++at) sum += std::to_integer<std::uint64_t>(row[at]);
  }
  return sum;
}

/// The text of an InputError.
template <class Act>
std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The number's bytes, the low one first.
template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

/// CRC-32 of gzip and ZIP.
inline std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// A gzip file that holds at most 65535 bytes as they are.
inline std::string gzipped(const std::string& bytes) {
  const auto length = static_cast<std::uint16_t>(bytes.size());
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11) + bytes_of(length) +
         bytes_of(static_cast<std::uint16_t>(~length)) + bytes + bytes_of(crc32_of(bytes)) +
         bytes_of(static_cast<std::uint32_t>(bytes.size()));
}

/// 20000 zeros, deflated.
inline std::string deflated_zeros() {
  return std::string(
      "\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xf5\x4f\x6d\x0d\x0f\xa0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x78\x30",
      36);
}

/// One of a thousand ways to damage a file: bytes changed, cut off, put in; numbers of a header replaced.
inline std::string mutated(std::string bytes, std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::size_t>(random_bits(seed, drawn++) % limit);
  };
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t head = std::min<std::size_t>(bytes.size(), 160);
    const std::size_t at = below(below(2) == 0 ? head : bytes.size());
    const std::size_t size = std::size_t{1} << below(4);
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t lies[] = {
        0, 1, most, most >> 1, most >> 33, std::uint64_t{1} << 31, random_bits(seed, drawn++)};
    const std::string lie = bytes_of(lies[below(std::size(lies))]).substr(0, size);
    switch (below(5)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, lie);
        break;
      case 2:
        bytes.replace(at, size, lie);
        break;
      case 3:
        bytes.erase(at, size);
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }
  return bytes;
}

}  // namespace regatta::data
