#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Takes the first of these that `text` begins with.
template <std::size_t Count>
bool take_one(std::string_view& text, const std::array<std::string_view, Count>& known) {
  const auto found = std::ranges::find_if(known, [&](std::string_view each) { return text.starts_with(each); });
  if (found == known.end()) return false;
  text.remove_prefix(found->size());
  return true;
}

void pass_spaces(std::string_view& text) {
  constexpr auto blanks = std::to_array<std::string_view>({" ", "\u00a0", "\u202f", "\u2009"});
  while (take_one(text, blanks)) {
  }
}

// Signs of euro, pound, yen, rupee and rouble among them.
constexpr auto currencies =
    std::to_array<std::string_view>({"$", "\u20ac", "\u00a3", "\u00a5", "\u20b9", "\u20bd", "US$", "R$", "USD", "EUR",
                                     "GBP", "JPY", "CHF", "CNY", "INR", "kr"});

/// A sign or a currency, in any order.
void pass_prefix(std::string_view& text) {
  constexpr auto signs = std::to_array<std::string_view>({"-", "+", "\u2212", "(", "'", "~", "<"});
  bool has_more = true;
  while (has_more) {
    pass_spaces(text);
    has_more = take_one(text, signs) || take_one(text, currencies);
  }
}

/// Digits with marks between them: "1,234.5", "1 234", "1'234", "1.5e3". False if there is no digit.
bool pass_digits(std::string_view& text) {
  constexpr auto marks = std::to_array<std::string_view>({",", ".", "'", "_", " ", "\u00a0", "\u202f", "\u2009"});
  bool has_digits = false;
  for (bool has_more = true; has_more;) {
    while (!text.empty() && is_decimal_digit(text.front())) {
      text.remove_prefix(1);
      has_digits = true;
    }
    std::string_view rest = text;
    has_more = take_one(rest, marks) && !rest.empty() && is_decimal_digit(rest.front());
    if (has_more) text = rest;
  }
  return has_digits;
}

/// "e+03" behind the digits of a number.
void pass_exponent(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with('e') && !rest.starts_with('E')) return;
  rest.remove_prefix(1);
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0) text = rest.substr(digits);
}

/// Whether a number may end in this text: a unit, a currency, a percentage, a closing bracket. Letters
/// that seats and doors have (12A, 3B) are no units.
bool is_suffix(std::string_view text) {
  constexpr auto units = std::to_array<std::string_view>(
      {"%",   "\u00b0", "\u00b0C", "\u00b0F", "mm", "cm", "m",  "km", "in", "ft", "mi",  "g",  "kg",  "mg",
       "t",   "lb",     "lbs",     "oz",      "l",  "L",  "ml", "mL", "s",  "ms", "min", "h",  "hrs", "kW",
       "kWh", "Hz",     "MHz",     "GHz",     "kB", "KB", "MB", "GB", "TB", "k",  "M",   "mph"});
  if (text.starts_with('.') || text.starts_with(',')) text.remove_prefix(1);  // "5." and "5,-"
  pass_spaces(text);
  if (text.ends_with(')')) text.remove_suffix(1);
  const auto is_whole = [&](std::string_view each) { return each == text; };
  return text.empty() || text == "-" || text == "+" || std::ranges::any_of(units, is_whole) ||
         std::ranges::any_of(currencies, is_whole);
}

bool looks_like_number(std::string_view text) {
  pass_prefix(text);
  if (!pass_digits(text)) return false;
  pass_exponent(text);
  return is_suffix(text);
}

/// Digits, replaced by one 0 for each run of them, and letters by one a: "2024-01-31T10:20" is "0-0-0a0:0".
bool looks_like_time(std::string_view text) {
  constexpr std::size_t most_characters = 40;
  if (text.size() > most_characters || text.empty() || !is_decimal_digit(text.front())) return false;
  std::string shape;
  for (const char c : text) {
    const char kind = is_decimal_digit(c) ? '0' : is_letter(c) ? 'a' : c;
    if (shape.empty() || kind != shape.back() || (kind != '0' && kind != 'a')) shape += kind;
  }
  constexpr auto days = std::to_array<std::string_view>({"0-0-0", "0/0/0", "0.0.0", "0-a-0", "0 a 0", "0/0/0 ", "0:0"});
  constexpr std::size_t month_characters = 7;
  constexpr std::size_t year_digits = 4;
  const bool is_month = (shape == "0-0" || shape == "0/0") && text.size() == month_characters &&
                        text.find_first_not_of("0123456789") == year_digits;  // 2024-01
  return is_month || std::ranges::any_of(days, [&](std::string_view each) { return shape.starts_with(each); });
}

bool looks_missing(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"?",    "-",    "--",   "---",     ".",       "..",  "n/a",     "N/A",     "#N/A",  "null", "NULL",
       "None", "none", "<NA>", "missing", "unknown", "nil", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!"});
  return std::ranges::find(words, text) != words.end();
}

}  // namespace

CsvLook look_of(std::string_view text) {
  if (looks_missing(text)) return CsvLook::missing;
  if (looks_like_time(text)) return CsvLook::time;
  return looks_like_number(text) ? CsvLook::number : CsvLook::text;
}

}  // namespace regatta::data
