#include "data/formats/stored.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian");

namespace {

struct Half {
  std::uint16_t bits;
};

float widened(Half half) {
  const int exponent = half.bits >> 10 & 0x1f;
  const int fraction = half.bits & 0x3ff;
  float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent > 0) {
    magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return half.bits >> 15 != 0 ? -magnitude : magnitude;
}

/// Walks through the numbers of a file in Fortran's order as they follow one another in C's.
class FortranWalk {
 public:
  explicit FortranWalk(const std::vector<std::int64_t>& axes) : axes_(axes), indices_(axes.size()) {
    std::size_t stride = 1;
    for (const std::int64_t size : axes) {
      strides_.push_back(stride);
      stride *= static_cast<std::size_t>(size);
    }
  }
  std::size_t operator()() {
    const std::size_t here = at_;
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
      at_ += strides_[axis];
      if (++indices_[axis] < axes_[axis]) break;
      at_ -= strides_[axis] * static_cast<std::size_t>(axes_[axis]);
      indices_[axis] = 0;
    }
    return here;
  }

 private:
  const std::vector<std::int64_t>& axes_;
  std::vector<std::int64_t> indices_;
  std::vector<std::size_t> strides_;
  std::size_t at_ = 0;
};

/// Numbers on their way from a file into memory.
struct Conversion {
  const FileBytes& file;
  const Layout& layout;
  std::size_t count;
  std::byte* to;
};

template <class From>
From load(const char* at, bool is_big_endian) {
  std::array<char, sizeof(From)> bytes;
  std::memcpy(bytes.data(), at, sizeof(From));
  if (is_big_endian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<From>(bytes);
}

template <class To, class From, class Position>
void convert_from(const Conversion& conversion, Position position) {
  const char* const first = conversion.file.bytes.data() + conversion.layout.offset;
  for (std::size_t i = 0; i < conversion.count; ++i) {
    const std::size_t at = position() * sizeof(From);
    const auto from = load<From>(first + at, conversion.layout.is_big_endian);
    if constexpr (std::is_same_v<From, std::uint64_t>) {
      if (from > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        throw InputError(fmt::format("'{}' holds {} at offset {} (numbers up to 2^63 - 1 are read); save it as int64",
                                     conversion.file.name, from, conversion.layout.offset + at));
      }
    }
    To to;
    if constexpr (std::is_same_v<From, Half>) {
      to = widened(from);
    } else {
      to = static_cast<To>(from);
    }
    std::memcpy(conversion.to + i * sizeof(To), &to, sizeof(To));
  }
}

template <class To, class From>
void convert(const Conversion& conversion) {
  if (conversion.layout.first_axis_is_fastest) {
    convert_from<To, From>(conversion, FortranWalk(conversion.layout.axes));
  } else {
    convert_from<To, From>(conversion, [next = std::size_t{0}]() mutable { return next++; });
  }
}

void convert_numbers(const Conversion& conversion) {
  switch (conversion.layout.stored) {
    case Stored::uint8:
      return convert<std::uint8_t, std::uint8_t>(conversion);
    case Stored::int8:
      return convert<std::int32_t, std::int8_t>(conversion);
    case Stored::uint16:
      return convert<std::int32_t, std::uint16_t>(conversion);
    case Stored::int16:
      return convert<std::int32_t, std::int16_t>(conversion);
    case Stored::uint32:
      return convert<std::int64_t, std::uint32_t>(conversion);
    case Stored::int32:
      return convert<std::int32_t, std::int32_t>(conversion);
    case Stored::uint64:
      return convert<std::int64_t, std::uint64_t>(conversion);
    case Stored::int64:
      return convert<std::int64_t, std::int64_t>(conversion);
    case Stored::float16:
      return convert<float, Half>(conversion);
    case Stored::float32:
      return convert<float, float>(conversion);
    case Stored::float64:
      return convert<double, double>(conversion);
  }
}

/// The bytes of so many axes; the largest number if no number is as large.
std::uint64_t saturated_bytes(Stored stored, std::span<const std::int64_t> axes) {
  std::uint64_t bytes = size_of(stored);
  for (const std::int64_t size : axes) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes))
      bytes = std::numeric_limits<std::uint64_t>::max();
  }
  return bytes;
}

/// How many numbers the axes hold: exactly as many as end the file, else an error.
std::size_t checked_count(const FileBytes& file, const Layout& layout) {
  const std::uint64_t value_bytes = file.bytes.size() - layout.offset;
  const std::uint64_t needed_bytes = saturated_bytes(layout.stored, layout.axes);
  if (needed_bytes > value_bytes) {
    refuse_damaged(file, file.bytes.size(),
                   fmt::format("its shape ({}) needs more than the {} bytes that follow the header",
                               fmt::join(layout.axes, ", "), value_bytes));
  }
  if (needed_bytes < value_bytes) {
    refuse_damaged(file, layout.offset + needed_bytes,
                   fmt::format("{} bytes follow the last value", value_bytes - needed_bytes));
  }
  return needed_bytes / size_of(layout.stored);
}

void check_axes(const FileBytes& file, const Layout& layout) {
  const std::vector<std::int64_t>& axes = layout.axes;
  if (axes.size() > max_axes)
    throw InputError(fmt::format("'{}' has {} axes (at most {} are read)", file.name, axes.size(), max_axes));
  const auto refuse_rows = [&](const char* what) {
    throw InputError(fmt::format("'{}' has the shape ({}): {}", file.name, fmt::join(axes, ", "), what));
  };
  const std::span<const std::int64_t> row = std::span(axes).subspan(1);
  if (std::find(row.begin(), row.end(), 0) != row.end())
    refuse_rows("its rows have no elements; save rows that have some");
  if (saturated_bytes(layout.stored, row) > std::uint64_t{max_row_bytes} && axes.front() == 0)
    refuse_rows("there are no rows, and each is larger than any file; save some rows");
}

}  // namespace

std::size_t size_of(Stored stored) {
  switch (stored) {
    case Stored::uint8:
    case Stored::int8:
      return 1;
    case Stored::uint16:
    case Stored::int16:
    case Stored::float16:
      return 2;
    case Stored::uint32:
    case Stored::int32:
    case Stored::float32:
      return 4;
    case Stored::uint64:
    case Stored::int64:
    case Stored::float64:
      return 8;
  }
  throw InternalError("numbers of no size");
}

ElementType type_of(Stored stored) {
  switch (stored) {
    case Stored::uint8:
      return ElementType::uint8;
    case Stored::int8:
    case Stored::uint16:
    case Stored::int16:
    case Stored::int32:
      return ElementType::int32;
    case Stored::uint32:
    case Stored::uint64:
    case Stored::int64:
      return ElementType::int64;
    case Stored::float16:
    case Stored::float32:
      return ElementType::float32;
    case Stored::float64:
      return ElementType::float64;
  }
  throw InternalError("numbers of no type");
}

Array array_of(const FileBytes& file, const Layout& layout, std::uint64_t memory_cap_bytes) {
  check_axes(file, layout);
  const std::size_t count = checked_count(file, layout);
  Array array;
  array.type = type_of(layout.stored);
  array.count = layout.axes.front();
  array.shape.assign(layout.axes.begin() + 1, layout.axes.end());
  array.stride_bytes = row_bytes(array);
  const bool reversed = layout.is_big_endian && size_of(layout.stored) > 1;
  const bool turned = layout.first_axis_is_fastest && layout.axes.size() > 1;
  const bool widens = layout.stored == Stored::int8 || layout.stored == Stored::uint64 ||
                      layout.stored == Stored::float16 || size_of(array.type) != size_of(layout.stored);
  if (!reversed && !turned && !widens) {
    array.first = reinterpret_cast<const std::byte*>(file.bytes.data()) + layout.offset;
    array.owner = file.owner;
    return array;
  }
  const auto memory = shared_memory(file, count * size_of(array.type), memory_cap_bytes);
  convert_numbers({.file = file, .layout = layout, .count = count, .to = memory.get()});
  array.first = memory.get();
  array.owner = memory;
  return array;
}

}  // namespace regatta::data
