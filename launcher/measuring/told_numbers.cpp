#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "measuring/measuring.hpp"
#include "regatta/base/clean.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::json;

constexpr std::string_view mark = "\\u0001";  // begins what stands for a number that JSON does not have
constexpr std::size_t most_names = 1000;

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

/// NaN and the like outside of texts become texts with a mark.
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
    std::size_t end = at + (c == '-' ? 1 : 0);
    while (!is_text && end < line.size() && is_word(line[end])) ++end;
    const std::string_view word = is_text ? "" : not_finite(std::string(line.substr(at, end - at)));
    if (word.empty()) {
      const std::size_t size = std::max<std::size_t>(is_text || end == at ? 1 : end - at, 1);
      text.append(line.substr(at, size));
      at += size;
    } else {
      text.append("\"").append(mark).append(word).append("\"");
      at = end;
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

std::optional<sweep::ToldNumber> told_in(const Json& value) {
  if (!value.is_object()) {
    const auto number = number_in(value);
    return number ? std::optional(sweep::ToldNumber{*number}) : std::nullopt;
  }
  const auto number = value.contains("value") ? number_in(value["value"]) : std::nullopt;
  if (!number) return std::nullopt;
  const auto unit = value.find("unit");
  const bool has_unit = unit != value.end() && unit->is_string();
  return sweep::ToldNumber{*number, has_unit ? unit_of(unit->get<std::string>()) : ""};
}

Json parsed(std::string_view line) {
  Json object = Json::parse(line, nullptr, false);
  return object.is_discarded() ? Json::parse(with_marks(line), nullptr, false) : object;
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view spaces = " \t\r";
  const std::size_t first = line.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(spaces) + 1 - first);
}

void take_line(ToldNumbers& told, std::string_view line) {
  if (!line.starts_with('{') || !line.ends_with('}')) return;
  const Json object = parsed(line);
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    const auto number = told_in(value);
    if (number && (told.size() < most_names || told.contains(name))) told[name] = *number;
  }
}

}  // namespace

void take_lines(ToldNumbers& told, std::string_view output) {
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    take_line(told, trimmed(output.substr(0, end)));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
}

}  // namespace regatta::launcher
