// Small searches for tests: scores are a function of configuration, seed and rung.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "regatta/search/due.hpp"
#include "search/core.hpp"

namespace regatta::search::testing {

using Score = std::function<std::optional<double>(std::size_t configuration, const sweep::Leg& leg)>;

inline Problem problem_of(std::size_t configurations) {
  Problem problem;
  problem.search.rungs = 4;
  for (std::size_t i = 0; i < configurations; ++i) problem.configurations.push_back(hash128(std::to_string(i)));
  return problem;
}

inline Done run_of(const Due& leg, const Score& score) {
  const bool is_test = leg.leg.purpose == sweep::Purpose::test;
  const auto value = score(leg.configuration, leg.leg);
  return {leg.configuration, leg.leg, is_test ? std::nullopt : value, is_test ? value : std::nullopt};
}

/// All that is due, again and again, until nothing is or so often.
inline std::vector<Done> played(const Problem& problem, const Score& score,
                                std::size_t rounds = std::numeric_limits<std::size_t>::max()) {
  std::vector<Done> runs;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Due> legs = due(problem, runs);
    if (legs.empty()) break;
    for (const Due& leg : legs) runs.push_back(run_of(leg, score));
  }
  return runs;
}

/// A rung of so many entries, each of a configuration of its own, best first.
inline Rung rung_of(const std::vector<std::optional<double>>& goodness, double spread = 0) {
  Rung rung;
  for (std::size_t i = 0; i < goodness.size(); ++i)
    rung.standings.push_back({{.configuration = i, .draw = i}, goodness[i]});
  rung.noise = {.spread = spread, .pairs = 3};
  return rung;
}

/// Better with each configuration, a little different with each seed.
inline double rising(std::size_t configuration, const sweep::Leg& leg) {
  const double luck = static_cast<double>((leg.seed * 7 + static_cast<std::int64_t>(configuration) * 3) % 11);
  return 0.5 + 0.02 * static_cast<double>(configuration) + 0.0005 * luck;
}

}  // namespace regatta::search::testing
