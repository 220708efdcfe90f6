// Where along a numeric axis (batch, length, threads) the faster one changes (measuring.md R15, R17).
#pragma once

#include <span>
#include <vector>

#include "regatta/stats/range.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// A contrast at one level of the axis.
struct AxisPoint {
  double at = 0;
  Estimate log_ratio;
  Verdict verdict = Verdict::undecided;  ///< verdict on the contrast
};

struct Crossover {
  Estimate at;
  bool becomes_slower = false;  ///< a is faster before it and slower after
};

/// Between neighbouring levels of which one is faster and the other slower (levels that are the same or undecided may
/// lie between them): where the broken line through the estimates crosses 0; the interval runs from where the band of
/// intervals first holds 0 to where it last does. Interpolation is in log(at) if all levels are above 0. Points may
/// come in any order.
std::vector<Crossover> crossovers(std::vector<AxisPoint> points);

}  // namespace regatta::stats
