#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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

/// What a table has by its first line, before anything of it is held.
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

bool is_number(const std::string& cell) { return csv_number(cell).has_value(); }
bool is_word(const std::string& cell) { return !is_missing_cell(cell) && !is_number(cell); }

/// 0, 1, 2, ...: what programs write for columns without names, with or without an empty cell before.
bool counts_up(const Record& record) {
  std::size_t expected = 0;
  for (std::size_t i = record.front().empty() ? 1 : 0; i < record.size(); ++i) {
    if (record[i] != std::to_string(expected++)) return false;
  }
  return expected > 1;
}

enum class FirstLine : std::uint8_t { names, values, unclear };

FirstLine kind_of_first_line(const Record& first, const Record& second) {
  const bool has_numbers = std::any_of(first.begin(), first.end(), is_number);
  const bool has_words = std::any_of(first.begin(), first.end(), is_word);
  if (counts_up(first)) return FirstLine::unclear;
  if (second.empty()) return has_words ? FirstLine::unclear : FirstLine::values;
  bool word_above_number = false;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    word_above_number = word_above_number || (is_word(first[i]) && is_number(second[i]));
  if (word_above_number) return has_numbers ? FirstLine::unclear : FirstLine::names;
  return has_numbers || !has_words ? FirstLine::values : FirstLine::unclear;
}

/// One column only: the cells may be divided by something else, numbers by blanks.
void suggest_delimiter(const FileBytes& file, const std::string& line, char delimiter) {
  for (const char other : {';', '\t', ',', ' '}) {
    const std::size_t at = line.find(other);
    if (other == delimiter || at == std::string::npos || (other == ' ' && !csv_number(line.substr(0, at)))) continue;
    throw InputError(
        fmt::format("'{}' has one column if cells end at {}, but its first line holds {}; say what the "
                    "delimiter is",
                    file.name, json::show({&delimiter, 1}), json::show({&other, 1})));
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
  const Width width = width_of(file, delimiter);
  const std::size_t column_bytes = column_bytes_of(width);
  check_memory(file, column_bytes, memory_cap_bytes);
  CsvCells cells(file, delimiter);
  const Record first = next_csv_record(cells, width.columns);
  if (first.empty())
    throw InputError(fmt::format("'{}' has no lines (a table is needed); name another file", file.name));
  if (first.size() == 1 && !options.delimiter) suggest_delimiter(file, first.front(), delimiter);
  FirstLine kind = options.has_header.value_or(false) ? FirstLine::names : FirstLine::values;
  if (!options.has_header) kind = kind_of_first_line(first, next_csv_record(cells, width.columns));
  if (kind == FirstLine::unclear) {
    throw InputError(
        fmt::format("'{}' may begin with names or with values ({}, ...): that cannot be told; say which it "
                    "is",
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
