#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/stats/rules.hpp"
#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using sweep::Intervention;
using sweep::InterventionKind;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing_support::arm;
using testing_support::explained_results;
using testing_support::ResultsBuilder;

constexpr Intervention as_it_is{InterventionKind::unchanged, 0};
constexpr Intervention emptied{InterventionKind::kernels_emptied, 0};

std::vector<double> squares(double seconds, std::size_t count = 8) { return std::vector<double>(count, seconds); }

std::string sentence_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return explanation_sentence(view_of(results, findings), findings.explanations.at(0));
}

std::string sentence_after(const std::vector<ResultsBuilder::Change>& changes) {
  ResultsBuilder made;
  made.explanation(made.trial(arm("native", "eager", 32)), changes);
  return sentence_of(made.results);
}

TEST(ExplanationSentence, SaysWhatEachChangeRemovesAndWhatCallsCost) {
  EXPECT_EQ(
      sentence_of(explained_results()),
      "removing input copies: -20 % [-20, -20]; emptying the kernels: not offered by this engine; a step = 60.0 us "
      "[60.0 us, 60.0 us] of calls, whatever the batch, + 1.25 us a row");
}

TEST(ExplanationSentence, OfADeviceSaysWhetherLaunchesBindIt) {
  const auto text_with = [](double seconds, std::size_t count) {
    ResultsBuilder made;
    auto parameters = arm("native", "eager", 32);
    parameters.emplace_back(sweep::Param::device, std::string("cuda"));
    made.explanation(made.trial(parameters), {{as_it_is, squares(100, count)}, {emptied, squares(seconds, count)}});
    return sentence_of(made.results);
  };
  EXPECT_EQ(text_with(78, 8), "emptying the kernels: -22 % [-22, -22]; launch-bound: 78 % of the step [78, 78]");
  EXPECT_EQ(text_with(12, 8), "emptying the kernels: -88 % [-88, -88]; not launch-bound: 12 % of the step [12, 12]");
  EXPECT_THAT(text_with(78, 1), MatchesRegex(".*\\(not known yet\\); launches: 78 % of the step \\[.*\\]"))
      << "no verdict, no claim";
  EXPECT_EQ(sentence_after({{as_it_is, squares(100)}, {emptied, squares(78)}}),
            "emptying the kernels: -22 % [-22, -22]")
      << "a processor has no launches";
}

TEST(ExplanationSentence, SaysThatAnEngineOffersNoInterventions) {
  EXPECT_EQ(sentence_after({{as_it_is, squares(1)}, {emptied, {}}}), "this engine offers no interventions");
}

TEST(ExplanationSentence, SaysWhatIsNotKnownYet) {
  EXPECT_THAT(sentence_after({{as_it_is, squares(100, 1)}, {emptied, squares(1, 1)}}),
              MatchesRegex("emptying the kernels: -99 % \\[.*\\] \\(not known yet\\)"));
  EXPECT_THAT(sentence_after({{as_it_is, squares(100, 2)}, {emptied, squares(1, 2)}}),
              MatchesRegex("emptying the kernels: -99 % \\[.*\\]"));
}

TEST(ExplanationSentence, SaysWhyAClearIntervalIsNoVerdict) {
  EXPECT_THAT(sentence_after({{as_it_is, squares(1, 12)},
                              {emptied, {.93, .935, .94, .945, .95, .955, .96, .965, .97, .975, .98, .985}}}),
              EndsWith(" (not known yet: drifting)"));
}

TEST(ExplanationSentence, CountsDisturbedSlices) {
  auto results = explained_results();
  for (auto& row : results.intervention_samples) row.sample.flags = 1;
  EXPECT_THAT(sentence_of(results), HasSubstr("removing input copies: -20 % [-20, -20];"));
}

TEST(ExplanationSentence, NamesABentLine) {
  const Intervention at_one{InterventionKind::batch, 1};
  const Intervention at_four{InterventionKind::batch, 4};
  EXPECT_THAT(sentence_after({{as_it_is, squares(10)}, {at_one, squares(1)}, {at_four, squares(9)}}),
              HasSubstr("bent: the line misses by"));
}

TEST(ExplanationSentence, SaysWhyACellIsNotExplained) {
  ResultsBuilder made;
  made.explanation(made.trial(arm("native", "eager", 32)), {{as_it_is, {}}, {emptied, {}}});
  made.results.interventions[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_EQ(sentence_of(made.results), "not explained: failed: crashed: signal 11");
  auto results = explained_results();
  results.interventions[0].verified = sweep::Verified::no;
  results.interventions[0].verified_detail = "faster than the hardware: 1 ns";
  EXPECT_EQ(sentence_of(results), "not explained: faster than the hardware: 1 ns");
}

TEST(ChangeText, NamesEachChange) {
  EXPECT_EQ(change_text(as_it_is), "as it is");
  EXPECT_EQ(change_text({InterventionKind::exchange_off, 0}), "exchanging no gradients");
  EXPECT_EQ(change_text({InterventionKind::batch, 4}), "batch 4");
}

TEST(CallCostSentence, GivesTheSharesOfCalls) {
  analysis::CallCost cost{"numpy", "mlp-10", 60e-6, 1e-6, 0, 1, 100};
  EXPECT_EQ(
      call_cost_sentence(cost),
      "numpy (mlp-10) spends 60.0 us of each step on call overhead: 98 % of the step at batch 1, 38 % at batch 100");
  cost.misfit = 2 * stats::rules::most_misfit;
  EXPECT_THAT(call_cost_sentence(cost), HasSubstr("this line misses by up to"));
  EXPECT_THAT(call_cost_sentence(cost), Not(HasSubstr("spends")));
}

}  // namespace
}  // namespace regatta::report
