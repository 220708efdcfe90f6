#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

bool is_not_finite(float value) { return !std::isfinite(value); }

std::size_t elements_of(const Array& array) { return std::max<std::size_t>(1, row_bytes(array) / size_of(array.type)); }

/// "2, 0": where element number `at` of a row stands.
std::vector<std::int64_t> indices_of(const Array& array, std::size_t at) {
  std::vector<std::int64_t> indices(array.shape.size());
  auto rest = static_cast<std::int64_t>(at);
  for (std::size_t axis = indices.size(); axis-- > 0; rest /= array.shape[axis])
    indices[axis] = rest % array.shape[axis];
  return indices;
}

}  // namespace

std::string place_in(const Array& array, std::size_t at) {
  const std::size_t elements = elements_of(array);
  const std::size_t element = at % elements;
  const std::string sample = std::to_string(at / elements + 1);
  if (element < array.columns.size()) {
    const std::string& name = array.columns[element].name;
    return fmt::format("sample {} (counted from 1, the header not), column {}", sample,
                       name.empty() ? std::to_string(element) : fmt::format("\"{}\"", name));
  }
  const std::string where = fmt::format("sample {} (counted from 1)", sample);
  return elements == 1 ? where : fmt::format("{}, element [{}]", where, fmt::join(indices_of(array, element), ", "));
}

void need_finite(std::span<const float> values, const Array& array, const std::string& file, const char* what) {
  const auto first = std::ranges::find_if(values, is_not_finite);
  if (first == values.end()) return;
  const auto others = std::count_if(first + 1, values.end(), is_not_finite);
  const char* const is = std::isnan(*first) ? "no value (NaN)" : "infinite as a 32-bit float";
  const std::string more = others == 0   ? ""
                           : others == 1 ? fmt::format(", and so is another one of its {}", what)
                                         : fmt::format(", and so are {} others of its {}", others, what);
  throw InputError(fmt::format(
      "'{}': {} is {}{} (one alone makes every loss NaN); put in values, or leave out these samples or columns", file,
      place_in(array, static_cast<std::size_t>(first - values.begin())), is, more));
}

}  // namespace regatta::data
