#include "regatta/sweep/judging.hpp"

namespace regatta::sweep {

stats::JudgeOptions judge_options(const Measure& measure) {
  stats::JudgeOptions options;
  options.margin = measure.margin;
  options.half_width = measure.half_width;
  options.relative_half_width = measure.relative_half_width;
  return options;
}

}  // namespace regatta::sweep
