// What figures on a test part say of samples to come: the part is one draw of many.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::analysis {

/// Which test samples a run classified rightly, by the run's seed; all have as many.
using Hits = std::map<std::int64_t, std::vector<bool>>;

/// Wilson's interval: where a part of `samples` may lie in what they were drawn from.
stats::Range for_new_samples(double part, std::int64_t samples);

/// The accuracy over seeds, with an interval for other seeds and other samples: percentiles of a bootstrap over samples
/// (each one's mean over seeds; Efron & Tibshirani 1993), to whose half widths those over seeds are added, squared.
/// Where fewer than ten samples differ from most, its ends are infinite: they tell too little. NaN without hits.
stats::Estimate accuracy_for_new_samples(const Hits& hits, double alpha);

/// The same of the first accuracy minus the second, paired by sample under the seeds that both have.
stats::Estimate difference_for_new_samples(const Hits& first, const Hits& second, double alpha);

}  // namespace regatta::analysis
