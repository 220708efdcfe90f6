#include "report/findings/learning_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"

namespace regatta::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

/// Keeps what a view refers to.
struct Said {
  results::Results results;
  analysis::Findings findings;
  View view;

  explicit Said(const TrainedSweep& made)
      : results(trained(made)), findings(analysis::findings_of(results)), view(view_of(results, findings)) {}

  [[nodiscard]] std::vector<std::string> headline() const { return learning_headline(view, *view.learning); }
  [[nodiscard]] std::vector<std::string> trust() const { return learning_trust(view, *view.learning); }
};

TEST(LearningWords, SayAccuraciesInPercentAndDifferencesInPoints) {
  EXPECT_EQ(quality_text(true, 0.9886), "98.9 %");
  EXPECT_EQ(quality_text(false, 0.04123), "0.0412");
  EXPECT_EQ(quality_text(true, NAN), "\u2013");
  EXPECT_EQ(difference_text(true, 0.01), "1 point");
  EXPECT_EQ(difference_text(true, 0.0042), "0.4 points");
  EXPECT_EQ(difference_text(false, 0.0042), "0.0042");
  EXPECT_EQ(interval_text(true, {}), "") << "one value has no interval";
}

TEST(LearningWords, CutNumbersOnlyWhereTheyStayApart) {
  Said said({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  auto& rates = said.results.trials;
  rates[0].parameters[sweep::Param::learning_rate] = 0.000225552;
  rates[1].parameters[sweep::Param::learning_rate] = 0.1;
  EXPECT_EQ(level_text(said.view, sweep::Param::learning_rate, TrialIndex{0}), "0.000226");
  rates[1].parameters[sweep::Param::learning_rate] = 0.000225553;
  EXPECT_EQ(level_text(said.view, sweep::Param::learning_rate, TrialIndex{0}), "0.000225552");
}

TEST(LearningWords, AnswerWhoIsBestAndHowSureThatIs) {
  const Said said({.quality = falling(0.95, 0.004)});
  const auto lines = said.headline();
  EXPECT_EQ(lines.front(), "Best of 9 configurations: learning_rate 0.1");
  EXPECT_THAT(lines, Contains(HasSubstr("Test accuracy: 89.9 %")));
  EXPECT_THAT(lines, Contains(HasSubstr("the mean of 12 runs on 360 test samples")));
  EXPECT_THAT(lines, Contains(HasSubstr("under 12 fresh seeds. The search saw")));
  EXPECT_THAT(lines.back(), HasSubstr("may be as good: it is not shown to be worse by 1 point"));
}

TEST(LearningWords, SayFirstThatASearchIsNotFinished) {
  const Said said({.quality = falling(0.95, 0.004), .most_legs = 20});
  EXPECT_THAT(said.headline().front(), HasSubstr("The search is not finished"));
  EXPECT_THAT(said.headline(), Not(Contains(HasSubstr("Best of"))));
}

TEST(LearningWords, SayThatAllDivergedAndNameNoBest) {
  const Said said({.configurations = 4, .quality = [](auto, auto, auto) { return std::nullopt; }});
  EXPECT_THAT(said.headline(), Contains(HasSubstr("all 4 configurations diverged. There is no")));
  EXPECT_THAT(said.headline(), Not(Contains(HasSubstr("Best of"))));
}

TEST(LearningWords, RefuseAVerdictOnThreeSeeds) {
  const Said said({.configurations = 3, .seeds = 3, .searches = false, .quality = falling(0.95, 0.1)});
  EXPECT_THAT(said.headline(), Contains(HasSubstr("No verdict after 3 seeds")));
  EXPECT_THAT(said.headline(), Not(Contains(HasSubstr("worse by"))));
  EXPECT_THAT(said.headline().front(), HasSubstr("by the mean alone"));
  for (const auto& row : said.view.learning->ranking) EXPECT_EQ(in_set_text(*said.view.learning, row), "no verdict");
}

TEST(LearningWords, NameNoBestOfThoseThatAreLevel) {
  const auto level = [](std::uint32_t below) {
    return [below](std::uint32_t configuration, std::int64_t seed, double) {
      return std::optional((configuration < below ? 0.9 : 0.5) + testing_support::noise_of(0, seed));
    };
  };
  const Said all({.configurations = 3, .searches = false, .quality = level(3)});
  EXPECT_EQ(all.headline().front(), "No difference: all 3 have the same validation accuracy under each seed");
  const Said two({.configurations = 3, .searches = false, .quality = level(2)});
  EXPECT_THAT(two.headline().front(), HasSubstr("and with the same validation accuracy under each seed learning_rate"));
}

TEST(LearningWords, AdmitThatAChoiceByTheSameRunsFlatters) {
  const Said said({.configurations = 3, .searches = false, .quality = falling(0.95, 0.1)});
  EXPECT_THAT(said.headline(), Contains(HasSubstr("The same runs chose it")));
  EXPECT_THAT(said.headline(), Contains(HasSubstr("Both other configurations are worse by more than 1 point")));
  const Said alone({.configurations = 1, .searches = false, .quality = falling(0.95, 0.1)});
  EXPECT_EQ(alone.headline().front().substr(0, 9), "Trained: ");
  EXPECT_THAT(alone.headline(), Not(Contains(HasSubstr("chose it"))));
}

TEST(LearningWords, SayALossPlainly) {
  const auto rising = [](std::uint32_t configuration, std::int64_t seed, double) {
    return std::optional(0.1 + 0.03 * configuration + testing_support::noise_of(configuration, seed));
  };
  const Said said({.configurations = 2, .searches = false, .metric = "validation_loss", .quality = rising});
  EXPECT_THAT(said.headline(), Contains(HasSubstr("Validation loss: 0.1")));
  EXPECT_THAT(said.headline(), Not(Contains(HasSubstr("%"))));
}

TEST(LearningWords, SayEachFailureOnceAndDoNotCallItDiverged) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  std::erase_if(results.legs, [](const auto& leg) { return leg.leg.purpose == sweep::Purpose::again; });
  for (auto& leg : results.legs) leg.outcome = sweep::Failed{sweep::FailureKind::reported, "no such layer"};
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  EXPECT_THAT(learning_headline(view, *view.learning), Contains(HasSubstr("all 2 configurations failed")));
  EXPECT_THAT(learning_trust(view, *view.learning),
              Contains(testing::AllOf(HasSubstr("seed 0, and 23 more"), HasSubstr("no such layer"))));
  EXPECT_THAT(cost_text(*view.learning), HasSubstr("0 of 24 trainings"));
}

TEST(LearningWords, TellWhatPairingBought) {
  const Said helped({.configurations = 2, .searches = false, .quality = falling(0.95, 0)});
  EXPECT_THAT(helped.trust(), Contains(HasSubstr("pairing by seed helped")));
  const auto unrelated = [](std::uint32_t configuration, std::int64_t seed, double) {
    return std::optional(0.9 + 0.01 * static_cast<double>(configuration == 0 ? seed % 2 : seed / 2 % 2));
  };
  const Said nothing({.configurations = 2, .searches = false, .quality = unrelated});
  EXPECT_THAT(nothing.trust(), Contains(HasSubstr("pairing by seed did not help")));
}

TEST(LearningWords, TellWhetherASeedFixesTheBits) {
  Said said({.configurations = 3, .searches = false, .quality = falling(0.95, 0.01)});
  EXPECT_THAT(said.trust(), Contains("same seed twice: native bit-equal (4 evaluations)"));
  EXPECT_THAT(cost_text(*said.view.learning), HasSubstr("36 of 36 trainings, and 1 under the same seed again"));
  analysis::Learning learning = *said.view.learning;
  learning.repeats.push_back({"torch", {0}, 0, false, 4, 512, "train_loss", 0.12345, 0.12346});
  EXPECT_THAT(
      learning_trust(said.view, learning),
      Contains("same seed twice: native bit-equal (4 evaluations); torch differs from sample 512 on (last train "
               "loss 0.12345, 0.12346)"));
  learning.repeats = {{"jax", {0}, 0, true, 4, std::nullopt, "", 0, 0}};
  EXPECT_THAT(learning_trust(said.view, learning), Contains("same seed twice: jax failed the second time"));
  learning.repeats.clear();
  EXPECT_THAT(learning_trust(said.view, learning), Contains(HasSubstr("same seed twice: not tried")));
  learning.repeats_due = 1;
  EXPECT_THAT(learning_trust(said.view, learning), Contains("same seed twice: still to be trained"));
}

TEST(LearningWords, SayWhatBatchNormTookItsMomentsOver) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.95, 0.01)});
  const auto trust = [&] {
    const auto findings = analysis::findings_of(results);
    const View view = view_of(results, findings);
    return learning_trust(view, *view.learning);
  };
  EXPECT_THAT(trust(), Not(Contains(HasSubstr("moments")))) << "no batch was shared";
  results.trials[0].parameters.set(sweep::Param::batch_statistics, "batch");
  EXPECT_THAT(trust(), Contains("batch_norm took its moments over the whole batch, whatever the ranks and shards"));
  results.trials[1].parameters.set(sweep::Param::batch_statistics, "shard");
  EXPECT_THAT(trust(), Contains("batch_norm took its moments over each shard or rank's part by itself in 1 of 2 "
                                "configurations"));
}

TEST(LearningWords, CountHowOftenTheTestPartWasOpened) {
  Said said({.configurations = 3, .searches = false, .quality = falling(0.95, 0.01)});
  EXPECT_THAT(said.trust(), Not(Contains(HasSubstr("in this folder"))));
  analysis::Learning learning = *said.view.learning;
  learning.openings = {1, 0};
  EXPECT_THAT(learning_trust(said.view, learning), Contains("test part opened once in this folder"));
  learning.openings = {3, 1};
  EXPECT_THAT(learning_trust(said.view, learning),
              Contains("test part opened at least 3 times in this folder (1 journal cannot be read): decisions "
                       "after the first may have been made by it"));
}

TEST(LearningWords, SayClocksWithTheirIntervals) {
  constexpr double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(clock_text({2, {1, never}}), "2.00 s [1.00 s, never]");
  EXPECT_EQ(clock_text({2, {0, never}}), "2.00 s") << "too few runs for an interval";
  EXPECT_EQ(clock_text({never, {0, never}}), "never");
  EXPECT_EQ(clock_text({NAN, {}}), "\u2013");
  Said said({.configurations = 1, .searches = false, .quality = falling(0.95, 0.01)});
  analysis::Learning learning = *said.view.learning;
  learning.starts = {{"native", 0.012, 3}, {"torch", 2, 1}};
  EXPECT_EQ(starts_text(learning), "native 12.0 ms (3 processes), torch 2.00 s (1 process)");
}

}  // namespace
}  // namespace regatta::report
