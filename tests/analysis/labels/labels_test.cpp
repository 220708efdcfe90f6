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
using testing_support::Values;

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

/// mlp-10 with one thing changed at a time.
results::Results star_results(std::size_t changed) {
  ResultsBuilder made;
  made.results.axis_names = {"mode", "api", "input", "loop"};
  const auto trial = [&](const char* mode, const char* api, const char* input, const char* loop) {
    Values values = arm("tensorflow", mode, 32);
    values.insert(values.end(), {{Param::input, std::string(input)}, {Param::loop, std::string(loop)}});
    if (api != nullptr) values.emplace_back(Param::api, std::string(api));
    return made.trial(values);
  };
  std::vector<TrialIndex> arms = {trial("graph", "keras", "array", "fit"), trial("v1-session", nullptr, "array", "fit"),
                                  trial("graph", "keras", "pipeline", "fit"),
                                  trial("graph", "tf_keras", "array", "fit"),
                                  trial("graph", "keras", "array", "custom")};
  arms.resize(changed);
  made.block(arms);
  made.results.trials.resize(changed);
  return made.results;
}

std::vector<std::string> arm_labels(const results::Results& results) {
  std::vector<std::string> labels;
  for (const auto& trial : results.trials) labels.push_back(arm_label(trial.parameters, axes_of(results)));
  return labels;
}

TEST(ArmLabel, LeavesOutWhatBaselinesHaveWhereManyParametersDiffer) {
  const auto results = star_results(5);
  EXPECT_THAT(arm_labels(results),
              ElementsAre("graph", "v1-session", "graph input pipeline", "graph api tf_keras", "graph custom"));
  EXPECT_EQ(usual_text(axes_of(results)), "api keras, input array, fit");
  EXPECT_EQ(trial_label(results.trials[2].parameters, axes_of(results)), "graph input pipeline");
}

TEST(ArmLabel, NamesAllWhereFewParametersDifferOrThereIsNoBaseline) {
  EXPECT_THAT(arm_labels(star_results(3)),
              ElementsAre("graph api keras input array", "v1-session input array", "graph api keras input pipeline"));
  auto results = star_results(5);
  results.blocks.front().has_baseline = false;
  EXPECT_EQ(arm_labels(results).front(), "graph api keras input array fit");
  EXPECT_EQ(usual_text(axes_of(results)), "");
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
