#include "analysis/ranks/rank_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "report/rank_results.hpp"

namespace regatta::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::add_ranks;
using testing_support::RankedCell;
using testing_support::ranks_made;
using testing_support::ResultsBuilder;

RankScaling told(const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, cells);
  return findings_of(made.results).ranks.at(0);
}

TEST(RankWords, AnswerUpToWhereItPaysAndWhatStopsIt) {
  const RankScaling group = findings_of(ranks_made().results).ranks.at(0);
  EXPECT_THAT(group.answer, AllOf(StartsWith("pays up to 4 ranks: 2.67x faster [2.5"),
                                  HasSubstr(" than one rank with shards 1, efficiency 67 % ["),
                                  HasSubstr("; 8 ranks against 4: 1.20x slower [1.1"), HasSubstr("efficiency 28 %")));
  EXPECT_THAT(group.reason,
              AllOf(StartsWith("at 8 ranks: held back by the exchange, most of all (without the exchange its step "
                               "changes by -65 % ["),
                    HasSubstr("64 % of its step is exchange (waiting for other ranks included) that its own backward "
                              "pass does not hide"),
                    HasSubstr("shards 8 on one rank: 1.12x slower [")));
}

TEST(RankWords, NameTheRankThatIsWaitedFor) {
  ResultsBuilder made;
  const auto trials = add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3, 1e-3}});
  results::TrialRow& row = made.results.trials[trials[1].value];
  sweep::set(row.facts, sweep::Fact::slowest_rank, std::string("1 (83 %)"));
  row.metrics["rank_spread"] = 340e-6;
  EXPECT_THAT(findings_of(made.results).ranks.at(0).reason,
              HasSubstr("; mostly the last one: rank 1 (83 %), 340 us behind the first at the end of a step"));
}

TEST(RankWords, SayThatTheMostRanksPay) {
  EXPECT_THAT(told({{1, 1, 8e-3}, {2, 8, 4.1e-3}}).answer, StartsWith("pays up to 2 ranks, the most measured: 1.9"));
}

TEST(RankWords, SayThatItDoesNotPayOrIsNotDecided) {
  EXPECT_THAT(told({{1, 1, 8e-3}, {2, 8, 9e-3}}).answer,
              StartsWith("does not pay: 2 ranks against one rank with shards 1: 1.12x slower ["));
  const RankScaling open = told({{1, 1, 8e-3}, {2, 8, 7.95e-3}});
  EXPECT_THAT(
      open.answer,
      AllOf(StartsWith("not known yet whether it pays: 2 ranks against one rank with shards 1: not known yet ["),
            HasSubstr("], efficiency ")));
}

TEST(RankWords, CountSamplesWhereBatchesGrow) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64, 128}, {{1, 1, 4e-3}, {2, 8, 8e-3}});
  EXPECT_THAT(
      findings_of(made.results).ranks.at(0).answer,
      StartsWith("not known yet whether it pays: 2 ranks against one rank with shards 1 per sample: not known yet ["));
}

TEST(RankWords, SayThatOneShardWasNotMeasured) {
  EXPECT_THAT(told({{1, 8, 8e-3}, {2, 8, 5e-3}}).answer,
              HasSubstr("than one rank with shards 8, efficiency 80 % [78, 83] (one rank with shards 1 was not "
                        "measured here, and may be faster)"));
  EXPECT_THAT(told({{1, 1, 8e-3}, {2, 8, 5e-3}}).answer, Not(HasSubstr("not measured here")));
}

TEST(RankWords, InventNothingWhereNothingTellsOfTheExchange) {
  EXPECT_EQ(told({{1, 1, 8e-3}, {2, 8, 5e-3}}).reason,
            "at 2 ranks: what holds it back most is not known; \"explain\": true under \"measure\" tries it without "
            "the exchange");
}

TEST(RankWords, ShareText) {
  EXPECT_EQ(share_text({0.625, {0.5, 0.75}}), "62 % [50, 75]");
  EXPECT_EQ(share_text({0.051, {}}), "5.1 %");
}

}  // namespace
}  // namespace regatta::analysis
