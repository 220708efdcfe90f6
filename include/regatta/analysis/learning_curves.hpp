// Learning curves as pictures need them: the objective against samples and seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// An evaluation over the runs of a configuration that chose nothing.
struct CurveStage {
  std::int64_t progress = 0;  ///< samples or steps since the run began (LearningCurves::by_samples)
  double seconds = 0;         ///< spent on training, the median over runs
  double median = 0;
  double low = 0;  ///< the lowest of all runs
  double high = 0;
};

struct LearningCurve {
  TrialIndex trial;
  std::size_t runs = 0;
  std::vector<CurveStage> stages;
};

/// A configuration's way through the rungs, up to where it was stopped.
struct SearchTrace {
  TrialIndex trial;
  std::vector<std::pair<std::int64_t, double>> points;  ///< progress and objective
  std::vector<double> seconds;                          ///< one for each point
};

struct LearningCurves {
  bool by_samples = true;             ///< progress counts samples; otherwise steps of the run
  std::vector<LearningCurve> curves;  ///< in the order of the ranking
  std::vector<SearchTrace> traces;
};

/// The first `most` of the ranking; traces only of what a search trained, without clones.
LearningCurves learning_curves(const results::Results& results, const Learning& learning, std::size_t most);

}  // namespace regatta::analysis
