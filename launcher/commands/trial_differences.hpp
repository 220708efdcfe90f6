// A row of a result file beside the same row measured again: numbers, and what differs between the two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::launcher {

struct MetricPair {
  std::string name;
  std::optional<double> then;
  std::optional<double> now;
};

struct Difference {
  std::string what;
  std::string then;
  std::string now;
};

struct ThenAndNow {
  std::vector<MetricPair> metrics;      ///< step_time first
  std::vector<Difference> differences;  ///< in hosts, slots, versions and circumstances, as far as they are recorded
};

/// `now` holds the one trial alone.
ThenAndNow then_and_now(const results::Results& then, TrialIndex trial, const results::Results& now);

}  // namespace regatta::launcher
