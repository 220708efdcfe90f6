// Verdicts that hold for a whole sweep (measuring.md R12).
#pragma once

#include <span>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// e-BH (Wang, Ramdas: False discovery rate control with e-values, 2022): which of the e-values are discoveries so that
/// at most a share `alpha` of them is false on average, whatever the dependence. Judgement::e_value of all contrasts of
/// a sweep goes in; a "faster" or "slower" that is not among the discoveries prints with a question mark.
std::vector<bool> e_benjamini_hochberg(std::span<const double> e_values, double alpha = rules::alpha);

/// The same for p-values of contrasts that depend on each other only positively, such as those of one session
/// (Benjamini, Hochberg 1995; Benjamini, Yekutieli 2001).
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double alpha = rules::alpha);

}  // namespace regatta::stats
