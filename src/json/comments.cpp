#include "regatta/json/comments.hpp"

#include <algorithm>
#include <optional>

#include "regatta/json/text.hpp"

namespace regatta::json {
namespace {

/// Behind the text whose opening quote stands at `at`.
std::size_t end_of_text(const std::string& text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// Behind the comment that begins at `at`; nothing if none does, or if it has no end.
std::optional<std::size_t> end_of_comment(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") != 0) return std::nullopt;
  const std::size_t close = text.find("*/", at + 2);
  return close == std::string::npos ? std::nullopt : std::optional(close + 2);
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (!is_space(text[at])) text[at] = ' ';
  }
}

}  // namespace

std::string without_comments(std::string text) {
  char before = '[';  // the last character that counts: what stands behind a value may be a comma too many
  std::size_t comma = std::string::npos;
  for (std::size_t at = 0; at < text.size();) {
    const char here = text[at];
    if (is_space(here)) {
      ++at;
      continue;
    }
    if (const auto end = end_of_comment(text, at)) {
      blank(text, at, *end);
      at = *end;
      continue;
    }
    if ((here == ']' || here == '}') && comma != std::string::npos) text[comma] = ' ';
    const bool behind_value = before != '[' && before != '{' && before != ',' && before != ':';
    comma = here == ',' && behind_value ? at : std::string::npos;
    at = here == '"' ? end_of_text(text, at) : at + 1;
    before = here;
  }
  return text;
}

}  // namespace regatta::json
