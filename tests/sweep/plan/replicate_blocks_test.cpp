#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// Blocks of two programs under seeds that take one pair, and all of them.
std::pair<std::ptrdiff_t, std::size_t> one_pair_of(const std::string& measure, const std::string& more,
                                                   const std::string& seeds = "[1, 2, 3]") {
  const Sweep sweep = parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"engine": "command", "command": "p",
    "alg": ["old", "new"], "case": )" +
                                      seeds +
                                      R"(}, "commands": {"p": {"argv": ["p", "{alg}", "{case}"]}},
    "compare": {"over": "alg", "baseline": {"alg": "old"})" +
                                      more + "}, \"measure\": {\"metric\": " + measure + "}}",
                                  "s.json");
  const Plan plan = make_plan(sweep);
  return {std::ranges::count_if(plan.blocks, &Block::takes_one_pair), plan.blocks.size()};
}

using Counts = std::pair<std::ptrdiff_t, std::size_t>;

TEST(ReplicateBlocks, TakeOnePairOfResultsWhereThereAreSeveral) {
  const std::string result = R"({"result": "score"})", named = R"(, "replicates": "case")";
  EXPECT_EQ(one_pair_of(result, named), Counts(3, 3)) << "a clone of what programs tell shows nothing";
  EXPECT_EQ(one_pair_of(result, named, "[1]"), Counts(0, 1));
  EXPECT_EQ(one_pair_of(result, ""), Counts(0, 3)) << "cases are settings";
  EXPECT_EQ(one_pair_of("\"time_per_step\"", named), Counts(0, 4)) << "times, and a clone";
}

}  // namespace
}  // namespace regatta::sweep
