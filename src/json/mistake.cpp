#include "json/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "regatta/base/clean.hpp"
#include "regatta/json/text.hpp"

namespace regatta::json {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Whether the character may stand in a word or number that was written without quotes.
bool is_bare(char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '+' || c == '-' || c == '%' || c == '@'; }

/// Reads the text as JSON and stops at the first mistake.
class Reader {
 public:
  Reader(std::string_view text, std::size_t deepest) : text_(text), deepest_(deepest) {}

  std::optional<Mistake> run() {
    if (skip_space(); at_end()) return Mistake{1, "no JSON: the text is empty", "JSON"};
    value(0, 0);
    return std::move(mistake_);
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char here() const { return at_end() ? '\0' : text_[at_]; }
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }

  [[nodiscard]] std::uint32_t line_at(std::size_t place) const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(place, text_.size()));
    return static_cast<std::uint32_t>(1 + std::count(text_.begin(), end, '\n'));
  }

  /// Line and column, where both help.
  [[nodiscard]] Mistake at(std::size_t place, const std::string& found, const std::string& expected) const {
    const std::size_t before = place == 0 ? std::string_view::npos : text_.rfind('\n', place - 1);
    const std::size_t column = before == std::string_view::npos ? place + 1 : place - before;
    return {line_at(place), fmt::format("{} (column {})", found, column), expected};
  }

  bool stop(std::size_t place, const std::string& found, const std::string& expected) {
    if (!mistake_) mistake_ = at(place, found, expected);
    return false;
  }

  [[nodiscard]] std::string_view word_at(std::size_t place) const {
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(place);
    return text_.substr(place, static_cast<std::size_t>(std::find_if_not(begin, text_.end(), is_bare) - begin));
  }

  /// A text, from its quote; what is inside is checked by the parser.
  bool quoted() {
    const std::size_t open = at_;
    for (++at_; !at_end() && here() != '"'; ++at_) {
      if (here() == '\n') return stop(open, "a text that does not end on its line", "a \" at its end");
      if (static_cast<unsigned char>(here()) < 0x20)
        return stop(at_, "a control character in a text", "it escaped, such as \\t for a tab");
      if (here() != '\\') continue;
      ++at_;
      if (std::string_view("\"\\/bfnrtu").find(here()) == std::string_view::npos)
        return stop(at_ - 1, "a lone \\ in a text", "\\\\ for a backslash");
    }
    if (at_end()) return stop(open, "a text that does not end", "a \" at its end");
    ++at_;
    return true;
  }

  /// 1:64, 1..64 and 1-64, as other programs write a range of whole numbers.
  [[nodiscard]] std::optional<std::string> range_at(std::string_view word) const {
    const auto digits = [&](std::size_t from) {
      std::size_t end = from;
      while (end < text_.size() && is_digit(text_[end])) ++end;
      return end;
    };
    const std::size_t first = digits(at_);
    if (first == at_ || first - at_ > word.size()) return std::nullopt;
    const std::string_view rest = text_.substr(first);
    const std::size_t sign = rest.starts_with("..") ? 2 : rest.starts_with(":") || rest.starts_with("-") ? 1 : 0;
    const std::size_t end = digits(first + sign);
    if (sign == 0 || end == first + sign) return std::nullopt;
    return std::string(text_.substr(at_, end - at_));
  }

  static std::string range_meant(const std::string& written) {
    const std::size_t first = std::min(written.find_first_not_of("0123456789"), written.size());
    const std::size_t second = std::min(written.find_first_of("0123456789", first), written.size());
    return fmt::format("a range: {{\"linear\": [{0}, {1}]}} or {{\"geometric\": [{0}, {1}]}}", written.substr(0, first),
                       written.substr(second));
  }

  bool word() {
    const std::string_view word = word_at(at_);
    struct Meant {
      std::string_view written, json;
    };
    constexpr std::array<Meant, 6> words = {{{"True", "true"},
                                             {"False", "false"},
                                             {"None", "null"},
                                             {"TRUE", "true"},
                                             {"FALSE", "false"},
                                             {"NULL", "null"}}};
    if (const auto ends = range_at(word)) return stop(at_, *ends + " without quotes", range_meant(*ends));
    if (word == "true" || word == "false" || word == "null" || is_number(word)) {
      at_ += word.size();
      return true;
    }
    for (const Meant& meant : words) {
      if (word == meant.written) return stop(at_, std::string(word), std::string(meant.json));
    }
    if (word == "NaN" || word == "Infinity" || word == "-Infinity" || word == "inf" || word == "nan")
      return stop(at_, std::string(word), "a finite number");
    const std::string shown = shorten(word);
    if (is_digit(word.front()) || word.front() == '-' || word.front() == '.' || word.front() == '+')
      return stop(at_, fmt::format("{} without quotes", shown),
                  fmt::format("a number as JSON writes it, such as 0.5 or 1e-3, or the text \"{}\"", shown));
    return stop(at_, fmt::format("{} without quotes", shown), fmt::format("\"{}\" in double quotes", shown));
  }

  /// Names the thing that stands where a value should.
  bool no_value(std::size_t opened) {
    if (at_end()) return stop(at_, "the end of the file", closing_of(opened));
    const char c = here();
    if (c == '\'') return stop(at_, "a single quote", "texts in double quotes: \"like this\"");
    if (c == '#') return stop(at_, "a comment that begins with #", "// in front of a comment");
    if (c == '/') return stop(at_, "a / outside of a text", "// in front of a comment, or /* and */ around it");
    if (c == ',') return stop(at_, "a comma where a value should be", "one comma between two values");
    const auto next =
        std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, text_.end(), is_continuation);
    const std::string_view character(text_.begin() + static_cast<std::ptrdiff_t>(at_), next);
    return stop(at_, fmt::format("{} where a value should be", show(character)), "a value");
  }

  [[nodiscard]] std::string closing_of(std::size_t opened) const {
    if (opened >= text_.size()) return "a value";
    return fmt::format("a {} for the {} of line {}", text_[opened] == '{' ? '}' : ']', text_[opened], line_at(opened));
  }

  bool value(std::size_t depth, std::size_t opened) {
    skip_space();
    if (depth > deepest_) return false;
    if (here() == '{' || here() == '[') return container(depth);
    if (here() == '"') return quoted();
    if (!at_end() && is_bare(here())) return word();
    return no_value(depth == 0 ? text_.size() : opened);
  }

  bool key(std::size_t opened) {
    skip_space();
    if (here() == '"') return quoted();
    if (!at_end() && is_letter(here()))
      return stop(at_, fmt::format("the key {} without quotes", shorten(word_at(at_))),
                  fmt::format("\"{}\" in double quotes", shorten(word_at(at_))));
    if (here() == '{' || here() == '[' || (!at_end() && is_bare(here())))
      return stop(at_, "a value without a key", "a key, a text in double quotes");
    return no_value(opened);
  }

  bool colon(std::size_t key_begin) {
    const std::string name(shorten(text_.substr(key_begin, at_ - key_begin)));
    const std::size_t behind_key = at_;
    skip_space();
    if (here() == ':') {
      ++at_;
      return true;
    }
    if (here() == '=') return stop(at_, fmt::format("a = behind {}", name), "a colon");
    return stop(behind_key, fmt::format("no colon behind {}", name), "one between a key and its value");
  }

  bool container(std::size_t depth) {
    const std::size_t opened = at_;
    const bool is_object = here() == '{';
    const char close = is_object ? '}' : ']';
    ++at_;
    skip_space();
    if (here() == close) {
      ++at_;
      return true;
    }
    for (;;) {
      skip_space();
      const std::size_t begin = at_;
      if (is_object && (!key(opened) || !colon(begin))) return false;
      skip_space();
      const std::size_t value_begin = at_;
      if (!value(depth + 1, opened)) return false;
      const std::size_t value_end = at_;
      skip_space();
      if (here() == close) {
        ++at_;
        return true;
      }
      if (here() != ',') return no_comma(opened, value_begin, value_end);
      ++at_;
    }
  }

  /// Behind a value stands neither a comma nor what closes the list or object.
  bool no_comma(std::size_t opened, std::size_t value_begin, std::size_t value_end) {
    if (at_end() || here() == '}' || here() == ']') {
      const std::string found = at_end() ? "the end of the file" : fmt::format("a {}", here());
      return stop(at_, found, closing_of(opened));
    }
    const bool begins = here() == '"' || here() == '{' || here() == '[' || is_bare(here());
    if (!begins && here() != ';') return no_value(opened);
    if (here() == ';') return stop(at_, "a semicolon", "a comma");
    const bool is_container = text_[value_begin] == '{' || text_[value_begin] == '[';
    const std::string value(text_.substr(value_begin, value_end - value_begin));
    const std::string behind = is_container ? fmt::format("the {}", text_[value_end - 1]) : shorten(value, 40);
    const std::size_t text_end = here() == '"' ? text_.find_first_of("\"\n", at_ + 1) : std::string_view::npos;
    const bool is_text = text_end != std::string_view::npos && text_[text_end] == '"';  // and ends on its line
    const std::string next = is_text ? shorten(text_.substr(at_, text_end + 1 - at_), 40) : std::string("what follows");
    const std::uint32_t line = line_at(at_);
    return stop(
        value_end, fmt::format("no comma behind {}", behind),
        fmt::format("one before {}{}", next, line == line_at(value_end) ? "" : fmt::format(" on line {}", line)));
  }

  std::string_view text_;
  std::size_t deepest_;
  std::size_t at_ = 0;
  std::optional<Mistake> mistake_;
};

}  // namespace

std::optional<Mistake> find_mistake(std::string_view text, std::size_t deepest) { return Reader(text, deepest).run(); }

}  // namespace regatta::json
