#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

/// The number that was found, or why none was.
using Found = std::variant<double, std::string>;

Found number_or_why(std::string_view written, const std::string& where) {
  if (const auto number = number_of(written)) return *number;
  return fmt::format("{} holds '{}', which is no number", where, clean(without_blanks(written)).substr(0, 40));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// A place of a line; behind its ends there are blanks.
struct Chars {
  std::string_view line;
  char operator[](std::size_t at) const { return at < line.size() ? line[at] : ' '; }
};

/// Whether the number that ends in front of `at` goes on there: 2.5|E-03, 0|,5, 1|_000, 0|x1F.
bool goes_on(Chars line, std::size_t at) {
  const char c = line[at], next = line[at + 1];
  if (is_digit(c)) return true;
  if (is_in(",_'", c)) return is_digit(next);
  if (c == '.') return is_digit(next) || (is_in("eEdD", next) && (is_digit(line[at + 2]) || is_in("+-", line[at + 2])));
  if (is_in("eEdD", c)) return is_digit(next) || (is_in("+-", next) && is_digit(line[at + 2]));
  return is_in("xX", c) && at > 0 && line[at - 1] == '0' && std::isxdigit(static_cast<unsigned char>(next)) != 0;
}

/// Whether `written`, which begins at `at`, is the rest of a number: 0.|5, 1e-|5, 12,|345, and =-|0.5 without its sign.
/// A comma in front of 0.5 separates two numbers.
bool is_rest(Chars line, std::size_t at, std::string_view written) {
  if (at == 0 || written.empty()) return false;
  const char c = line[at - 1], before = at > 1 ? line[at - 2] : ' ';
  if (!is_digit(written.front()) && written.front() != '.') return false;
  if (is_digit(c)) return true;
  if (c == '.') return is_digit(written.front());
  if (is_in("eEdD", c)) return is_digit(before) || before == '.';
  if (c == '+' || c == '-') {
    const bool is_exponent = is_in("eEdD", before) && at > 2 && (is_digit(line[at - 3]) || line[at - 3] == '.');
    return is_exponent || (c == '-' && std::isalnum(static_cast<unsigned char>(before)) == 0);
  }
  if (!is_in(",_'", c) || !is_digit(before)) return false;
  const std::size_t point = written.find('.');
  return c != ',' || point == std::string_view::npos || point == 3;
}

/// What stands around [begin, end) without a blank.
std::string_view word_around(std::string_view line, std::size_t begin, std::size_t end) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || is_in(".,+-_'", c); };
  while (begin > 0 && is_part(line[begin - 1])) --begin;
  while (end < line.size() && is_part(line[end])) ++end;
  return line.substr(begin, end - begin);
}

/// The number at [begin, end) of a line, unless it is a part of a longer one.
Found matched_number(std::string_view line, std::size_t begin, std::size_t end) {
  const std::string_view matched = line.substr(begin, end - begin);
  Found found = number_or_why(matched, "its pattern's last match");
  const bool is_part = goes_on({line}, end) || is_rest({line}, begin, matched);
  if (!std::holds_alternative<double>(found) || !is_part) return found;
  return fmt::format(
      "its pattern matches '{}', a part of '{}'; write a group that takes the whole number, such as \"(\\\\S+)\"",
      clean(matched).substr(0, 40), clean(word_around(line, begin, end)).substr(0, 40));
}

/// The first group of the pattern's last match, or the whole match.
Found last_match(const std::string& pattern, std::string_view text) {
  const std::regex sought = sweep::result_pattern(pattern);
  while (const auto whole = take_last_line(text)) {
    const char* const last = whole->data() + whole->size();
    const char* const first = last - std::min(whole->size(), most_line_bytes);
    std::optional<std::pair<std::size_t, std::size_t>> place;
    for (std::cregex_iterator at(first, last, sought), end; at != end; ++at) {
      const std::csub_match& group = (*at)[at->size() > 1 ? 1 : 0];
      place = group.matched ? std::pair(group.first - whole->data(), group.second - whole->data()) : std::pair(0L, 0L);
    }
    if (place) return matched_number(*whole, place->first, place->second);
  }
  return "its pattern matches no line";
}

/// The cells of a line; a comma, a semicolon or a tab in quotes ends none. None where a quote does not end.
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
  if (is_quoted) return {};
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
  if (names.empty()) return "the header of its file has a quote that does not end";
  const auto at = std::ranges::find(names, column);
  if (std::ranges::count(names, column) > 1) return fmt::format("its file has two columns '{}'", column);
  if (at == names.end()) return fmt::format("its file has no column '{}'", column);
  std::string_view rows = text.substr(std::min(header.size() + 1, text.size()));
  const auto last = take_last_line(rows);
  if (!last) return "its file has no rows";
  const std::vector<std::string> cells = cells_of(*last, delimiter);
  if (cells.empty()) return "the last row of its file has a quote that does not end";
  if (cells.size() != names.size())
    return fmt::format("the last row of its file has {} cells and its header {}, as '{}'", cells.size(), names.size(),
                       clean(without_blanks(*last)).substr(0, 60));
  return number_or_why(cells[static_cast<std::size_t>(at - names.begin())], "the last row of its column");
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
