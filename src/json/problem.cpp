#include "regatta/json/problem.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::json {

void refuse(const Place& place, const Problem& problem) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  text += fmt::format(": {}{}found {}", place.pointer, place.pointer.empty() ? "" : ": ", problem.found);
  if (!problem.expected.empty()) text += fmt::format(", expected {}", problem.expected);
  if (!problem.suggestion.empty()) text += fmt::format("; did you mean {}?", quote(problem.suggestion));
  throw InputError(text);
}

std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += quote(names[i]);
  }
  return text;
}

}  // namespace regatta::json
