#include "regatta/data/idx.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t magic_bytes = 4;
constexpr std::size_t size_bytes = 4;  // of one axis
constexpr std::uint64_t max_file_bytes = std::uint64_t{4} << 30;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

[[noreturn]] void fail(const std::string& name, std::size_t offset, const std::string& what) {
  throw InputError(fmt::format("'{}' is damaged at offset {}: {}; get the file again", name, offset, what));
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, const std::string& name) {
  if (bytes.size() < magic_bytes)
    fail(name, 0, fmt::format("it has {} bytes (an IDX file starts with 4)", bytes.size()));
  const std::uint32_t magic = big_endian(bytes, 0);
  const std::size_t axes = magic & 0xff;
  if (magic >> 8 != 0x08 || axes == 0) {
    fail(name, 0, fmt::format("found magic {:#010x}, expected 0x000008NN (unsigned bytes, NN axes)", magic));
  }
  const std::size_t header_bytes = magic_bytes + axes * size_bytes;
  if (bytes.size() < header_bytes) fail(name, bytes.size(), fmt::format("the sizes of {} axes are cut short", axes));

  IdxArray array;
  const std::uint64_t value_bytes = bytes.size() - header_bytes;
  std::uint64_t needed_bytes = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint64_t size = big_endian(bytes, magic_bytes + axis * size_bytes);
    array.shape.push_back(static_cast<std::int64_t>(size));
    needed_bytes = std::min(needed_bytes * size, max_file_bytes + 1);  // saturates: both factors stay below 2^33
  }
  if (needed_bytes > value_bytes) {
    fail(name, bytes.size(),
         fmt::format("its shape ({}) needs more than the {} bytes that follow the header", fmt::join(array.shape, ", "),
                     value_bytes));
  }
  if (needed_bytes < value_bytes) {
    fail(name, header_bytes + needed_bytes, fmt::format("{} bytes follow the last value", value_bytes - needed_bytes));
  }
  const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data()) + header_bytes;
  array.values.assign(first, first + value_bytes);
  return array;
}

}  // namespace regatta::data
