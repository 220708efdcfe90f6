#include "regatta/report/text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace regatta::report {

std::string clip(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t end = 0;
  for (std::size_t kept = 0; kept + 1 < columns; ++kept) {
    ++end;
    while (end < text.size() && is_continuation(text[end])) ++end;
  }
  return std::string(text.substr(0, end)) + "\u2026";
}

std::string clip_middle(std::string_view text, std::size_t columns) {
  if (width(text) <= columns || columns < 3) return clip(text, columns);
  const std::size_t end_columns = (columns - 1) / 2;
  std::size_t start = text.size();
  for (std::size_t kept = 0; kept < end_columns; ++kept) {
    do --start;
    while (is_continuation(text[start]));
  }
  return clip(text, columns - end_columns) + std::string(text.substr(start));
}

std::string escape(std::string_view text, Lines lines) {
  std::string out;
  for (const char c : clean(text, lines)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

/// Spreadsheets compute what begins so, or fetch something for it. "+1", "-1.5e3" and "-inf" are numbers.
bool is_formula(std::string_view text) {
  constexpr std::string_view first = "=+-@";
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos || first.find(text[begin]) == std::string_view::npos) return false;
  text = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
  if (text.size() == 1) return false;  // a sign alone
  if (text.front() == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return text.front() == '+' || error == std::errc::invalid_argument || end != text.data() + text.size();
}

}  // namespace

std::string csv_field(const std::string& raw) {
  const auto is_harmless = [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '"'; };
  if (std::ranges::all_of(raw, is_harmless) && !is_formula(raw)) return raw;
  const std::string shown = clean(raw, Lines::kept);
  const std::string text = (is_formula(shown) ? "'" : "") + shown;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t length = width(word);
    if (!lines.empty() && used + 1 + length <= columns) {
      lines.back().append(" ").append(word);
      used += 1 + length;
    } else {
      lines.emplace_back(word);
      used = length;
    }
  }
  return lines;
}

void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent) {
  constexpr std::size_t text_columns = 600;  // an engine's message can be a whole log
  const auto room = columns > indent + 20 ? columns - indent : 20;
  for (const auto& line : wrap(clip(clean(text), text_columns), room)) out += std::string(indent, ' ') + line + '\n';
}

}  // namespace regatta::report
