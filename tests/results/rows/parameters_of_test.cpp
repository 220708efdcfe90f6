#include "regatta/results/parameters_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::results {
namespace {

using sweep::Param;
using testing::ElementsAre;
using Kind = Param::OwnKind;

Results of_trials(const std::vector<std::vector<std::pair<Param, sweep::Value>>>& trials) {
  Results results;
  results.axis_names = {"engine", "n", "alg", "unread"};
  for (const auto& values : trials) {
    TrialRow& row = results.trials.emplace_back();
    for (const auto& [param, value] : values) row.parameters.set(param, value);
  }
  return results;
}

TEST(ParametersOf, AxesStandInFileOrder) {
  const Param n = Param::own("n", Kind::integer);
  const Param alg = Param::own("alg", Kind::text);
  const Results results = of_trials({{{alg, std::string("a")}}, {{n, std::int64_t{1}}}});
  EXPECT_THAT(axes_of_sweep(results), ElementsAre(Param(Param::engine), n, alg)) << "nobody reads the last one";
  EXPECT_EQ(all_parameters(results).size(), sweep::param_count + 2);
}

TEST(ParametersOf, MergedLevelsOfTwoKindsAreTexts) {
  const Results results = of_trials(
      {{{Param::own("n", Kind::integer), std::int64_t{1}}}, {{Param::own("n", Kind::text), std::string("many")}}});
  EXPECT_EQ(all_parameters(results).back().kind(), Kind::text);
  EXPECT_EQ(axes_of_sweep(results).back().kind(), Kind::text);
}

}  // namespace
}  // namespace regatta::results
