#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "measuring/measuring.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t most_file_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_line_bytes = 1000;  ///< the end of a line is searched: a pattern may try each place of it

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\"'";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Numbers as programs print them, those of Fortran (1.0D-03) and a plus in front too.
std::optional<double> number_of(std::string_view written) {
  std::string text(without_blanks(written));
  if (text.starts_with('+')) text.erase(0, 1);
  const std::size_t exponent = text.find_first_of("dD");
  if (exponent != std::string::npos) text[exponent] = 'e';
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                                   : std::nullopt;
}

/// The last line in front of `text`'s end that is no blank; it is taken off. Progress bars end lines with \r alone.
std::optional<std::string_view> take_last_line(std::string_view& text) {
  while (!text.empty()) {
    const std::size_t before = text.find_last_of("\r\n");
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin);
    text = text.substr(0, begin == 0 ? 0 : begin - 1);
    if (!without_blanks(line).empty()) return line;
  }
  return std::nullopt;
}

/// What was found, or why nothing was.
using Found = std::variant<double, std::string>;

Found number_or_why(std::string_view written, const std::string& where) {
  if (const auto number = number_of(written)) return *number;
  return fmt::format("{} holds '{}', which is no number", where, clean(without_blanks(written)).substr(0, 40));
}

/// The first group of the pattern's last match, or the whole match.
Found last_match(const std::string& pattern, std::string_view text) {
  const std::regex sought = sweep::result_pattern(pattern);
  while (const auto whole = take_last_line(text)) {
    const std::string_view line = whole->substr(whole->size() - std::min(whole->size(), most_line_bytes));
    std::optional<std::string> last;
    for (std::cregex_iterator at(line.data(), line.data() + line.size(), sought), end; at != end; ++at)
      last = (*at)[at->size() > 1 ? 1 : 0].str();
    if (last) return number_or_why(*last, "its pattern's last match");
  }
  return "its pattern matches no line";
}

/// The cells of a line; a comma, a semicolon or a tab in quotes ends none.
std::vector<std::string> cells_of(std::string_view line, char delimiter) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == delimiter && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells) cell = without_blanks(cell);
  return cells;
}

char delimiter_of(std::string_view header) {
  const auto count = [&](char c) { return std::ranges::count(header, c); };
  return *std::ranges::max_element(std::string_view(",;\t"), {}, count);
}

Found last_of_column(const std::string& column, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::string_view header = text.substr(0, std::min(text.find('\n'), text.size()));
  const char delimiter = delimiter_of(header);
  const std::vector<std::string> names = cells_of(header, delimiter);
  const auto at = std::ranges::find(names, column);
  if (at == names.end()) return fmt::format("its file has no column '{}'", column);
  std::string_view rows = text.substr(std::min(header.size() + 1, text.size()));
  const auto last = take_last_line(rows);
  if (!last) return "its file has no rows";
  const std::vector<std::string> cells = cells_of(*last, delimiter);
  const auto place = static_cast<std::size_t>(at - names.begin());
  if (place >= cells.size()) return "the last row of its file has too few columns";
  return number_or_why(cells[place], "the last row of its column");
}

Found found_in(const sweep::ResultSource& source, std::string_view text) {
  if (!source.pattern.empty()) return last_match(source.pattern, text);
  if (!source.column.empty()) return last_of_column(source.column, text);
  if (const auto number = number_at(text, source.key)) return *number;
  return fmt::format("its file has no number at '{}'", source.key);
}

Found look(const sweep::ResultSource& source, std::string_view printed, const std::filesystem::path& folder) {
  if (source.file.empty()) return found_in(source, printed);
  try {
    return found_in(source, read_file(folder / source.file, most_file_bytes));
  } catch (const InputError& error) {
    return std::string(error.what());
  }
}

}  // namespace

std::map<std::string, std::string> take_sources(Told& told, const std::vector<sweep::ResultSource>& sources,
                                                std::string_view printed, const std::filesystem::path& folder) {
  std::map<std::string, std::string> missing;
  for (const sweep::ResultSource& source : sources) {
    Found found = look(source, printed, folder);
    if (const auto* number = std::get_if<double>(&found))
      told.numbers[source.name] = {*number, source.unit};
    else
      missing.emplace(source.name, std::move(std::get<std::string>(found)));
  }
  return missing;
}

}  // namespace regatta::launcher
