#include "regatta/stats/many_contrasts.hpp"

#include <algorithm>
#include <map>

namespace regatta::stats {

namespace {

/// How many there are, and how many of them still count as discoveries.
struct Tally {
  std::size_t contrasts = 0;
  std::size_t found = 0;
};

}  // namespace

double evidence_needed(std::size_t contrasts, std::size_t discoveries, double alpha) {
  return static_cast<double>(contrasts) / (alpha * static_cast<double>(discoveries));
}

std::vector<bool> e_benjamini_hochberg(std::span<const double> e_values, std::span<const std::size_t> families,
                                       double alpha) {
  Tally all{e_values.size(), e_values.size()};
  std::map<std::size_t, Tally> of_family;
  for (const std::size_t family : families) {
    ++of_family[family].contrasts;
    ++of_family[family].found;
  }
  std::vector<bool> found(e_values.size(), true);
  // Fewer discoveries ask for more evidence: what falls out stays out.
  for (bool falls = true; falls;) {
    falls = false;
    const Tally before = all;
    const auto of_family_before = of_family;
    for (std::size_t i = 0; i < e_values.size(); ++i) {
      if (!found[i]) continue;
      const Tally& family = of_family_before.at(families[i]);
      const double needed = std::max(evidence_needed(before.contrasts, before.found, alpha),
                                     evidence_needed(family.contrasts, family.found, alpha));
      if (e_values[i] >= needed) continue;
      found[i] = false;
      falls = true;
      --all.found;
      --of_family[families[i]].found;
    }
  }
  return found;
}

std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double alpha) {
  std::vector<double> sorted(p_values.begin(), p_values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  double largest = -1;  // p-value that is a discovery
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    if (sorted[k - 1] <= alpha * static_cast<double>(k) / count) largest = sorted[k - 1];
  }
  std::vector<bool> found;
  for (const double p : p_values) found.push_back(p <= largest);
  return found;
}

}  // namespace regatta::stats
