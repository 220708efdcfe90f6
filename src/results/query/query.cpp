#include "regatta/results/query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/base/units.hpp"

namespace regatta::results {
namespace {

using sweep::Value;

enum class Relation { equal, other, less, at_most, more, at_least };

struct Sign {
  std::string_view text;
  Relation relation;
};
/// Longer ones first: "<=" is not "<".
constexpr std::array<Sign, 6> signs = {{{"!=", Relation::other},
                                        {"<=", Relation::at_most},
                                        {">=", Relation::at_least},
                                        {"=", Relation::equal},
                                        {"<", Relation::less},
                                        {">", Relation::more}}};

bool is_order(Relation relation) { return relation != Relation::equal && relation != Relation::other; }

/// "batch>=64" in its parts.
struct Condition {
  std::string text;
  std::string column;
  Relation relation = Relation::equal;
  std::vector<std::string> values;  ///< one for an order
};

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Condition parse_condition(const std::string& text) {
  Condition condition{text, {}, {}, {}};
  const std::size_t at = text.find_first_of("!<>=");
  for (const Sign& sign : signs) {
    if (at == std::string::npos || at == 0 || text.compare(at, sign.text.size(), sign.text) != 0) continue;
    condition.column = text.substr(0, at);
    condition.relation = sign.relation;
    const std::string value = text.substr(at + sign.text.size());
    condition.values = is_order(sign.relation) ? std::vector{value} : split_at_commas(value);
    return condition;
  }
  throw InputError(
      fmt::format("'{}' is no condition (rows are chosen by them); write COLUMN=VALUE, such as engine=native or "
                  "'step_time<5ms'",
                  text));
}

/// A number with or without the unit of its column, in base units.
std::optional<double> parse_number(const std::string& text, const std::string& unit) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last) return value;
  if (unit == "s") return parse_duration(text);
  if (unit == "byte") {
    if (const auto bytes = parse_size(text)) return static_cast<double>(*bytes);
  }
  return std::nullopt;
}

std::string what_is_expected(const std::string& unit) {
  if (unit == "s") return "a number of seconds or a time, such as 5ms";
  if (unit == "byte") return "a number of bytes or a size, such as 64MiB";
  return "a number";
}

std::optional<double> number_in(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

/// A value that a cell may be equal to.
struct Wanted {
  std::string text;
  std::optional<double> number;

  [[nodiscard]] bool is(const Value& cell) const {
    if (std::holds_alternative<std::monostate>(cell)) return text == "null";
    if (const auto held = number_in(cell)) return number && *held == *number;
    return sweep::to_text(cell) == text;
  }
};

Wanted wanted(const Condition& condition, const TableColumn& column, const std::string& text) {
  if (!column.number || text == "null") return {text, std::nullopt};
  const auto number = parse_number(text, column.unit);
  if (!number)
    throw InputError(fmt::format("'{}': found '{}', expected {}", condition.text, text, what_is_expected(column.unit)));
  return {text, number};
}

using Test = std::function<bool(const Value&)>;

Test order_test(const Condition& condition, const TableColumn& column) {
  if (!column.number)
    throw InputError(
        fmt::format("'{}': '{}' holds text, which has no order; use = or !=", condition.text, column.name));
  const auto limit = wanted(condition, column, condition.values.front()).number;
  if (!limit)
    throw InputError(fmt::format("'{}': found 'null', expected {}", condition.text, what_is_expected(column.unit)));
  return [relation = condition.relation, limit = *limit](const Value& cell) {
    const auto held = number_in(cell);
    if (!held) return false;
    switch (relation) {
      case Relation::less:
        return *held < limit;
      case Relation::at_most:
        return *held <= limit;
      case Relation::more:
        return *held > limit;
      default:
        return *held >= limit;
    }
  };
}

Test test_of(const Condition& condition, const TableColumn& column) {
  if (is_order(condition.relation)) return order_test(condition, column);
  std::vector<Wanted> values;
  for (const std::string& text : condition.values) values.push_back(wanted(condition, column, text));
  return [values = std::move(values), equal = condition.relation == Relation::equal](const Value& cell) {
    return std::ranges::any_of(values, [&](const Wanted& value) { return value.is(cell); }) == equal;
  };
}

void keep_rows(Table& table, const std::string& text) {
  const Condition condition = parse_condition(text);
  const TableColumn& column = column_of(table, condition.column);
  const Test test = test_of(condition, column);
  std::erase_if(table.rows, [&](std::size_t row) { return !test(column.at(row)); });
}

/// Numbers by size, texts by their bytes; what is missing is last, whichever way the others stand.
bool comes_before(const Value& a, const Value& b, bool descending) {
  const bool missing_a = std::holds_alternative<std::monostate>(a);
  const bool missing_b = std::holds_alternative<std::monostate>(b);
  if (missing_a || missing_b) return missing_b && !missing_a;
  const auto number_a = number_in(a);
  const auto number_b = number_in(b);
  const Value& first = descending ? b : a;
  const Value& second = descending ? a : b;
  if (number_a && number_b) return *number_in(first) < *number_in(second);
  return sweep::to_text(first) < sweep::to_text(second);
}

void sort_rows(Table& table, const std::string& sort) {
  const bool descending = sort.starts_with('-');
  const TableColumn& column = column_of(table, descending ? std::string_view(sort).substr(1) : sort);
  std::vector<std::pair<Value, std::size_t>> keyed;
  keyed.reserve(table.rows.size());
  for (const std::size_t row : table.rows) keyed.emplace_back(column.at(row), row);
  std::ranges::stable_sort(keyed,
                           [&](const auto& a, const auto& b) { return comes_before(a.first, b.first, descending); });
  std::ranges::transform(keyed, table.rows.begin(), [](const auto& key) { return key.second; });
}

}  // namespace

Table select(Table table, const Query& query) {
  for (const std::string& condition : query.conditions) keep_rows(table, condition);
  if (!query.sort.empty()) sort_rows(table, query.sort);
  if (query.columns.empty()) return table;
  std::vector<TableColumn> columns;
  for (const std::string& name : query.columns) columns.push_back(column_of(table, name));
  table.columns = std::move(columns);
  return table;
}

TrialIndex find_trial(const Results& results, std::string_view digits) {
  constexpr std::size_t shown = 3;
  const bool is_prefix = !digits.empty() && digits.size() <= to_string(Hash128{}).size() &&
                         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_prefix) {
    throw InputError(
        fmt::format("'{}' is no id of a trial (up to 32 of the digits 0-9 and a-f); `regatta query FILE` "
                    "lists them",
                    digits));
  }
  std::vector<TrialIndex> found;
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < results.trials.size(); ++i) {
    const std::string id = to_string(results.trials[i].hash);
    if (!id.starts_with(digits)) continue;
    found.push_back({i});
    if (ids.size() < shown) ids.push_back(id);
  }
  if (found.empty())
    throw InputError(fmt::format("no trial has an id that begins with {}; `regatta query FILE` lists them", digits));
  if (found.size() > 1) {
    throw InputError(fmt::format("{} trials have an id that begins with {} ({}{}); give more digits", found.size(),
                                 digits, fmt::join(ids, ", "), found.size() > shown ? ", ..." : ""));
  }
  return found.front();
}

}  // namespace regatta::results
