// Verdicts as whoever looks after every pair would have had them: what the replays of tests and benches ask for.
#pragma once

#include <vector>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// judge() after each pair: verdict, interval and evidence alone, without the flags that come from single slices.
std::vector<Judgement> judge_each_pair(const ContrastSlices& contrast, const JudgeOptions& options);

}  // namespace regatta::stats
