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
  constexpr auto blanks =
      std::to_array<std::string_view>({" ", "\t", "\u00a0", "\u202f", "\u2009", "\u200b", "\ufeff"});
  while (take_one(text, blanks)) {
  }
}

// Signs of euro, pound, yen, rupee, rouble, won, shekel, lira, hryvnia and dong among them; Czech and Polish ones.
constexpr auto currencies = std::to_array<std::string_view>(
    {"$",      "\u20ac", "\u00a3", "\u00a5", "\u20b9", "\u20bd",  "\u20a9", "\u20aa", "\u20ba", "\u20b4",
     "\u20ab", "US$",    "A$",     "C$",     "HK$",    "R$",      "USD",    "EUR",    "GBP",    "JPY",
     "CHF",    "CNY",    "INR",    "AUD",    "CAD",    "SEK",     "NOK",    "DKK",    "PLN",    "BRL",
     "MXN",    "KRW",    "kr",     "Rs.",    "Rs",     "K\u010d", "z\u0142"});

/// A sign or a currency, in any order.
void pass_prefix(std::string_view& text) {
  constexpr auto signs = std::to_array<std::string_view>({"-", "+", "\u2212", "(", "'", "~", "<", "\u2248", "\u00b1"});
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

/// "e+03", or Fortran's "D+03", behind the digits of a number.
void pass_exponent(std::string_view& text) {
  std::string_view rest = text;
  if (rest.empty() || std::string_view("eEdD").find(rest.front()) == std::string_view::npos) return;
  rest.remove_prefix(1);
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0) text = rest.substr(digits);
}

/// One word, such as "years" or "km/h", behind a blank.
bool is_unit_behind_blank(std::string_view text) {
  std::string_view word = text;
  pass_spaces(word);
  const auto fits = [](char c) {
    return is_letter(c) || c == '/' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  };
  return word.size() < text.size() && !word.empty() && std::ranges::all_of(word, fits);
}

/// Whether a number may end in this text: a unit, a currency, a percentage, a closing bracket. Letters
/// that seats and doors have (12A, 3B) are no units.
bool is_suffix(std::string_view text) {
  constexpr auto begins = std::to_array<std::string_view>({"\u00b0", "\u00b1", "\u00d710", "*10^", "x10^"});
  if (std::ranges::any_of(begins, [&](std::string_view each) { return text.starts_with(each); })) return true;
  if (is_unit_behind_blank(text)) return true;
  constexpr auto units = std::to_array<std::string_view>(
      {"%",   "\u00b0", "\u00b0C", "\u00b0F", "mm", "cm", "m",  "km", "in", "ft", "mi",  "g", "kg",  "mg",
       "t",   "lb",     "lbs",     "oz",      "l",  "L",  "ml", "mL", "s",  "ms", "min", "h", "hrs", "kW",
       "kWh", "Hz",     "MHz",     "GHz",     "kB", "KB", "MB", "GB", "TB", "k",  "K",   "M", "bn",  "mph"});
  if (text.starts_with('.') || text.starts_with(',')) text.remove_prefix(1);  // "5." and "5,-"
  pass_spaces(text);
  if (text.ends_with(')')) text.remove_suffix(1);
  const auto is_whole = [&](std::string_view each) { return each == text; };
  constexpr auto marks = std::to_array<std::string_view>({"", "-", "+", "'", "\""});
  return std::ranges::any_of(marks, is_whole) || std::ranges::any_of(units, is_whole) ||
         std::ranges::any_of(currencies, is_whole);
}

/// "0x1F", "0b101", "0o17".
bool is_in_another_base(std::string_view text) {
  if (text.size() < 3 || text.front() != '0' || std::string_view("xXbBoO").find(text[1]) == std::string_view::npos)
    return false;
  return text.substr(2).find_first_not_of("0123456789abcdefABCDEF_") == std::string_view::npos;
}

/// "1.5f" and "1e3L", as programs write them. Without a fraction or an exponent it may be a seat: 12F.
bool is_literal(std::string_view number, std::string_view rest) {
  constexpr auto suffixes = std::to_array<std::string_view>({"f", "F", "d", "D", "l", "L", "e", "E"});
  return number.find_first_of(".,eE") != std::string_view::npos && std::ranges::find(suffixes, rest) != suffixes.end();
}

/// "1/2", "5-10", "2^10": a fraction, a range, a power.
bool is_of_two(std::string_view rest) {
  constexpr auto signs = std::to_array<std::string_view>({"/", "\u2044", "..", "-", "\u2013", "\u2014", "**", "^"});
  pass_spaces(rest);
  if (!take_one(rest, signs)) return false;
  pass_prefix(rest);
  if (!pass_digits(rest)) return false;
  pass_exponent(rest);
  return is_suffix(rest);
}

bool looks_like_number(std::string_view text) {
  pass_prefix(text);
  if (is_in_another_base(text)) return true;
  const std::string_view whole = text;
  if (!pass_digits(text)) return false;
  pass_exponent(text);
  return is_suffix(text) || is_literal(whole.substr(0, whole.size() - text.size()), text) || is_of_two(text);
}

/// Takes the letters that `text` begins with.
std::string_view take_word(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_letter);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

/// Whether a word is one of these names or begins one of them, with three letters or more, in any case.
template <std::size_t Count>
bool names_one(std::string_view word, const std::array<std::string_view, Count>& names) {
  constexpr std::size_t fewest_letters = 3;
  const auto is_same = [](char a, char b) { return (a | 0x20) == b; };
  return word.size() >= fewest_letters && std::ranges::any_of(names, [&](std::string_view name) {
           return word.size() <= name.size() && std::ranges::equal(word, name.substr(0, word.size()), is_same);
         });
}

bool is_month_name(std::string_view word) {
  constexpr auto months =
      std::to_array<std::string_view>({"january", "february", "march", "april", "may", "june", "july", "august",
                                       "september", "october", "november", "december"});
  return names_one(word, months);
}

/// "Jan 5, 2020", "March 2020", "Mon, 05 Jan 2020", "5-Jan", "2020 Jan".
bool looks_like_named_time(std::string_view text) {
  constexpr auto days =
      std::to_array<std::string_view>({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"});
  constexpr std::string_view marks = " ,.-/'";
  const auto pass_marks = [&] { text.remove_prefix(std::min(text.find_first_not_of(marks), text.size())); };
  std::string_view rest = text;
  if (names_one(take_word(rest), days) && !rest.empty()) {
    text = rest;
    pass_marks();
  }
  const bool has_number_first = !text.empty() && is_decimal_digit(text.front());
  if (has_number_first) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
    pass_marks();
  }
  if (!is_month_name(take_word(text))) return false;
  pass_marks();
  return has_number_first ? text.empty() || is_decimal_digit(text.front())
                          : !text.empty() && is_decimal_digit(text.front());
}

/// Digits, replaced by one 0 for each run of them, and letters by one a: "2024-01-31T10:20" is "0-0-0a0:0".
bool looks_like_time(std::string_view text) {
  constexpr std::size_t most_characters = 40;
  if (text.size() > most_characters || text.empty()) return false;
  if (looks_like_named_time(text)) return true;
  if (!is_decimal_digit(text.front())) return false;
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

/// No kind is called so.
bool looks_missing(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"?",      "??",      "-",   "--",      "---",     "..",    "...",   "n/a",    "N/A",   "n.a.",
       "N.A.",   "#N/A",    "n/d", "N/D",     "<NA>",    "(NA)",  "null",  "NULL",   "Null",  "\\N",
       "(null)", "(blank)", "nil", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"});
  const bool is_blank = !text.empty() && text.find_first_not_of(" \t") == std::string_view::npos;
  return is_blank || std::ranges::find(words, text) != words.end();
}

/// A kind may be called so, too.
bool may_be_missing(std::string_view text) {
  constexpr auto words =
      std::to_array<std::string_view>({".", "*", "None", "none", "NONE", "na", "nd", "ND", "missing", "Missing",
                                       "unknown", "Unknown", "UNKNOWN", "not available", "Not Available"});
  return std::ranges::find(words, text) != words.end();
}

}  // namespace

CsvLook look_of(std::string_view text) {
  if (looks_missing(text)) return CsvLook::missing;
  if (may_be_missing(text)) return CsvLook::doubtful;
  if (looks_like_time(text)) return CsvLook::time;
  return looks_like_number(text) ? CsvLook::number : CsvLook::text;
}

}  // namespace regatta::data
