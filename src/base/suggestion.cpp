#include "regatta/base/suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace regatta {
namespace {

constexpr std::size_t longest_name = 64;

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

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > longest_name) return {};
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;  // a third of it may be wrong
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edit_distance(word, candidate);
    if (edits >= fewest || edits >= candidate.size()) continue;  // as many edits as letters: nothing in common
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

std::vector<std::string> nearest_names(std::string_view word, std::vector<std::string> candidates, std::size_t most) {
  const std::string_view begin = word.substr(0, longest_name);
  std::ranges::stable_sort(candidates, {}, [&](const std::string& each) { return edit_distance(begin, each); });
  candidates.resize(std::min(candidates.size(), most));
  return candidates;
}

}  // namespace regatta
