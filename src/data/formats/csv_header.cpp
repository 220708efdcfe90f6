#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "data/formats/csv_cells.hpp"
#include "data/formats/csv_column.hpp"
#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/suggestion.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

using Record = std::vector<std::string>;

/// The next line's cells, the first `most` of them.
Record next_csv_record(CsvCells& cells, std::size_t most) {
  Record record;
  if (!cells.next_record()) return record;
  record.reserve(most);
  while (cells.has_more()) {
    const std::string_view cell = cells.next_cell();
    if (record.size() < most) record.emplace_back(cell);
  }
  return record;
}

/// The size of a table by its first line, before anything of it is held.
struct Width {
  std::size_t columns = 0;
  std::size_t name_bytes = 0;
};

Width width_of(const FileBytes& file, char delimiter) {
  CsvCells cells(file, delimiter);
  Width width;
  if (!cells.next_record()) return width;
  for (; cells.has_more(); ++width.columns) width.name_bytes += cells.next_cell().size();
  return width;
}

/// Memory that the columns take: each is read into one CsvColumn and described in two arrays, and their names stand in
/// two lines and a header besides.
std::size_t column_bytes_of(const Width& width) {
  constexpr std::size_t descriptions = 2;
  constexpr std::size_t names = 3;
  constexpr std::size_t each = sizeof(CsvColumn) + descriptions * sizeof(Column) + names * sizeof(std::string);
  return width.columns * each + (1 + descriptions + names) * width.name_bytes;
}

/// Cells as the options understand them.
struct Cells {
  char decimal;
  [[nodiscard]] bool is_number(const std::string& cell) const { return csv_number(cell, decimal).has_value(); }
  [[nodiscard]] bool is_word(const std::string& cell) const {
    return !is_missing_cell(cell) && !is_number(cell) && look_of(cell) != CsvLook::missing;
  }
};

/// 0, 1, 2, ...: what programs write for columns without names, with or without an empty cell before.
bool counts_up(const Record& record) {
  std::size_t expected = 0;
  for (std::size_t i = record.front().empty() ? 1 : 0; i < record.size(); ++i) {
    if (record[i] != std::to_string(expected++)) return false;
  }
  return expected > 1;
}

/// The cells that are numbers in the first line, and those below; a text there is NaN.
struct NumberPairs {
  std::vector<double> first;
  std::vector<double> second;
};

NumberPairs number_pairs(const Record& first, const Record& second, char decimal) {
  NumberPairs pairs;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    const auto above = csv_number(first[i], decimal);
    const auto below = csv_number(second[i], decimal);
    if (!above || is_missing_cell(second[i])) continue;
    pairs.first.push_back(*above);
    pairs.second.push_back(below.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return pairs;
}

bool is_whole_number(double number) { return number == std::trunc(number); }

bool is_year(double number) {
  constexpr double first_year = 1500;
  constexpr double last_year = 2200;
  return is_whole_number(number) && number >= first_year && number <= last_year;
}

/// Each one larger or smaller than the one before by the same step.
bool has_one_step(const std::vector<double>& numbers) {
  constexpr double rounding = 1e-9;
  const double step = numbers[1] - numbers[0];
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (std::abs(numbers[i] - numbers[i - 1] - step) > rounding * std::abs(numbers[i])) return false;
  }
  return step != 0;
}

/// Whether numbers of the first line seem to name columns: years, wavelengths, or ages above values of another kind.
bool seem_to_be_names(const NumberPairs& pairs) {
  constexpr std::size_t fewest = 3;  // two numbers always have one step
  const auto& [first, second] = pairs;
  if (first.empty()) return false;
  if (std::ranges::all_of(first, is_year) && !std::ranges::all_of(second, is_year)) return true;
  if (first.size() < fewest) return false;
  if (has_one_step(first) && !has_one_step(second)) return true;
  const bool ascends = std::ranges::adjacent_find(first, std::greater_equal<>()) == first.end();
  return ascends && std::ranges::all_of(first, is_whole_number) && std::ranges::none_of(second, is_whole_number);
}

/// Whether the options name a column that the first line holds: it holds names then.
bool holds_a_name(const Record& first, const CsvOptions& options) {
  const auto is_held = [&](const std::string& name) {
    return Cells{options.decimal.value_or('.')}.is_word(name) && std::ranges::find(first, name) != first.end();
  };
  return is_held(options.label) || is_held(options.group) || std::ranges::any_of(options.columns, is_held) ||
         std::ranges::any_of(options.drop, is_held) || std::ranges::any_of(options.categories, is_held);
}

enum class FirstLine : std::uint8_t { names, values, unclear };

FirstLine kind_of_first_line(const Record& first, const Record& second, char decimal) {
  const Cells cells{decimal};
  const bool has_numbers = std::ranges::any_of(first, [&](const auto& cell) { return cells.is_number(cell); });
  const bool has_words = std::ranges::any_of(first, [&](const auto& cell) { return cells.is_word(cell); });
  if (counts_up(first)) return FirstLine::unclear;
  if (second.empty()) return has_words ? FirstLine::unclear : FirstLine::values;
  bool word_above_number = false;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    word_above_number = word_above_number || (cells.is_word(first[i]) && cells.is_number(second[i]));
  if (word_above_number) return has_numbers ? FirstLine::unclear : FirstLine::names;
  if (seem_to_be_names(number_pairs(first, second, decimal))) return FirstLine::unclear;
  return has_numbers || !has_words ? FirstLine::values : FirstLine::unclear;
}

/// The first line and the next one that is not empty, as they stand in the file.
std::array<std::string_view, 2> first_lines(const FileBytes& file) {
  std::array<std::string_view, 2> lines;
  std::string_view rest = file.bytes;
  for (std::string_view& line : lines) {
    rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
    line = rest.substr(0, rest.find_first_of("\r\n"));
    rest.remove_prefix(line.size());
  }
  return lines;
}

/// How often a character stands outside quotes.
std::ptrdiff_t count_outside_quotes(std::string_view line, char wanted) {
  bool is_quoted = false;
  return std::ranges::count_if(line, [&](char c) {
    if (c == '"') is_quoted = !is_quoted;
    return c == wanted && !is_quoted;
  });
}

/// Both lines hold another delimiter as often, and at least as often as this one: it may divide the cells.
void refuse_rival_delimiter(const FileBytes& file, char delimiter) {
  const auto [first, second] = first_lines(file);
  for (const char other : {';', '\t', '|'}) {
    const std::ptrdiff_t others = count_outside_quotes(first, other);
    if (other == delimiter || others == 0 || others != count_outside_quotes(second, other)) continue;
    if (others < count_outside_quotes(first, delimiter)) continue;
    throw InputError(
        fmt::format("'{}' may have cells that end at {} or at {} (both stand in its first lines); set \"delimiter\"",
                    file.name, json::show({&delimiter, 1}), json::show({&other, 1})));
  }
}

/// One column only, and both lines hold a mark as often that may divide them, though no option can say so.
void refuse_unknown_delimiter(const FileBytes& file) {
  const auto [first, second] = first_lines(file);
  for (const char other : {':', '^', '~', '\x01', '\x1f'}) {
    const std::ptrdiff_t others = count_outside_quotes(first, other);
    if (others == 0 || others != count_outside_quotes(second, other)) continue;
    throw InputError(fmt::format(
        "'{}' has one column, but {} stands as often in both of its first lines. It may end cells there: set "
        "\"delimiter\", or write the table with one that this key knows",
        file.name, json::show({&other, 1})));
  }
}

/// One column only: the cells may be divided by something else, numbers by blanks.
void suggest_delimiter(const FileBytes& file, const std::string& line, char delimiter) {
  for (const char other : {';', '\t', ',', ' '}) {
    const std::size_t at = line.find(other);
    if (other == delimiter || at == std::string::npos || (other == ' ' && !csv_number(line.substr(0, at)))) continue;
    throw InputError(
        fmt::format("'{}' has one column if cells end at {}, but its first line holds {}; set \"delimiter\"", file.name,
                    json::show({&delimiter, 1}), json::show({&other, 1})));
  }
}

void check_names(const FileBytes& file, const Record& names) {
  const auto is_strange = [](const std::string& name) { return json::find_strange_byte(name).has_value(); };
  if (std::any_of(names.begin(), names.end(), is_strange))
    refuse_line(file, 1, 0, "the names of the columns are not UTF-8; save the file as UTF-8");
}

}  // namespace

CsvHeader read_csv_header(const FileBytes& file, const CsvOptions& options, char delimiter,
                          std::uint64_t memory_cap_bytes) {
  if (file.bytes.starts_with("\xff\xfe") || file.bytes.starts_with("\xfe\xff"))
    throw InputError(fmt::format("'{}' is UTF-16 (UTF-8 is read); save it as UTF-8", file.name));
  const bool begins_with_quote = first_lines(file).front().starts_with('"');
  if (!options.delimiter && begins_with_quote) refuse_rival_delimiter(file, delimiter);  // else it is an odd quote
  const Width width = width_of(file, delimiter);
  const std::size_t column_bytes = column_bytes_of(width);
  check_memory(file, column_bytes, memory_cap_bytes);
  CsvCells cells(file, delimiter);
  const Record first = next_csv_record(cells, width.columns);
  if (first.empty())
    throw InputError(fmt::format("'{}' has no lines (a table is needed); name another file", file.name));
  if (first.size() == 1 && !options.delimiter) suggest_delimiter(file, first.front(), delimiter);
  if (!options.delimiter) refuse_rival_delimiter(file, delimiter);
  if (first.size() == 1 && !options.delimiter) refuse_unknown_delimiter(file);
  const bool is_named = options.has_header ? *options.has_header : holds_a_name(first, options);
  FirstLine kind = is_named ? FirstLine::names : FirstLine::values;
  if (!options.has_header && !is_named)
    kind = kind_of_first_line(first, next_csv_record(cells, width.columns), options.decimal.value_or('.'));
  if (kind == FirstLine::unclear) {
    throw InputError(fmt::format("'{}' may begin with names or with values ({}, ...): set \"header\" to true or false",
                                 file.name, json::show(first.front())));
  }
  CsvHeader header{.stands_in_first_line = kind == FirstLine::names, .names = first, .column_bytes = column_bytes};
  check_names(file, first);
  if (header.stands_in_first_line) return header;
  for (std::size_t i = 0; i < first.size(); ++i) header.names[i] = std::to_string(i);
  return header;
}

std::size_t find_csv_column(const FileBytes& file, const CsvHeader& header, const std::string& wanted) {
  const auto& names = header.names;
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), wanted) == names.end())
      return static_cast<std::size_t>(found - names.begin());
    throw InputError(
        fmt::format("'{}' has several columns {}; name one by its number from 0", file.name, json::show(wanted)));
  }
  std::size_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [at, error] = std::from_chars(wanted.data(), end, number);
  if (error == std::errc() && at == end && number < names.size()) return number;
  const std::string near = nearest_name(wanted, names);
  throw InputError(fmt::format(
      "'{}' has no column {} among its {}{}", file.name, json::show(wanted), names.size(),
      near.empty() ? "; name one of them, or its number from 0" : fmt::format("; did you mean {}?", json::show(near))));
}

}  // namespace regatta::data
