#include "regatta/results/parameters_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

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

TEST(ParametersOf, AKindOfALaterVersionIsRefused) {
  EXPECT_EQ(own_axis("n", "flag").kind(), Kind::flag);
  EXPECT_THROW(own_axis("n", "date"), InputError);
}

TEST(ParametersOf, MergedLevelsAreGivenOneKind) {
  const auto unified = [](const sweep::Value& a, Kind kind_a, const sweep::Value& b, Kind kind_b) {
    Results results = of_trials({{{Param::own("n", kind_a), a}}, {{Param::own("n", kind_b), b}}, {}});
    unify_own_axes(results);
    EXPECT_TRUE(results.trials[2].parameters.own().empty());
    return std::vector{results.trials[0].parameters.own()[0].value, results.trials[1].parameters.own()[0].value};
  };
  EXPECT_THAT(unified(std::int64_t{1}, Kind::integer, 1.5, Kind::real),
              ElementsAre(sweep::Value(1.0), sweep::Value(1.5)));
  EXPECT_THAT(unified(std::int64_t{1}, Kind::integer, std::string("x"), Kind::text),
              ElementsAre(sweep::Value(std::string("1")), sweep::Value(std::string("x"))));
}

}  // namespace
}  // namespace regatta::results
