#include <cmath>
#include <map>

#include "search/search.hpp"

namespace regatta::search {
namespace {

constexpr std::size_t fewest_pairs = 3;

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

using Squares = std::map<std::size_t, double>;  // differences squared, by configuration

/// As each pair stood last.
Squares squares_of(std::span<const Rung> rungs) {
  Squares squares;
  for (const Rung& rung : rungs) {
    for (const auto& [configuration, pair] : pairs_of(rung)) {
      if (!pair.original || !pair.clone) continue;
      const double difference = *pair.original - *pair.clone;
      squares[configuration] = difference * difference;
    }
  }
  return squares;
}

Noise pooled(const Squares& squares) {
  if (squares.empty()) return {};
  double sum = 0;
  for (const auto& [configuration, square] : squares) sum += square;
  const std::size_t count = squares.size();
  return {.spread = std::sqrt(sum / 2 / static_cast<double>(count)), .pairs = count, .of_earlier = false};
}

}  // namespace

Noise noise_of(std::span<const Rung> rungs) {
  if (rungs.empty()) return {};
  const Squares own = squares_of(rungs.last(1));
  if (own.size() >= fewest_pairs) return pooled(own);
  const Squares all = squares_of(rungs);
  Noise noise = pooled(all);
  noise.of_earlier = all.size() > own.size();
  return noise;
}

}  // namespace regatta::search
