// How time grows along a numeric parameter: what a log-log figure draws.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::analysis {

/// One arm: seconds at each value of the axis, medians over repeats and seeds. A trial's value is the median over its
/// processes of elapsed time / work (over squares where there are fewer than 7); without any, it is the median of its
/// steps.
struct Curve {
  std::string name;
  std::map<double, double> seconds;
  std::map<double, stats::Range> ranges;  ///< 95 %, where a trial stands alone at its value and has one
};

/// The curves of one setting.
struct Panel {
  std::string name;
  std::vector<Curve> curves;
  std::map<double, double> roofline;  ///< least seconds on the cores that were used, where they are calibrated
};

struct Growth {
  sweep::Param axis = sweep::Param::batch;
  bool per_sample = false;  ///< seconds per sample; per step if some trial reads no batch
  std::vector<Panel> panels;
  bool left_out = false;  ///< something measured did not fit
};

/// The limits of a figure: more does not fit into it.
struct GrowthLimits {
  std::size_t panels = 6;
  std::size_t curves = 8;   ///< in a panel
  std::size_t values = 60;  ///< along the axis; thinned evenly
};

/// Along batch, length, threads or ranks, whichever has most values; nothing if none has two that belong to
/// one curve. Linear in the trials.
std::optional<Growth> growth(const results::Results& results, const Axes& axes, const GrowthLimits& limits = {});

}  // namespace regatta::analysis
