#include "data/loader/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/data/to_float.hpp"

namespace regatta::data {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t lines_ahead = 8;  // the next row's; the processor finds the others itself

void prefetch(const std::byte* row, std::size_t bytes) {
  for (std::size_t at = 0; at < std::min(bytes, lines_ahead * line_bytes); at += line_bytes)
    __builtin_prefetch(row + at);
}

/// Calls `each(row, index)` for every row, with the beginning of the one after it on its way.
template <class Each>
void for_rows(const Array& array, std::span<const std::uint32_t> samples, const Each& each) {
  const auto at = [&](std::size_t i) { return array.first + samples[i] * array.stride_bytes; };
  const std::size_t bytes = row_bytes(array);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i + 1 < samples.size()) prefetch(at(i + 1), bytes);
    each(at(i), i);
  }
}

template <std::size_t bytes>
void copy_rows_of(const Array& array, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::byte* const first = array.first;
  const std::size_t stride = array.stride_bytes;
  for (std::size_t i = 0; i < samples.size(); ++i) std::memcpy(out + i * bytes, first + samples[i] * stride, bytes);
}

constexpr std::size_t piece_bytes = 16;
constexpr std::size_t most_short_bytes = 256;

/// Rows of 16 to 256 bytes, in pieces of which the last two may overlap.
void copy_short_rows(const Array& array, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::size_t bytes = row_bytes(array);
  const std::size_t last = bytes - piece_bytes;
  for (const std::uint32_t sample : samples) {
    const std::byte* const row = array.first + sample * array.stride_bytes;
    for (std::size_t at = 0; at < last; at += piece_bytes) std::memcpy(out + at, row + at, piece_bytes);
    std::memcpy(out + last, row + last, piece_bytes);
    out += bytes;
  }
}

// Short rows are copied without a call.
void copy_rows(const Array& array, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::size_t bytes = row_bytes(array);
  if (bytes >= piece_bytes && bytes <= most_short_bytes) return copy_short_rows(array, samples, out);
  switch (bytes) {
    case 1:
      return copy_rows_of<1>(array, samples, out);
    case 4:
      return copy_rows_of<4>(array, samples, out);
    case 8:
      return copy_rows_of<8>(array, samples, out);
    default:
      for_rows(array, samples, [&](const std::byte* row, std::size_t i) { std::memcpy(out + i * bytes, row, bytes); });
  }
}

template <class From>
From loaded(const std::byte* at) {
  From value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class From>
void to_integers(const std::byte* row, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(loaded<From>(row + i * sizeof(From)));
    const auto narrow = static_cast<std::int32_t>(value);
    if (narrow != value)
      throw InputError(
          fmt::format("the number {} does not fit into int32 (labels are read as such); correct it", value));
    std::memcpy(out + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

template <class From>
void rows_to_integers(const Array& array, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::size_t count = row_bytes(array) / sizeof(From);
  for_rows(array, samples, [&](const std::byte* row, std::size_t i) {
    to_integers<From>(row, count, out + i * count * sizeof(std::int32_t));
  });
}

void rows_to_floats(const Array& array, Scaling scaling, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::size_t count = row_bytes(array) / size_of(array.type);
  for_rows(array, samples, [&](const std::byte* row, std::size_t i) {
    to_float32(array.type, row, count, scaling, out + i * count * sizeof(float));
  });
}

bool is_plain_copy(const Array& array, const FieldOptions& options) {
  const bool is_scaled = options.scale != 1 || options.shift != 0;
  return !options.type || (*options.type == array.type && !is_scaled);
}

template <class Element>
void mirror_rows(std::byte* out, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row, out += width * sizeof(Element)) {
    for (std::size_t left = 0, right = width - 1; left < right; ++left, --right) {
      const auto first = loaded<Element>(out + left * sizeof(Element));
      const auto last = loaded<Element>(out + right * sizeof(Element));
      std::memcpy(out + left * sizeof(Element), &last, sizeof last);
      std::memcpy(out + right * sizeof(Element), &first, sizeof first);
    }
  }
}

}  // namespace

BatchField field_of(const Array& array, const FieldOptions& options) {
  const ElementType type = options.type.value_or(array.type);
  const auto refuse = [&](const std::string& why, const char* what_to_do) {
    throw InputError(fmt::format("'{}' holds {}, which {}; {}", array.name, name_of(array.type), why, what_to_do));
  };
  if (type != array.type && type != ElementType::float32 && type != ElementType::int32)
    refuse(fmt::format("is not turned into {}", name_of(type)), "ask for float32, int32 or its own type");
  if (type == ElementType::int32 && is_float(array.type)) refuse("would be cut off as int32", "ask for float32");
  if ((options.scale != 1 || options.shift != 0) && type != ElementType::float32)
    refuse("is not scaled as it is", "ask for float32");
  if (options.flips && array.shape.empty()) refuse("has no axis to mirror", "leave it as it is");
  return {type, array.shape};
}

bool is_decoded(const Array& array, const FieldOptions& options) {
  return options.flips || !is_plain_copy(array, options);
}

void gather(const Array& array, const FieldOptions& options, std::span<const std::uint32_t> samples, std::byte* out) {
  if (is_plain_copy(array, options)) return copy_rows(array, samples, out);
  if (*options.type == ElementType::float32) return rows_to_floats(array, {options.scale, options.shift}, samples, out);
  switch (array.type) {
    case ElementType::uint8:
      return rows_to_integers<std::uint8_t>(array, samples, out);
    case ElementType::int32:
      return rows_to_integers<std::int32_t>(array, samples, out);
    case ElementType::int64:
      return rows_to_integers<std::int64_t>(array, samples, out);
    case ElementType::float32:
    case ElementType::float64:
      throw InternalError("field_of refuses floats as integers");
  }
}

void mirror(const BatchField& field, std::uint64_t key, std::span<const std::uint32_t> samples, std::byte* out) {
  const std::size_t bytes = row_bytes(field);
  const auto width = static_cast<std::size_t>(field.shape.back());
  const std::size_t element = size_of(field.type);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (random_bits(key, samples[i]) >> 63 == 0) continue;
    std::byte* const row = out + i * bytes;
    const std::size_t rows = bytes / (width * element);
    if (element == 1) mirror_rows<std::uint8_t>(row, rows, width);
    if (element == 4) mirror_rows<std::uint32_t>(row, rows, width);
    if (element == 8) mirror_rows<std::uint64_t>(row, rows, width);
  }
}

}  // namespace regatta::data
