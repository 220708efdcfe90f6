#include "regatta/json/problem.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/base/suggestion.hpp"
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

std::string one_of_nearest(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t few = 12, most_named = 3;
  if (names.size() <= few) return one_of(names);
  return fmt::format("{}, or one of {} more (`regatta schema` lists all)",
                     one_of(nearest_names(word, names, most_named)), names.size() - most_named);
}

}  // namespace regatta::json
