#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/batches/batches.hpp"

namespace regatta::data {
namespace {

/// The bytes of each row.
std::vector<std::string_view> rows_of(const model::Tensor& tensor) {
  std::vector<std::string_view> rows;
  const auto count = static_cast<std::size_t>(tensor.shape.front());
  std::visit(
      [&](const auto& values) {
        const std::size_t bytes = count == 0 ? 0 : values.size() / count * sizeof(values.front());
        const auto* first = reinterpret_cast<const char*>(values.data());
        for (std::size_t row = 0; row < count; ++row) rows.emplace_back(first + row * bytes, bytes);
      },
      tensor.values);
  return rows;
}

}  // namespace

std::int64_t repeated_rows(const model::Tensor& training, const model::Tensor& test) {
  const auto known_rows = rows_of(training);
  const std::unordered_set<std::string_view> known(known_rows.begin(), known_rows.end());
  const auto all = rows_of(test);
  return std::ranges::count_if(all, [&](std::string_view row) { return known.contains(row); });
}

}  // namespace regatta::data
