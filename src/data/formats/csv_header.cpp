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

Record next_csv_record(CsvCells& cells) {
  Record record;
  if (!cells.next_record()) return record;
  while (cells.has_more()) record.emplace_back(cells.next_cell());
  return record;
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

CsvHeader read_csv_header(const FileBytes& file, const CsvOptions& options, char delimiter) {
  if (file.bytes.starts_with("\xff\xfe") || file.bytes.starts_with("\xfe\xff"))
    throw InputError(fmt::format("'{}' is UTF-16 (UTF-8 is read); save it as UTF-8", file.name));
  CsvCells cells(file, delimiter);
  const Record first = next_csv_record(cells);
  if (first.empty())
    throw InputError(fmt::format("'{}' has no lines (a table is needed); name another file", file.name));
  if (first.size() == 1 && !options.delimiter) suggest_delimiter(file, first.front(), delimiter);
  FirstLine kind = options.has_header.value_or(false) ? FirstLine::names : FirstLine::values;
  if (!options.has_header) kind = kind_of_first_line(first, next_csv_record(cells));
  if (kind == FirstLine::unclear) {
    throw InputError(
        fmt::format("'{}' may begin with names or with values ({}, ...): that cannot be told; say which it "
                    "is",
                    file.name, json::show(first.front())));
  }
  CsvHeader header{.stands_in_first_line = kind == FirstLine::names, .names = first};
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
