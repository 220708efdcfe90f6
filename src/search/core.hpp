// The types that the parts of a search hand to one another. Scores are turned so that more is better: goodness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "regatta/search/findings.hpp"
#include "regatta/search/problem.hpp"

namespace regatta::search {

using LegKey = std::tuple<std::size_t, sweep::Purpose, std::int64_t, std::uint32_t>;
using Records = std::map<LegKey, Done>;

/// A competitor: a configuration under one seed.
struct Entry {
  std::size_t configuration = 0;
  sweep::Purpose purpose = sweep::Purpose::search;
  std::int64_t seed = sweep::search_seed;
  std::uint64_t draw = 0;  ///< decides between equals
};

struct Standing {
  Entry entry;
  std::optional<double> goodness;
};

/// A rung in which every entry has a run.
struct Rung {
  std::uint32_t number = 0;
  std::vector<Standing> standings;  ///< best first, those without a score last
  std::size_t going_on = 0;         ///< so many of them stand in the next rung; of the last rung: those with a score
  Noise noise;                      ///< as known after it
};

/// The rungs as far as they are complete.
struct Competition {
  std::vector<Rung> rungs;
  std::vector<Due> missing;  ///< from the rung that is not
  bool over = false;         ///< no rung is left, or nobody to stand in it
};

/// An entry that was stopped and goes on out of competition.
struct TrainedOn {
  Standing standing;
  std::uint32_t after_rung = 0;
  Due rest;  ///< the rest of its run, as one leg
};

/// A configuration that got to the last rung, and is judged by its runs there.
struct Contender {
  std::size_t configuration = 0;
  double goodness = 0;   ///< the mean of its runs
  std::size_t runs = 0;  ///< 2 where its clone got there, too
};

}  // namespace regatta::search
