// The parts of a cell's time, as far as changing one thing at a time shows them (measuring.md, R17).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// A cell with one thing changed, beside the cell as it is in the same squares.
struct ChangedCell {
  sweep::Intervention intervention;
  sweep::Outcome outcome;
  sweep::Verified verified = sweep::Verified::unchecked;
  double step_seconds = std::numeric_limits<double>::quiet_NaN();  ///< mean over its scored slices
  double ratio = std::numeric_limits<double>::quiet_NaN();         ///< time of a step / that of the cell as it is
  std::optional<double> low;                                       ///< 95 %, valid whenever measuring stopped
  std::optional<double> high;
  double removed_seconds = std::numeric_limits<double>::quiet_NaN();  ///< time that a step of the cell loses
  std::int64_t squares = 0;
  std::int64_t processes = 0;                          ///< processes of both together
  stats::Verdict verdict = stats::Verdict::undecided;  ///< the changed cell against the cell as it is
  stats::Flags flags;
};

/// T = a + b batch through the cell and its other batches.
struct CallsLine {
  double calls_seconds = 0;  ///< a: what a step takes however few rows it has
  std::optional<double> low;
  std::optional<double> high;
  double seconds_per_row = 0;         ///< b
  double misfit = 0;                  ///< largest |log(measured / fitted)|; a bent line explains nothing
  std::vector<std::int64_t> batches;  ///< in increasing order
};

struct Explanation {
  TrialIndex trial;
  sweep::Outcome outcome;  ///< how the cell as it is ended, measured again
  sweep::Verified verified = sweep::Verified::unchecked;
  std::string verified_detail;  ///< why it was not verified
  double step_seconds = std::numeric_limits<double>::quiet_NaN();
  std::vector<ChangedCell> changes;
  std::optional<CallsLine> line;
};

/// Writes the figures of the explanations of `results` into the rows of `results.interventions`.
void write_explanations(results::Results& results, const std::vector<Explanation>& explanations);

}  // namespace regatta::analysis
