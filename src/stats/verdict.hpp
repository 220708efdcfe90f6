// Verdicts as whoever looks after every pair would have had them: what the replays of tests and benches ask for.
#pragma once

#include <functional>
#include <vector>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// judge() after each pair: verdict, interval and evidence alone, without the flags that come from single slices. Ends
/// with the first judgement that `is_last` accepts.
std::vector<Judgement> judge_each_pair(
    const ContrastSlices& contrast, const JudgeOptions& options,
    const std::function<bool(const Judgement&)>& is_last = [](const Judgement&) { return false; });

}  // namespace regatta::stats
