#include <fmt/format.h>

#include <optional>

#include "data/formats/formats.hpp"
#include "data/formats/stored.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t idx_magic_bytes = 4;
constexpr std::size_t idx_axis_bytes = 4;

std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::optional<Stored> idx_type(std::uint32_t code) {
  switch (code) {
    case 0x08:
      return Stored::uint8;
    case 0x09:
      return Stored::int8;
    case 0x0b:
      return Stored::int16;
    case 0x0c:
      return Stored::int32;
    case 0x0d:
      return Stored::float32;
    case 0x0e:
      return Stored::float64;
    default:
      return std::nullopt;
  }
}

}  // namespace

Array parse_idx(const FileBytes& packed, std::uint64_t memory_cap_bytes) {
  const FileBytes file = unpacked(packed, memory_cap_bytes);
  if (file.bytes.size() < idx_magic_bytes)
    refuse_damaged(file, 0, fmt::format("it has {} bytes (an IDX file starts with 4)", file.bytes.size()));
  const std::uint32_t magic = big_endian_at(file.bytes, 0);
  const std::size_t axes = magic & 0xff;
  const std::optional<Stored> stored = idx_type(magic >> 8);
  if (!stored || axes == 0) {
    refuse_damaged(
        file, 0,
        fmt::format("found magic {:#010x}, expected 0x0000TTNN (TT 08, 09, 0b, 0c, 0d or 0e, the type of the "
                    "numbers; NN axes)",
                    magic));
  }
  const std::size_t header_bytes = idx_magic_bytes + axes * idx_axis_bytes;
  if (file.bytes.size() < header_bytes)
    refuse_damaged(file, file.bytes.size(), fmt::format("the sizes of {} axes are cut short", axes));
  Layout layout{
      .stored = *stored, .is_big_endian = true, .first_axis_is_fastest = false, .axes = {}, .offset = header_bytes};
  for (std::size_t axis = 0; axis < axes; ++axis)
    layout.axes.push_back(big_endian_at(file.bytes, idx_magic_bytes + axis * idx_axis_bytes));
  return array_of(file, layout, memory_cap_bytes);
}

}  // namespace regatta::data
