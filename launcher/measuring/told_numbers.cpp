#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measuring/measuring.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::json;

constexpr std::string_view mark = "\\u0001";  // begins what stands for a number that JSON does not have
constexpr std::string_view extreme = "extreme";
constexpr std::size_t most_names = 1000;
constexpr std::size_t most_unread_names = 8;
constexpr std::size_t most_name_bytes = 60;
constexpr std::size_t most_levels = 512;  ///< of lists and objects: copies and searches of a value go into each
constexpr std::size_t most_joined_bytes = std::size_t{1} << 20;  ///< read for objects over several lines, of one output

bool is_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// "nan", "inf" or "-inf"; empty for another word.
std::string_view not_finite(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.erase(0, 1);
  if (word == "nan") return "nan";
  if (word == "inf" || word == "infinity") return is_negative ? "-inf" : "inf";
  return {};
}

/// The end of what C prints behind a NaN, as in nan(0x8000) and -nan(ind).
std::size_t end_of_payload(std::string_view line, std::size_t at) {
  if (at >= line.size() || line[at] != '(') return at;
  const std::size_t end = line.find(')', at);
  return end == std::string_view::npos ? at : end + 1;
}

bool begins_number(std::string_view line, std::size_t at) {
  const auto is_digit = [&](std::size_t place) {
    return place < line.size() && line[place] >= '0' && line[place] <= '9';
  };
  const bool is_inside = at > 0 && (is_word(line[at - 1]) || is_digit(at - 1) || line[at - 1] == '.');
  return !is_inside && (is_digit(at) || (line[at] == '-' && is_digit(at + 1)));
}

/// The end of the number that begins here if it is beyond what a double holds, as 1e400 and 1e-400; else `at`.
std::size_t end_of_extreme(std::string_view line, std::size_t at) {
  if (!begins_number(line, at)) return at;
  double number = 0;
  const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
  return error == std::errc::result_out_of_range ? static_cast<std::size_t>(end - line.data()) : at;
}

/// NaN and the like outside of texts become texts with a mark, and so do numbers beyond those of a double.
std::string with_marks(std::string_view line) {
  std::string text;
  bool is_text = false;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '\\' && is_text && at + 1 < line.size()) {
      text.append(line.substr(at, 2));
      at += 2;
      continue;
    }
    if (c == '"') is_text = !is_text;
    if (const std::size_t behind = is_text ? at : end_of_extreme(line, at); behind > at) {
      text.append("\"").append(mark).append(extreme).append("\"");
      at = behind;
      continue;
    }
    std::size_t end = at + (c == '-' ? 1 : 0);
    while (!is_text && end < line.size() && is_word(line[end])) ++end;
    const std::string_view word = is_text ? "" : not_finite(std::string(line.substr(at, end - at)));
    if (word.empty()) {
      const std::size_t size = std::max<std::size_t>(is_text || end == at ? 1 : end - at, 1);
      text.append(line.substr(at, size));
      at += size;
    } else {
      text.append("\"").append(mark).append(word).append("\"");
      at = word == "nan" ? end_of_payload(line, end) : end;
    }
  }
  return text;
}

std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "\1nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "\1inf") return std::numeric_limits<double>::infinity();
  if (text == "\1-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string unit_of(const std::string& text) {
  std::string unit = clean(text);
  std::size_t size = std::min(unit.size(), sweep::most_unit_bytes);
  while (size > 0 && size < unit.size() && is_continuation(unit[size])) --size;
  return unit.substr(0, size);
}

/// A member that was meant as the unit: "units", "Unit".
bool is_like_unit(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with("unit");
}

/// What makes the unit of {"value": 1, ...} uncertain; empty: nothing. Without its unit a number would be another one.
std::string unit_problem(const Json& object) {
  const auto unit = object.find("unit");
  if (unit != object.end()) return unit->is_string() || unit->is_null() ? "" : "its \"unit\" is no text";
  for (const auto& [name, value] : object.items()) {
    if (is_like_unit(name)) return fmt::format("\"{}\" in place of \"unit\"", clean(name).substr(0, most_name_bytes));
  }
  return "";
}

std::optional<sweep::ToldNumber> told_in(const Json& value) {
  if (!value.is_object()) {
    const auto number = number_in(value);
    return number ? std::optional(sweep::ToldNumber{*number}) : std::nullopt;
  }
  const auto number = value.contains("value") ? number_in(value["value"]) : std::nullopt;
  if (!number || !unit_problem(value).empty()) return std::nullopt;
  const auto unit = value.find("unit");
  const bool has_unit = unit != value.end() && unit->is_string();
  return sweep::ToldNumber{*number, has_unit ? unit_of(unit->get<std::string>()) : ""};
}

bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_text && c == '\\') ++at;
    if (c == '"') is_text = !is_text;
    if (is_text) continue;
    if ((c == '{' || c == '[') && ++depth > most_levels) return true;
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return false;
}

/// Bytes that are no UTF-8, as a degree sign of Latin-1, spoil no number in the same line.
Json parsed(std::string_view line) {
  if (is_too_deep(line)) return Json(Json::value_t::discarded);
  Json object = Json::parse(with_marks(line), nullptr, false);
  if (object.is_discarded()) object = Json::parse(with_marks(clean(line)), nullptr, false);
  return object;
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view spaces = " \t\r";
  const std::size_t first = line.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(spaces) + 1 - first);
}

std::string_view first_line(std::string_view text) { return text.substr(0, std::min(text.find('\n'), text.size())); }

/// {"a or {'a, maybe in the next line: logs may begin lines with a brace, too.
bool begins_like_an_object(std::string_view text) {
  const std::size_t behind = text.find_first_not_of(" \t\r\n", 1);
  return text.starts_with('{') && behind != std::string_view::npos && (text[behind] == '"' || text[behind] == '\'');
}

bool is_number_as_text(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

/// Whether it holds a number in its first levels: programs nest as deep as they like.
bool has_number(const Json& value, int levels = 4) {
  if (!value.is_structured()) return number_in(value).has_value();
  if (levels == 0) return false;
  for (const Json& inner : value) {
    if (has_number(inner, levels - 1)) return true;
  }
  return false;
}

bool is_extreme(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>() == "\1" + std::string(extreme);
}

/// The form of a value that holds a number and is not read; empty for what is no number.
std::string unread_form(const Json& value) {
  if (is_extreme(value)) return "beyond the numbers of a double";
  if (is_number_as_text(value)) return "a text";
  if (!value.is_structured()) return "";
  const auto inner = value.is_object() ? value.find("value") : value.end();
  if (inner == value.end()) return !has_number(value) ? "" : value.is_array() ? "a list" : "an object";
  if (inner->is_null()) return "its \"value\" is null";
  if (inner->is_string() && !is_extreme(*inner)) return "its \"value\" is a text";
  if (number_in(*inner)) return unit_problem(value);
  return unread_form(*inner);
}

/// Keeps the name of a member that holds a number in a form that is not read.
void note_member(UnreadWords& unread, const std::string& name, const Json& value) {
  std::string form = unread_form(value);
  if (form.empty() || unread.members.size() >= most_unread_names) return;
  unread.members.emplace(clean(name).substr(0, most_name_bytes), std::move(form));
}

void take_object(Told& told, const Json& object) {
  for (const auto& [name, value] : object.items()) {
    const auto number = told_in(value);
    if (!number) note_member(told.unread, name, value);
    if (number && (told.numbers.size() < most_names || told.numbers.contains(name))) told.numbers[name] = *number;
  }
}

/// The bytes of an object that begins in the first line of `text` and ends with a later one; 0 if none does.
std::size_t size_of_object(std::string_view text, std::size_t& budget) {
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t at = 0; at < text.size() && budget > 0; ++at, --budget) {
    const char c = text[at];
    if (is_text && c == '\\') ++at;
    if (c == '"') is_text = !is_text;
    if (is_text || (c != '{' && c != '}')) continue;
    if (c == '{')
      ++depth;
    else
      --depth;
    if (depth == 0) return trimmed(first_line(text.substr(at + 1))).empty() ? at + 1 : 0;
  }
  return 0;
}

bool has_object_behind(std::string_view line) {
  const std::size_t at = line.find("{\"");
  if (at == std::string_view::npos || at == 0 || !line.ends_with('}')) return false;
  const Json object = parsed(line.substr(at));
  return object.is_object() && has_number(object);
}

constexpr std::string_view colour = "\x1b[";

/// Without the codes that colour a terminal's text: ESC [ 32 m.
std::string without_colours(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const std::size_t at = std::min(line.find(colour), line.size());
    plain.append(line.substr(0, at));
    line.remove_prefix(at);
    if (line.empty()) break;
    const std::size_t end = line.find_first_not_of("0123456789;?", colour.size());
    line.remove_prefix(std::min(end == std::string_view::npos ? line.size() : end + 1, line.size()));
  }
  return plain;
}

bool has_coloured_object(std::string_view line) {
  if (line.find(colour) == std::string_view::npos) return false;
  const std::string plain = without_colours(line);
  const std::string_view text = trimmed(plain);
  if (!text.starts_with('{') || !text.ends_with('}')) return false;
  const Json object = parsed(text);
  return object.is_object() && has_number(object);
}

bool is_list_of_numbers(std::string_view line) {
  if (!line.starts_with("[{") || !line.ends_with(']')) return false;
  const Json list = parsed(line);
  return list.is_array() && has_number(list);
}

/// Takes in the line that `text` begins with, and the lines behind it that belong to its object. Returns the bytes
/// that were read.
std::size_t take_line(Told& told, std::string_view text, std::size_t& budget) {
  const std::string_view whole = first_line(text);
  const std::string_view line = trimmed(whole);
  const std::size_t size = std::min(whole.size() + 1, text.size());
  if (!line.starts_with('{')) {
    const bool is_coloured = has_coloured_object(line);
    told.unread.coloured += is_coloured ? 1 : 0;
    told.unread.behind_text += !is_coloured && has_object_behind(line) ? 1 : 0;
    told.unread.lists += is_list_of_numbers(line) ? 1 : 0;
    return size;
  }
  const bool is_like_one = begins_like_an_object(text.substr(whole.find('{')));
  if (line.ends_with('}')) {
    if (const Json object = parsed(line); object.is_object()) {
      take_object(told, object);
      return size;
    }
  } else if (is_like_one) {
    const std::size_t of_object = size_of_object(text, budget);
    if (const Json object = parsed(text.substr(0, of_object)); object.is_object()) {
      take_object(told, object);
      return of_object;
    }
  }
  told.unread.broken += is_like_one ? 1 : 0;
  return size;
}

/// {" in UTF-16, of either order of bytes.
bool has_wide_object(std::string_view text) {
  using namespace std::string_view_literals;
  return text.find("{\0\"\0"sv) != std::string_view::npos || text.find("\0{\0\""sv) != std::string_view::npos;
}

/// The value under a path of which each key may hold dots, too; nothing if there is none.
const Json* value_at(const Json& value, std::string_view path) {
  if (path.empty()) return &value;
  for (std::size_t end = std::min(path.find('.'), path.size());; end = std::min(path.find('.', end + 1), path.size())) {
    const std::string key(path.substr(0, end));
    const std::string_view rest = path.substr(std::min(end + 1, path.size()));
    const Json* inner = nullptr;
    if (value.is_object() && value.contains(key)) inner = &value[key];
    std::size_t position = 0;
    const auto [last, error] = std::from_chars(key.data(), key.data() + key.size(), position);
    const bool is_position = error == std::errc{} && last == key.data() + key.size();
    if (value.is_array() && is_position && position < value.size()) inner = &value[position];
    const Json* const found = inner == nullptr ? nullptr : value_at(*inner, rest);
    if (found != nullptr || end == path.size()) return found;
  }
}

std::string count_text(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

void take_lines(Told& told, std::string_view output) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (output.starts_with(byte_order_mark)) output.remove_prefix(byte_order_mark.size());
  told.unread.wide = told.unread.wide || has_wide_object(output);
  std::size_t budget = most_joined_bytes;
  while (!output.empty()) output.remove_prefix(take_line(told, output, budget));
}

std::optional<double> number_at(std::string_view text, std::string_view path) {
  const Json json = parsed(text);
  const Json* const value = json.is_discarded() ? nullptr : value_at(json, path);
  return value == nullptr ? std::nullopt : number_in(*value);
}

void note_result(sweep::ProgramResults& results, std::size_t run, const std::string& name,
                 const sweep::ToldNumber& told) {
  try {
    sweep::note(results, run, name, told);
  } catch (const InputError& error) {
    throw measure::ArmEnded{sweep::Failed{sweep::FailureKind::reported, error.what()}};
  }
}

std::string text_of(const UnreadWords& unread, const std::vector<std::string>& wanted) {
  std::vector<std::string> texts;
  if (unread.broken > 0) texts.push_back(count_text(unread.broken, "broken JSON object"));
  if (wanted.empty() && unread.behind_text > 0)
    texts.push_back(count_text(unread.behind_text, "JSON object") + " behind other text");
  if (unread.coloured > 0) texts.push_back(count_text(unread.coloured, "JSON object") + " with colour codes");
  if (unread.wide) texts.emplace_back("JSON in UTF-16 (print UTF-8)");
  if (wanted.empty() && unread.lists > 0) texts.push_back(count_text(unread.lists, "JSON list"));
  for (const auto& [name, form] : unread.members) {
    if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end())
      texts.push_back(fmt::format("{} ({})", name, form));
  }
  if (wanted.empty() && unread.cut) texts.emplace_back("earlier JSON lines, of which there were more than are kept");
  return texts.empty() ? std::string() : fmt::format("not read: {}", fmt::join(texts, ", "));
}

}  // namespace regatta::launcher
