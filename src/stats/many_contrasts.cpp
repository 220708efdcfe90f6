#include "regatta/stats/many_contrasts.hpp"

#include <algorithm>

namespace regatta::stats {

std::vector<bool> e_benjamini_hochberg(std::span<const double> e_values, double alpha) {
  std::vector<double> sorted(e_values.begin(), e_values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const auto count = static_cast<double>(sorted.size());
  std::size_t discoveries = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    if (sorted[k - 1] >= count / (alpha * static_cast<double>(k))) discoveries = k;
  }
  std::vector<bool> found(e_values.size(), false);
  if (discoveries == 0) return found;
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = e_values[i] >= sorted[discoveries - 1];
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
