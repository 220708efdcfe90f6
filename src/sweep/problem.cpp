#include "sweep/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "regatta/base/error.hpp"
#include "sweep/json_document.hpp"
#include "sweep/json_text.hpp"

namespace regatta::sweep {
namespace {

/// Edits that turn `a` into `b`: insert, delete, replace, swap neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

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

std::string closest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest_name = 64;
  if (name.size() > longest_name) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;  // a third of it may be wrong
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
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
