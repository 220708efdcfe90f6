#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// The name in braces that begins at `at`, with so many braces on each side; empty if none does.
std::string_view name_at(std::string_view word, std::size_t at, std::size_t braces) {
  if (word.substr(at, braces) != std::string_view("{{", braces)) return {};
  if (at > 0 && word[at - 1] == '$') return {};  // a variable of a shell
  const std::size_t first = at + braces;
  const std::size_t end = word.find('}', first);
  if (end == std::string_view::npos || word.substr(end, braces) != std::string_view("}}", braces)) return {};
  const std::string_view name = word.substr(first, end - first);
  return is_own_name(name) ? name : std::string_view();
}

}  // namespace

std::string with_placeholders_replaced(std::string_view word,
                                       const std::function<std::string(std::string_view)>& text_of) {
  std::string text;
  for (std::size_t at = 0; at < word.size();) {
    if (const std::string_view literal = name_at(word, at, 2); !literal.empty()) {
      text.append("{").append(literal).append("}");
      at += literal.size() + 4;
    } else if (const std::string_view name = name_at(word, at, 1); !name.empty()) {
      text += text_of(name);
      at += name.size() + 2;
    } else {
      text += word[at++];
    }
  }
  return text;
}

std::string literal_word(std::string_view word) {
  std::string text;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t braces = name_at(word, at, 2).empty() ? 1 : 2;
    const std::string_view name = name_at(word, at, braces);
    if (name.empty()) {
      text += word[at++];
      continue;
    }
    const std::size_t size = name.size() + 2 * braces;
    text.append("{").append(word.substr(at, size)).append("}");
    at += size;
  }
  return text;
}

std::vector<std::string> placeholders_of(std::string_view word) {
  std::vector<std::string> names;
  with_placeholders_replaced(word, [&](std::string_view name) {
    names.emplace_back(name);
    return std::string();
  });
  return names;
}

}  // namespace regatta::sweep
