// The results of training: due legs, ranking, set, costs, curves.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "regatta/analysis/learning.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::analysis {

// dominance.cpp: Configurations that are shown to be no choice: another one is better in something and as good in
// everything else.

/// Fills Ranked::dominated_by, by intervals and never by points: quality within the margin, seconds of training and
/// peak memory within 5 %.
void tell_dominated(Learning& learning);

// new_samples.cpp: Figures for samples to come, from those on a test part: the part is one draw of many.

/// The test samples that a run classified rightly, by the run's seed; all have as many.
using Hits = std::map<std::int64_t, std::vector<bool>>;

/// Wilson's interval: where a part of `samples` may lie in what they were drawn from.
stats::Range for_new_samples(double part, std::int64_t samples);

/// The accuracy over seeds, with an interval for other seeds and other samples: percentiles of a bootstrap over samples
/// (each one's mean over seeds; Efron & Tibshirani 1993), to whose half widths those over seeds are added, squared.
/// Where fewer than ten samples differ from most, its ends are infinite: they tell too little. NaN without hits.
stats::Estimate accuracy_for_new_samples(const Hits& hits, double alpha);

/// The same of the first accuracy minus the second, paired by sample under the seeds that both have.
stats::Estimate difference_for_new_samples(const Hits& first, const Hits& second, double alpha);

// plain.cpp: Configurations that were all trained under the same seeds, ranked.

/// Validation and diverged runs of each configuration, the best first.
std::vector<Ranked> ranked_plain(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                 const std::vector<results::LegRow>& legs);

/// Fills leader, places and warnings; the ranking stands there, as ranked_plain gives it.
void rank_plain(Learning& learning);

// repeats.cpp: Whether a training that is run once more under its own seed gives the same bits.

/// The legs to repeat once everything is over that decides anything: for each engine the best configuration whose first
/// run has a curve. One repeat tells of its engine, whichever configuration leads later.
std::vector<DueLeg> repeats_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                const std::vector<results::LegRow>& legs);

/// The repeated legs, beside the first runs.
std::vector<Repeat> repeats_of(const std::vector<results::TrialRow>& trials, const std::vector<results::LegRow>& legs);

// tally.cpp: How much was trained, and on what.

Tally tally_of(const results::Results& results);

/// As the first leg says that knows them.
Parts parts_of(const std::vector<results::LegRow>& legs);

std::vector<LegFailure> failures_of(const std::vector<results::LegRow>& legs);

}  // namespace regatta::analysis
