#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
constexpr std::size_t no_column = std::numeric_limits<std::size_t>::max();

/// A table while it is read.
struct CsvTable {
  const FileBytes& file;
  CsvHeader header;
  char delimiter;
  std::size_t label;  ///< a column, or no_column
  std::uint64_t memory_cap_bytes;
  std::vector<CsvColumn> columns;
  std::vector<float> x;
  std::vector<double> y;
  std::int64_t rows = 0;
};

[[noreturn]] void refuse_ragged(const CsvTable& table, const CsvCells& cells, const std::string& found) {
  refuse_line(table.file, cells.line(), cells.offset(),
              fmt::format("it has {} cells where the first line has {} (rows are equally long); correct the line",
                          found, table.columns.size()));
}

void read_csv_row(CsvTable& table, CsvCells& cells, float* x) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    CsvColumn& column = table.columns[i];
    if (!cells.has_more()) refuse_ragged(table, cells, std::to_string(i));
    if (i != table.label && !column.holds_texts()) {
      if (const std::optional<float> number = cells.take_small_number()) {
        column.count_number();
        *x++ = *number;
        continue;
      }
    }
    const double value = column.value(cells.next_cell(), table.file, cells);
    if (i != table.label) {
      *x++ = static_cast<float>(value);
    } else if (std::isnan(value)) {
      refuse_line(table.file, cells.line(), cells.offset(),
                  "the label is missing (nothing is learnt from such a row); "
                  "fill it in, or take the row out");
    } else {
      table.y.push_back(value);
    }
  }
  if (cells.has_more()) refuse_ragged(table, cells, "more");
}

void check_csv_memory(const CsvTable& table) {
  std::size_t bytes = table.header.column_bytes + table.x.size() * sizeof(float) + table.y.size() * sizeof(double);
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
  const std::size_t width = table.columns.size() - (table.label == no_column ? 0 : 1);
  table.x.clear();
  table.y.clear();
  table.rows = 0;
  for (std::size_t last_offset = 0; cells.next_record(); last_offset = cells.offset()) {
    if (table.rows == 1) reserve_rows(table, width, cells.offset() - last_offset);
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
  if (std::none_of(table.columns.begin(), table.columns.end(), again)) return;
  for (CsvColumn& column : table.columns) column.start_again();
  read_csv_rows(table);
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
    if (i != table.label) x.columns.push_back(table.columns[i].column());
  }
  x.shape = {static_cast<std::int64_t>(x.columns.size())};
  x.stride_bytes = row_bytes(x);
  return x;
}

Array csv_labels(const CsvTable& table) {
  constexpr double largest = std::numeric_limits<std::int32_t>::max();
  const auto is_whole = [](double value) { return value == std::trunc(value) && std::abs(value) <= largest; };
  Array y;
  if (std::all_of(table.y.begin(), table.y.end(), is_whole)) {
    std::vector<std::int32_t> values;
    for (const double value : table.y) values.push_back(static_cast<std::int32_t>(value));
    y = csv_array(table, "y", ElementType::int32, std::move(values));
  } else {
    std::vector<float> values;
    for (const double value : table.y) values.push_back(static_cast<float>(value));
    y = csv_array(table, "y", ElementType::float32, std::move(values));
  }
  y.stride_bytes = row_bytes(y);
  y.categories = table.columns[table.label].column().categories;
  return y;
}

}  // namespace

std::vector<Array> parse_csv(const FileBytes& file, const CsvOptions& options, std::uint64_t memory_cap_bytes) {
  const char delimiter = options.delimiter.value_or(usual_delimiter);
  if (delimiters.find(delimiter) == std::string_view::npos) {
    throw InputError(fmt::format("cells cannot be told apart by {}; expected one of {}", json::show({&delimiter, 1}),
                                 json::show(delimiters)));
  }
  CsvTable table{.file = file,
                 .header = read_csv_header(file, options, delimiter, memory_cap_bytes),
                 .delimiter = delimiter,
                 .label = no_column,
                 .memory_cap_bytes = memory_cap_bytes,
                 .columns = {},
                 .x = {},
                 .y = {}};
  if (!options.label.empty()) table.label = find_csv_column(file, table.header, options.label);
  table.columns.reserve(table.header.names.size());
  for (const std::string& name : table.header.names) table.columns.emplace_back(name);
  read_csv_table(table);
  if (table.rows == 0) throw InputError(fmt::format("'{}' has a header and no rows", file.name));
  std::vector<Array> arrays;
  if (table.label == no_column || table.columns.size() > 1) arrays.push_back(csv_features(table));
  if (table.label != no_column) arrays.push_back(csv_labels(table));
  return arrays;
}

}  // namespace regatta::data
