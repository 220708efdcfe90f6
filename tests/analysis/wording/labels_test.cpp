#include "regatta/analysis/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing::ElementsAre;
using testing_support::arm;
using testing_support::ResultsBuilder;

TEST(Axes, DivideWhatIsComparedFromWhereItIsCompared) {
  const auto axes = axes_of(testing_support::sample_results());
  EXPECT_THAT(axes.arm, ElementsAre(Param::engine, Param::mode));
  EXPECT_THAT(axes.stratum, ElementsAre(Param::batch));  // model, device and threads do not vary
}

TEST(Axes, CountWhatArmsOfABlockDifferInAsCompared) {
  ResultsBuilder made;
  made.results.axis_names = {"batch"};
  made.block({made.trial(arm("native", "graph", 1)), made.trial(arm("native", "graph", 8))});
  EXPECT_THAT(axes_of(made.results).arm, ElementsAre(Param::batch));
}

TEST(Axes, IgnoreAParameterThatIsOnlyReadOrNotRead) {
  ResultsBuilder made;  // `mode` is no axis here: null for numpy, graph for native
  made.results.axis_names = {"engine"};
  made.trial(arm("native", "graph", 1));
  made.trial(arm("numpy", nullptr, 1));
  EXPECT_THAT(axes_of(made.results).arm, ElementsAre(Param::engine));
}

TEST(Axes, OfASingleTrialAreEngineAndMode) {
  ResultsBuilder made;
  const auto only = made.trial(arm("native", "graph", 1));
  EXPECT_EQ(trial_label(made.results.trials[only.value].parameters, axes_of(made.results)), "native graph");
}

TEST(Label, NamesNumbersAndLeavesOutWhatIsNotRead) {
  ResultsBuilder made;
  made.trial(arm("numpy", nullptr, 32));
  const auto& parameters = made.results.trials[0].parameters;
  EXPECT_EQ(label(parameters, {Param::engine, Param::mode, Param::model, Param::batch}), "numpy mlp-10 batch 32");
  EXPECT_EQ(label(parameters, {Param::mode}), "");
}

}  // namespace
}  // namespace regatta::analysis
