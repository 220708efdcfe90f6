// Verdicts that hold for a whole sweep (measuring.md R12).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// e-BH (Wang, Ramdas: False discovery rate control with e-values, 2022): which of the e-values are discoveries so that
/// at most a share `alpha` of them is false on average, whatever the dependence, among all and among those of each
/// family. families[i] numbers the family of e_values[i]. Judgement::e_value of all contrasts of a sweep goes in; a
/// "faster" or "slower" that is not among the discoveries prints with a question mark.
///
/// The largest set of which every member has e >= m / (alpha k), k of m being in the set, counted over all and over its
/// family. Each count holds by itself: of any set with this property the share of false ones is at most alpha on
/// average.
std::vector<bool> e_benjamini_hochberg(std::span<const double> e_values, std::span<const std::size_t> families,
                                       double alpha = rules::alpha);

/// The e-value that e-BH asks of one contrast, if `discoveries` of `contrasts` are discoveries, itself among them.
double evidence_needed(std::size_t contrasts, std::size_t discoveries, double alpha = rules::alpha);

/// Shares of alpha: leaving one of so many cells out of the fastest may err in one of them, whichever cell it is left
/// out against. `in_two_passes`: a first pass chose the best, and another tells them apart: each may err in half.
inline std::size_t exclusions(std::size_t cells, bool in_two_passes) { return (in_two_passes ? 2 : 1) * (cells - 1); }

/// The same for p-values of contrasts that depend on each other only positively, such as those of one session
/// (Benjamini, Hochberg 1995; Benjamini, Yekutieli 2001).
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double alpha = rules::alpha);

}  // namespace regatta::stats
