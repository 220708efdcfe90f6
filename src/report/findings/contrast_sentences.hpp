// Each comparison as a sentence, and the parts of it that tables and other sentences use.
#pragma once

#include <string>

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// "numpy is 38.3x slower [37.1, 39.0] than native graph at batch 1"; without a verdict "numpy against native graph at
/// batch 1: not known yet [1.003x slower, 1.40x slower]". Then what limits it: replicates, steps, stalls, disturbed
/// slices, and whether it is early.
std::string contrast_sentence(const results::Results& results, const analysis::Contrasts& contrasts,
                              const analysis::Contrast& contrast);

/// What a figure of it is faster, or smaller, in: " per sample", " in peak memory"; empty for times of a step.
std::string in_measure(const analysis::Contrast& contrast);

/// "10 seeds", "20 replicates (seed, instance)"; empty without any.
std::string replicates_text(const analysis::Contrast& contrast);

/// "7 x 2": fresh processes of each arm x balanced squares in each, "7 x 1 to 2" where they differ.
std::string evidence_text(const analysis::Contrast& contrast);

/// "1 %", or in the unit of the result.
std::string margin_text(const analysis::Contrast& contrast);

}  // namespace regatta::report
