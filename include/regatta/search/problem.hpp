// The subject of a search, the runs known of it, and the legs that it asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::search {

struct Problem {
  std::vector<Hash128> configurations;  ///< draws go by them: the order of axes and levels changes nothing
  sweep::Search search;
  sweep::Objective objective;
  std::int64_t seeds = 12;  ///< fresh ones of each finalist
};

/// A leg that is over and recorded. A run that ended early with a score has it in the legs that follow, too.
struct Done {
  std::size_t configuration = 0;  ///< position in Problem::configurations
  sweep::Leg leg;
  std::optional<double> score;  ///< best validation of the run so far; nothing, or not finite: it diverged or failed
  std::optional<double> test;   ///< only where the leg's purpose is test
  std::optional<double> trained = {};  ///< part of the horizon; nothing: all of the leg, which did not end early
};

struct Due {
  std::size_t configuration = 0;
  sweep::Leg leg;
  bool operator==(const Due&) const = default;
};

}  // namespace regatta::search
