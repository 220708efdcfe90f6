#include "search/noise.hpp"

#include <cmath>
#include <map>

namespace regatta::search {
namespace {

struct Pair {
  std::optional<double> original;
  std::optional<double> clone;
};

std::map<std::size_t, Pair> pairs_of(const Rung& rung) {
  std::map<std::size_t, Pair> pairs;
  for (const Standing& standing : rung.standings) {
    Pair& pair = pairs[standing.entry.configuration];
    (standing.entry.purpose == sweep::Purpose::clone ? pair.clone : pair.original) = standing.goodness;
  }
  return pairs;
}

}  // namespace

Noise noise_of(std::span<const Rung> rungs) {
  std::map<std::size_t, double> squares;  // differences squared, by configuration
  for (const Rung& rung : rungs) {
    for (const auto& [configuration, pair] : pairs_of(rung)) {
      if (!pair.original || !pair.clone) continue;
      const double difference = *pair.original - *pair.clone;
      squares[configuration] = difference * difference;
    }
  }
  if (squares.empty()) return {};
  double sum = 0;
  for (const auto& [configuration, square] : squares) sum += square;
  const std::size_t count = squares.size();
  return {.spread = std::sqrt(sum / 2 / static_cast<double>(count)), .pairs = count};
}

}  // namespace regatta::search
