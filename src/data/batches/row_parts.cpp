#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/batches/batches.hpp"
#include "regatta/base/random.hpp"
#include "regatta/data/permutation.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::data {
namespace {

using Rows = std::vector<std::uint32_t>;
using Count = std::int64_t;

Rows drawn_order(Count count) {
  Rows order(static_cast<std::size_t>(count));
  Permutation(count, random_bits(static_cast<std::uint64_t>(count), 0)).images(0, order);
  return order;
}

/// Part of `rows` that is tested: at least one, and at least one is left.
Count test_rows(Count rows, double share) {
  constexpr double rounding = 1e-9;  // 0.29 of 100 rows are 29
  const auto wanted = static_cast<Count>(std::floor(static_cast<double>(rows) * share + rounding));
  return std::clamp<Count>(wanted, 1, rows - 1);
}

/// How many rows of each class are tested: the same share of all, what is left over where the remainders are largest,
/// and never all rows of a class.
std::map<std::int32_t, Count> tested_of_classes(const std::vector<std::int32_t>& classes, Count tested) {
  std::map<std::int32_t, Count> rows;
  for (const std::int32_t each : classes) ++rows[each];
  const auto all = static_cast<Count>(classes.size());
  std::map<std::int32_t, Count> quota;
  std::vector<std::pair<Count, std::int32_t>> remainders;  // negative, so that the largest comes first
  Count left = tested;
  for (const auto& [each, count] : rows) {
    quota[each] = count * tested / all;
    left -= quota[each];
    remainders.emplace_back(-(count * tested % all), each);
  }
  std::ranges::sort(remainders);
  for (const auto& [remainder, each] : remainders) {
    if (left == 0 || quota[each] + 1 >= rows[each]) continue;
    ++quota[each];
    --left;
  }
  return quota;
}

/// Rows in the drawn order are tested as long as their class is due.
std::vector<bool> tested_by_class(const PartRule& rule, Count tested) {
  std::map<std::int32_t, Count> due = tested_of_classes(rule.classes, tested);
  std::vector<bool> is_tested(rule.classes.size());
  for (const std::uint32_t row : drawn_order(rule.rows)) {
    Count& left = due[rule.classes[row]];
    is_tested[row] = left > 0;
    left -= is_tested[row] ? 1 : 0;
  }
  return is_tested;
}

/// Whole groups in a drawn order, those that fit; the smallest one if none does.
std::vector<bool> tested_by_group(const PartRule& rule, Count tested) {
  std::map<std::int32_t, Count> sizes;
  for (const std::int32_t each : rule.groups) ++sizes[each];
  std::vector<std::int32_t> groups;
  for (const auto& [each, count] : sizes) groups.push_back(each);
  std::set<std::int32_t> drawn;
  Count left = tested;
  for (const std::uint32_t at : drawn_order(static_cast<Count>(groups.size()))) {
    const Count size = sizes[groups[at]];
    if (size > left) continue;
    drawn.insert(groups[at]);
    left -= size;
  }
  if (drawn.empty())
    drawn.insert(*std::ranges::min_element(groups, {}, [&](std::int32_t each) { return sizes[each]; }));
  std::vector<bool> is_tested;
  for (const std::int32_t each : rule.groups) is_tested.push_back(drawn.contains(each));
  return is_tested;
}

std::vector<bool> tested_at_random(const PartRule& rule, Count tested) {
  std::vector<bool> is_tested(static_cast<std::size_t>(rule.rows));
  const Rows order = drawn_order(rule.rows);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tested); ++i) is_tested[order[i]] = true;
  return is_tested;
}

}  // namespace

RowParts row_parts(const PartRule& rule) {
  const Count tested = test_rows(rule.rows, rule.test);
  std::vector<bool> is_tested(static_cast<std::size_t>(rule.rows));
  if (rule.order == RowOrder::time)
    std::fill(is_tested.end() - tested, is_tested.end(), true);
  else if (!rule.groups.empty())
    is_tested = tested_by_group(rule, tested);
  else if (!rule.classes.empty())
    is_tested = tested_by_class(rule, tested);
  const bool none = std::ranges::find(is_tested, true) == is_tested.end();
  if (none) is_tested = tested_at_random(rule, tested);
  RowParts parts;
  for (std::uint32_t row = 0; row < is_tested.size(); ++row)
    (is_tested[row] ? parts.test : parts.training).push_back(row);
  return parts;
}

model::Tensor rows_at(const model::Tensor& tensor, std::span<const std::uint32_t> rows, std::string name) {
  model::Shape shape(tensor.shape.begin() + 1, tensor.shape.end());
  const std::int64_t size = model::element_count(shape) / shape.front();
  shape.front() = std::ssize(rows);
  model::Tensor part{std::move(name), std::move(shape), {}};
  std::visit(
      [&](const auto& values) {
        std::decay_t<decltype(values)> taken;
        taken.reserve(rows.size() * static_cast<std::size_t>(size));
        for (const std::uint32_t row : rows) {
          const auto first = values.begin() + static_cast<std::int64_t>(row) * size;
          taken.insert(taken.end(), first, first + size);
        }
        part.values = std::move(taken);
      },
      tensor.values);
  return part;
}

}  // namespace regatta::data
