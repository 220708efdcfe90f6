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

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Names that pandas, R and Kaggle give, and "PassengerId", "user_id".
bool is_index_name(const std::string& name) {
  constexpr auto known = std::to_array<std::string_view>({"", "unnamed: 0", "index", "idx", "id", "row", "row_id",
                                                          "rowid", "rownames", "row.names", "#", "no", "no.", "nr"});
  constexpr auto ends = std::to_array<std::string_view>({"_id", "-id", ".id", " id"});
  const std::string lower = lower_case(name);
  if (std::ranges::find(known, lower) != known.end()) return true;
  if (std::ranges::any_of(ends, [&](std::string_view end) { return lower.ends_with(end); })) return true;
  constexpr std::size_t letters = 2;
  return name.size() > letters && (name.ends_with("Id") || name.ends_with("ID")) &&
         is_lower(name[name.size() - letters - 1]);
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

std::vector<std::size_t> csv_index_candidates(const FileBytes& file, const CsvHeader& header,
                                              const CsvOptions& options) {
  std::vector<bool> is_candidate(header.names.size(), false);
  if (header.stands_in_first_line)
    for (std::size_t at = 0; at < is_candidate.size(); ++at) is_candidate[at] = is_index_name(header.names[at]);
  else
    is_candidate.front() = true;
  for (const auto& asked : {options.columns, options.categories})
    for (const std::string& name : asked) is_candidate[find_csv_column(file, header, name)] = false;
  std::vector<std::size_t> candidates;
  for (std::size_t at = 0; at < is_candidate.size(); ++at)
    if (is_candidate[at]) candidates.push_back(at);
  return candidates;
}

}  // namespace regatta::data
