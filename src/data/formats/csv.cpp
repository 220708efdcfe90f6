#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "data/formats/csv_cells.hpp"
#include "data/formats/csv_column.hpp"
#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr char usual_delimiter = ',';
constexpr std::string_view delimiters = ",;\t|: ";

/// A table while it is read.
struct CsvTable {
  const FileBytes& file;
  const CsvHeader& header;
  char delimiter;
  std::vector<CsvUse> uses;                   ///< one for each column
  std::vector<std::size_t> index_candidates;  ///< columns that may number or name the rows
  std::uint64_t memory_cap_bytes;
  std::vector<CsvColumn> columns;
  std::vector<float> x;
  std::vector<double> y;
  std::vector<std::int32_t> groups;
  std::int64_t rows = 0;
};

std::size_t width_of(const CsvTable& table) {
  return static_cast<std::size_t>(std::ranges::count(table.uses, CsvUse::feature));
}

[[noreturn]] void refuse_ragged(const CsvTable& table, const CsvCells& cells, const std::string& found) {
  refuse_line(table.file, cells.line(), cells.offset(),
              fmt::format("it has {} cells where the first line has {} (rows are equally long); correct the line",
                          found, table.columns.size()));
}

/// Takes the next cell as a feature, or as the label.
void read_csv_cell(CsvTable& table, std::size_t at, CsvCells& cells, float*& x) {
  CsvColumn& column = table.columns[at];
  const CsvUse use = table.uses[at];
  if (use == CsvUse::feature && column.takes_small_numbers()) {
    if (const std::optional<float> number = cells.take_small_number()) {
      column.count_number(*number);
      *x++ = *number;
      return;
    }
  }
  const double value = column.value(cells.next_cell(), table.file, cells);
  if (use == CsvUse::feature) {
    *x++ = static_cast<float>(value);
  } else if (std::isnan(value)) {
    refuse_line(table.file, cells.line(), cells.offset(),
                fmt::format("the {} is missing (nothing is learnt from such a row); "
                            "fill it in, or take the row out",
                            use == CsvUse::label ? "label" : "group"));
  } else if (use == CsvUse::label) {
    table.y.push_back(value);
  } else {
    table.groups.push_back(static_cast<std::int32_t>(value));
  }
}

void read_csv_row(CsvTable& table, CsvCells& cells, float* x) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!cells.has_more()) refuse_ragged(table, cells, std::to_string(i));
    if (table.uses[i] == CsvUse::nothing)
      cells.next_cell();
    else
      read_csv_cell(table, i, cells, x);
  }
  if (cells.has_more()) refuse_ragged(table, cells, "more");
}

/// Lines that programs write below a table, and empty ones that may be the missing value of a table's one column.
void refuse_empty_rows(const CsvTable& table, const CsvCells& cells) {
  if (cells.is_blank_record())
    refuse_line(table.file, cells.line(), cells.offset(), "it has no value in any cell; take the line out");
  const bool is_first = table.rows == 0 && !table.header.stands_in_first_line;
  if (table.columns.size() == 1 && cells.passed_empty_lines() && !is_first)
    refuse_line(table.file, cells.line(), cells.offset(),
                "an empty line stands before it, which may be a missing value; take it out, or write NA there");
}

void check_csv_memory(const CsvTable& table) {
  std::size_t bytes = table.header.column_bytes + table.x.size() * sizeof(float) + table.y.size() * sizeof(double) +
                      table.groups.size() * sizeof(std::int32_t);
  for (const CsvColumn& column : table.columns) bytes += column.text_bytes();
  check_memory(table.file, bytes, table.memory_cap_bytes);
}

/// Room for all rows, as far as the length of the first one tells.
void reserve_rows(CsvTable& table, std::size_t width, std::size_t row_text_bytes) {
  const std::size_t rows = table.file.bytes.size() / row_text_bytes + 1;
  const std::size_t most_values = table.memory_cap_bytes / sizeof(float);
  table.x.reserve(std::min(rows * width, most_values));
}

/// One pass over all rows. Columns that are to be read again have wrong values then.
void read_csv_rows(CsvTable& table) {
  constexpr std::size_t most_rows_between_checks = 1024;
  constexpr std::size_t cells_between_checks = std::size_t{1} << 20;
  const auto rows_between_checks = static_cast<std::int64_t>(
      std::clamp<std::size_t>(cells_between_checks / table.columns.size(), 1, most_rows_between_checks));
  CsvCells cells(table.file, table.delimiter);
  if (table.header.stands_in_first_line && cells.next_record()) {
    while (cells.has_more()) cells.next_cell();
  }
  const std::size_t width = width_of(table);
  table.x.clear();
  table.y.clear();
  table.groups.clear();
  table.rows = 0;
  for (std::size_t last_offset = 0; cells.next_record(); last_offset = cells.offset()) {
    if (table.rows == 1) reserve_rows(table, width, cells.offset() - last_offset);
    refuse_empty_rows(table, cells);
    const std::size_t begin = table.x.size();
    table.x.resize(begin + width);
    read_csv_row(table, cells, table.x.data() + begin);
    if (++table.rows % rows_between_checks == 0) check_csv_memory(table);
  }
  check_csv_memory(table);
}

void read_csv_table(CsvTable& table) {
  read_csv_rows(table);
  for (const CsvColumn& column : table.columns) column.refuse_mixture(table.file);
  const auto again = [](const CsvColumn& column) { return column.is_to_be_read_again(); };
  if (std::any_of(table.columns.begin(), table.columns.end(), again)) {
    for (CsvColumn& column : table.columns) column.start_again();
    read_csv_rows(table);
  }
  for (std::size_t at = 0; at < table.columns.size(); ++at) {
    table.columns[at].refuse_looks(table.file);
    if (table.uses[at] == CsvUse::label) table.columns[at].refuse_mixed_classes(table.file);
  }
}

/// A line that ends in a delimiter has such a column, and no model can use it.
void refuse_empty_columns(const CsvTable& table) {
  for (std::size_t at = 0; at < table.columns.size(); ++at) {
    const Column& column = table.columns[at].column();
    if (table.uses[at] != CsvUse::feature || column.missing < table.rows) continue;
    const std::string name = json::show(column.name);
    throw InputError(fmt::format("'{}': the column {} has no value in any row. Leave it out by \"drop\": [{}]",
                                 table.file.name, name, name));
  }
}

/// A column's place among the features of a row.
std::size_t place_of(const CsvTable& table, std::size_t column) {
  const auto begin = table.uses.begin();
  return static_cast<std::size_t>(std::count(begin, begin + static_cast<std::ptrdiff_t>(column), CsvUse::feature));
}

/// The values of a feature, row by row.
std::vector<float> values_of(const CsvTable& table, std::size_t column) {
  const std::size_t place = place_of(table, column), width = width_of(table);
  std::vector<float> values(static_cast<std::size_t>(table.rows));
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = table.x[row * width + place];
  return values;
}

bool count_the_rows(const std::vector<float>& values) {
  if (values.front() != 0 && values.front() != 1) return false;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] != values.front() + static_cast<float>(row)) return false;
  }
  return true;
}

/// Whole numbers, another one in nearly every row.
bool number_the_rows(const std::vector<float>& values) {
  constexpr std::size_t fewest_rows = 10;
  constexpr double least_share = 0.9;
  if (values.size() < fewest_rows) return false;
  if (!std::ranges::all_of(values, [](float value) { return value == std::trunc(value); })) return false;
  const std::set<float> different(values.begin(), values.end());
  return static_cast<double>(different.size()) >= least_share * static_cast<double>(values.size());
}

/// A number of the row is no property of the sample, and gives its class away where the file is sorted.
void refuse_index(const CsvTable& table) {
  constexpr std::int64_t fewest_rows_without_names = 5;  // two or three rows count up by chance
  const std::int64_t fewest_rows = table.header.stands_in_first_line ? 2 : fewest_rows_without_names;
  if (table.rows < fewest_rows) return;
  for (const std::size_t at : table.index_candidates) {
    if (table.uses[at] != CsvUse::feature || !table.columns[at].column().categories.empty()) continue;
    const std::vector<float> values = values_of(table, at);
    const bool is_count = count_the_rows(values);
    if (!is_count && !(table.header.stands_in_first_line && number_the_rows(values))) continue;
    const std::string name = json::show(table.header.names[at]);
    throw InputError(fmt::format(
        "'{}': the column {} {}, as an index does. Leave it out by \"drop\": [{}], or name all that are to be read in "
        "\"columns\"",
        table.file.name, name, is_count ? "counts the rows" : "has another number in nearly every row", name));
  }
}

/// The last row may be a sum of those above it, as spreadsheets have it.
void refuse_total(const CsvTable& table) {
  constexpr std::int64_t fewest_rows = 3;
  constexpr std::array<std::string_view, 6> words = {"total", "totals", "grand total", "sum", "subtotal", "average"};
  if (table.rows < fewest_rows) return;
  for (std::size_t at = 0; at < table.columns.size(); ++at) {
    const Column& column = table.columns[at].column();
    if (table.uses[at] != CsvUse::feature || column.categories.empty() || table.columns[at].holds_kinds()) continue;
    std::string last = column.categories.back();
    std::ranges::transform(last, last.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t last_row = static_cast<std::size_t>(table.rows) - 1;
    const float last_value = table.x[last_row * width_of(table) + place_of(table, at)];
    const bool is_in_last_row = last_value == static_cast<float>(column.categories.size() - 1);
    if (!is_in_last_row || std::ranges::find(words, last) == words.end()) continue;
    throw InputError(fmt::format(
        "'{}': the last row has {} in the column {} and may sum up the others. Take it out, or name the column in "
        "\"categories\"",
        table.file.name, json::show(column.categories.back()), json::show(column.name)));
  }
}

template <class T>
Array csv_array(const CsvTable& table, std::string name, ElementType type, std::vector<T> values) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  Array array;
  array.name = std::move(name);
  array.type = type;
  array.count = table.rows;
  array.first = reinterpret_cast<const std::byte*>(owner->data());
  array.owner = owner;
  return array;
}

Array csv_features(CsvTable& table) {
  Array x = csv_array(table, "x", ElementType::float32, std::move(table.x));
  x.columns.reserve(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.uses[i] == CsvUse::feature) x.columns.push_back(table.columns[i].column());
  }
  x.shape = {static_cast<std::int64_t>(x.columns.size())};
  x.stride_bytes = row_bytes(x);
  return x;
}

/// Whole numbers are classes, or counts that are to be met: another number would be another class.
void refuse_large_labels(const CsvTable& table) {
  const auto is_rounded = [](double value) { return static_cast<double>(static_cast<float>(value)) != value; };
  const auto row = std::ranges::find_if(table.y, is_rounded);
  if (row == table.y.end()) return;
  throw InputError(fmt::format(
      "'{}': the label {:.0f} of row {} (counted from 1, the header not) is beyond 32-bit integers and would become "
      "{:.0f}. Number the classes anew or, if it is a quantity, write it in a larger unit",
      table.file.name, *row, row - table.y.begin() + 1, static_cast<double>(static_cast<float>(*row))));
}

Array csv_labels(const CsvTable& table) {
  constexpr double largest = std::numeric_limits<std::int32_t>::max();
  const auto is_whole = [](double value) { return value == std::trunc(value); };
  const auto fits = [](double value) { return std::abs(value) <= largest; };
  const bool are_whole = std::ranges::all_of(table.y, is_whole);
  Array y;
  if (are_whole && !std::ranges::all_of(table.y, fits)) refuse_large_labels(table);
  if (are_whole && std::ranges::all_of(table.y, fits)) {
    std::vector<std::int32_t> values;
    for (const double value : table.y) values.push_back(static_cast<std::int32_t>(value));
    y = csv_array(table, "y", ElementType::int32, std::move(values));
  } else {
    std::vector<float> values;
    for (const double value : table.y) values.push_back(static_cast<float>(value));
    y = csv_array(table, "y", ElementType::float32, std::move(values));
  }
  y.stride_bytes = row_bytes(y);
  const auto label = std::ranges::find(table.uses, CsvUse::label) - table.uses.begin();
  y.categories = table.columns[static_cast<std::size_t>(label)].column().categories;
  return y;
}

/// The columns, before a row is read.
std::vector<CsvColumn> csv_columns(const FileBytes& file, const CsvHeader& header, const CsvOptions& options,
                                   char delimiter) {
  CsvReading reading{.decimal = options.decimal.value_or('.'), .missing = options.missing};
  reading.is_decimal_told = options.decimal.has_value();
  reading.may_have_thousands = delimiter == ';';
  reading.is_asked_for = !options.columns.empty();
  std::vector<CsvColumn> columns;
  columns.reserve(header.names.size());
  for (const std::string& name : header.names) columns.emplace_back(name, reading);
  reading.holds_kinds = true;
  std::vector<std::string> kinds = options.categories;
  if (!options.group.empty()) kinds.push_back(options.group);
  for (const std::string& name : kinds) {
    const std::size_t at = find_csv_column(file, header, name);
    columns[at] = CsvColumn(header.names[at], reading);
  }
  return columns;
}

}  // namespace

std::vector<Array> parse_csv(const FileBytes& file, const CsvOptions& options, std::uint64_t memory_cap_bytes) {
  const char delimiter = options.delimiter.value_or(usual_delimiter);
  if (delimiters.find(delimiter) == std::string_view::npos) {
    throw InputError(fmt::format("cells cannot be told apart by {}; expected one of {}", json::show({&delimiter, 1}),
                                 json::show(delimiters)));
  }
  const CsvHeader header = read_csv_header(file, options, delimiter, memory_cap_bytes);
  CsvTable table{.file = file,
                 .header = header,
                 .delimiter = delimiter,
                 .uses = csv_uses(file, header, options),
                 .index_candidates = csv_index_candidates(file, header, options),
                 .memory_cap_bytes = memory_cap_bytes,
                 .columns = csv_columns(file, header, options, delimiter),
                 .x = {},
                 .y = {},
                 .groups = {}};
  read_csv_table(table);
  if (table.rows == 0) throw InputError(fmt::format("'{}' has a header and no rows", file.name));
  refuse_empty_columns(table);
  refuse_index(table);
  refuse_total(table);
  std::vector<Array> arrays;
  const auto has = [&](CsvUse use) { return std::ranges::find(table.uses, use) != table.uses.end(); };
  if (has(CsvUse::feature)) arrays.push_back(csv_features(table));
  if (has(CsvUse::label)) arrays.push_back(csv_labels(table));
  if (has(CsvUse::group)) {
    arrays.push_back(csv_array(table, "group", ElementType::int32, std::move(table.groups)));
    arrays.back().stride_bytes = row_bytes(arrays.back());
  }
  if (arrays.empty()) throw InputError(fmt::format("'{}' has no column left to read; drop fewer", file.name));
  return arrays;
}

}  // namespace regatta::data
