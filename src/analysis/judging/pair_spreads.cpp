#include "regatta/analysis/pair_spreads.hpp"

#include "analysis/judging/judge.hpp"

namespace regatta::analysis {

stats::SpreadPool pair_spreads(const results::Results& results) { return judge_of(results).spreads.pool(); }

}  // namespace regatta::analysis
