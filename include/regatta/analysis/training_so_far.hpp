// A training that is on its way: how far it is, and who is ahead. Nothing is decided by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// The stage that a training waits for. Several go on at once: it is the first of these that has legs due.
enum class TrainingStage : std::uint8_t {
  seeds,       ///< no search: all configurations under all seeds
  rung,        ///< the remaining configurations compete
  fresh,       ///< finalists under seeds that chose nothing
  test,        ///< the test part is opened
  trained_on,  ///< stopped ones to the end, to see what stopping costs
  again,       ///< a run of each engine once more, to see whether a seed fixes its bits
  over         ///< no leg is due
};
std::string_view name_of(TrainingStage stage);

/// A configuration and its curve: the median over its runs that chose nothing; before it has any, what the search saw.
struct Frontrunner {
  TrialIndex trial;
  std::size_t runs = 0;                                 ///< runs that the curve is of
  std::vector<std::pair<std::int64_t, double>> points;  ///< samples and objective, in the order of samples
  double best = 0;                                      ///< at the best evaluation of a run
};

struct TrainingSoFar {
  TrainingStage stage = TrainingStage::over;
  std::uint32_t rung = 0;          ///< the rung that competes; 0: the first
  std::size_t left = 0;            ///< configurations that the stage is about
  std::size_t recorded = 0;        ///< legs of the stage
  std::size_t asked = 0;           ///< recorded ones and due ones
  std::size_t legs_due = 0;        ///< in all stages, as far as is known
  double trainings = 0;            ///< cost so far; 1 is a run from begin to end
  std::vector<Frontrunner> ahead;  ///< the best first
};

/// The state of the training, from the recorded legs. `ahead` holds at most `most`; in a search, configurations that
/// got further come first.
TrainingSoFar training_so_far(const results::Results& results, const Learning& learning, std::size_t most);

}  // namespace regatta::analysis
