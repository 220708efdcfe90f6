// Arrays made in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Rows of `shape` that hold `values` one after the other.
template <class Number>
Array array_of(std::string name, ElementType type, std::vector<std::int64_t> shape, std::vector<Number> values) {
  const auto owner = std::make_shared<const std::vector<Number>>(std::move(values));
  Array array;
  array.name = std::move(name);
  array.type = type;
  array.shape = std::move(shape);
  array.first = reinterpret_cast<const std::byte*>(owner->data());
  array.stride_bytes = row_bytes(array);
  array.count = static_cast<std::int64_t>(owner->size() * sizeof(Number) / array.stride_bytes);
  array.owner = owner;
  return array;
}

template <class Number>
std::vector<Number> numbers_at(const std::byte* at, std::size_t count) {
  std::vector<Number> numbers(count);
  std::memcpy(numbers.data(), at, count * sizeof(Number));
  return numbers;
}

}  // namespace regatta::data
