#include "sweep/read/problem.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "sweep/parameters/json_document.hpp"
#include "sweep/parameters/json_text.hpp"

namespace regatta::sweep {
void refuse(const Place& place, const Problem& problem) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  text += fmt::format(": {}{}found {}", place.pointer, place.pointer.empty() ? "" : ": ", problem.found);
  if (!problem.expected.empty()) text += fmt::format(", expected {}", problem.expected);
  if (!problem.suggestion.empty()) text += fmt::format("; did you mean {}?", quote(problem.suggestion));
  throw InputError(text);
}

Place place_in(const Sweep& sweep, const std::string& pointer) {
  const std::string file = sweep.file.empty() ? "sweep" : sweep.file.string();
  if (sweep.text.empty()) return {file, 0, pointer};
  return {file, line_of(parse_json(sweep.text, file), pointer), pointer};
}

std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += quote(names[i]);
  }
  return text;
}

}  // namespace regatta::sweep
