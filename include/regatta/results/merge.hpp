// Several result files as one, for example of several hosts that ran parts of one sweep.
#pragma once

#include <string>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::results {

struct MergeInput {
  std::string file;  ///< names it in errors and in the sources of the merged results
  Results results;
};

/// The share of one input in the merged results.
struct MergedFrom {
  std::string file;
  std::size_t trials = 0;    ///< rows taken from it
  std::size_t repeated = 0;  ///< rows that an earlier input holds as well, with the same result
  std::size_t open = 0;      ///< rows without a result here, of which another input has one
};

struct Merged {
  Results results;  ///< contrasts and interventions are not judged yet
  std::vector<MergedFrom> from;
};

/// Each trial and each block once, in the order of the inputs; a row without a result (lost, or skipped) gives way to
/// one with. Throws InputError if a trial has different results in two inputs, or if their sweeps would be judged by
/// different rules.
Merged merge(const std::vector<MergeInput>& inputs);

}  // namespace regatta::results
