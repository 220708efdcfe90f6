#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text;
}

/// Names that pandas, R and Kaggle give.
bool is_index_name(const std::string& name) {
  constexpr auto known = std::to_array<std::string_view>({"", "unnamed: 0", "index", "idx", "id", "row", "row_id",
                                                          "rowid", "rownames", "row.names", "#", "no", "no.", "nr"});
  return std::ranges::find(known, lower_case(name)) != known.end();
}

}  // namespace

std::vector<CsvUse> csv_uses(const FileBytes& file, const CsvHeader& header, const CsvOptions& options) {
  std::vector<CsvUse> uses(header.names.size(), options.columns.empty() ? CsvUse::feature : CsvUse::nothing);
  for (const std::string& name : options.columns) uses[find_csv_column(file, header, name)] = CsvUse::feature;
  for (const std::string& name : options.drop) uses[find_csv_column(file, header, name)] = CsvUse::nothing;
  if (!options.group.empty()) uses[find_csv_column(file, header, options.group)] = CsvUse::group;
  if (!options.label.empty()) uses[find_csv_column(file, header, options.label)] = CsvUse::label;
  return uses;
}

bool may_be_csv_index(const FileBytes& file, const CsvHeader& header, const CsvOptions& options) {
  if (header.stands_in_first_line && !is_index_name(header.names.front())) return false;
  const auto is_first = [&](const std::string& name) { return find_csv_column(file, header, name) == 0; };
  return std::ranges::none_of(options.columns, is_first) && std::ranges::none_of(options.categories, is_first);
}

}  // namespace regatta::data
