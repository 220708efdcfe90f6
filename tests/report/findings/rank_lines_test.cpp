#include "report/findings/rank_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/rank_results.hpp"

namespace regatta::report {
namespace {

using analysis::RankScaling;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::add_ranks;
using testing_support::full_results;
using testing_support::RankedCell;
using testing_support::ranks_made;
using testing_support::ResultsBuilder;

/// Trials that nobody compared, at these batches.
results::Results alone(const std::vector<std::int64_t>& batches, const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  for (const std::int64_t batch : batches) {
    for (const RankedCell& cell : cells) {
      const TrialIndex trial = made.trial(testing_support::ranked("mlp-10", batch, cell));
      made.metrics(trial, cell.seconds / 1.05, static_cast<double>(batch));
      if (cell.exposed) made.results.trials[trial.value].metrics["exposed_exchange"] = *cell.exposed;
    }
  }
  return made.results;
}

RankScaling group_of(const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, cells);
  return analysis::findings_of(made.results).ranks.at(0);
}

struct Lines {
  std::vector<std::string> answers, unknown, reasons;
};

Lines lines_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  return {rank_answers(view), unknown_rank_answers(view), rank_reasons(view)};
}

TEST(RankSentences, AnswerUpToWhereItPaysAndWhatStopsIt) {
  const RankScaling group = analysis::findings_of(ranks_made().results).ranks.at(0);
  EXPECT_THAT(rank_answer(group),
              AllOf(StartsWith("pays up to 4 ranks: 2.67x faster [2.5"),
                    HasSubstr(" than one rank with shards 1, efficiency 67 % ["),
                    HasSubstr("; 8 ranks against 4: 1.20x slower [1.1"), HasSubstr("efficiency 28 %")));
  EXPECT_THAT(rank_reason(group),
              AllOf(StartsWith("at 8 ranks: held back by the exchange, most of all (without the exchange its step "
                               "changes by -65 % ["),
                    HasSubstr("64 % of its step is exchange (waiting for other ranks included) that its own backward "
                              "pass does not hide"),
                    HasSubstr("shards 8 on one rank: 1.12x slower [")));
}

TEST(RankSentences, NameTheRankThatIsWaitedFor) {
  ResultsBuilder made;
  const auto trials = add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3, 1e-3}});
  results::TrialRow& row = made.results.trials[trials[1].value];
  sweep::set(row.facts, sweep::Fact::slowest_rank, std::string("1 (83 %)"));
  row.metrics["rank_spread"] = 340e-6;
  EXPECT_THAT(rank_reason(analysis::findings_of(made.results).ranks.at(0)),
              HasSubstr("; mostly the last one: rank 1 (83 %), 340 us behind the first at the end of a step"));
}

TEST(RankSentences, SayThatTheMostRanksPay) {
  EXPECT_THAT(rank_answer(group_of({{1, 1, 8e-3}, {2, 8, 4.1e-3}})),
              StartsWith("pays up to 2 ranks, the most measured: 1.9"));
}

TEST(RankSentences, SayThatItDoesNotPayOrIsNotDecided) {
  EXPECT_THAT(rank_answer(group_of({{1, 1, 8e-3}, {2, 8, 9e-3}})),
              StartsWith("does not pay: 2 ranks against one rank with shards 1: 1.12x slower ["));
  const RankScaling open = group_of({{1, 1, 8e-3}, {2, 8, 7.95e-3}});
  EXPECT_THAT(
      rank_answer(open),
      AllOf(StartsWith("not known yet whether it pays: 2 ranks against one rank with shards 1: not known yet ["),
            HasSubstr("], efficiency ")));
}

TEST(RankSentences, CountSamplesWhereBatchesGrow) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64, 128}, {{1, 1, 4e-3}, {2, 8, 8e-3}});
  EXPECT_THAT(
      rank_answer(analysis::findings_of(made.results).ranks.at(0)),
      StartsWith("not known yet whether it pays: 2 ranks against one rank with shards 1 per sample: not known yet ["));
}

TEST(RankSentences, SayThatOneShardWasNotMeasured) {
  EXPECT_THAT(rank_answer(group_of({{1, 8, 8e-3}, {2, 8, 5e-3}})),
              HasSubstr("than one rank with shards 8, efficiency 80 % [78, 83] (one rank with shards 1 was not "
                        "measured here, and may be faster)"));
  EXPECT_THAT(rank_answer(group_of({{1, 1, 8e-3}, {2, 8, 5e-3}})), Not(HasSubstr("not measured here")));
}

TEST(RankSentences, InventNothingWhereNothingTellsOfTheExchange) {
  EXPECT_EQ(rank_reason(group_of({{1, 1, 8e-3}, {2, 8, 5e-3}})),
            "at 2 ranks: the largest obstacle is not known; \"explain\": true under \"measure\" tries it without "
            "the exchange");
}

TEST(RankSentences, SayThatNoTrialOfOneRankFinished) {
  RankScaling group = group_of({{1, 1, 8e-3}, {2, 8, 5e-3}});
  group.known = analysis::RanksKnown::no_base;
  EXPECT_EQ(rank_answer(group), "not known whether more ranks pay: no trial of one rank finished here");
}

TEST(RankSentences, ShareText) {
  EXPECT_EQ(share_text({0.625, {0.5, 0.75}}), "62 % [50, 75]");
  EXPECT_EQ(share_text({0.051, {}}), "5.1 %");
}

TEST(RankLines, AnswerForEachGroup) {
  const Lines lines = lines_of(ranks_made().results);
  EXPECT_THAT(lines.answers, ElementsAre(HasSubstr("mlp-784: pays up to 4 ranks: "),
                                         HasSubstr("conv1d-small: pays up to 8 ranks, the most measured: "),
                                         StartsWith("conv1d-small, 64 samples a rank: pays up to 4 ranks")));
  EXPECT_THAT(lines.unknown, IsEmpty());
  EXPECT_THAT(lines.reasons[0], HasSubstr("mlp-784: at 8 ranks: held back by the exchange"));
}

TEST(RankLines, AreMissingWithoutRanks) {
  EXPECT_THAT(lines_of(full_results()).answers, IsEmpty());
  EXPECT_THAT(lines_of(full_results()).reasons, IsEmpty());
}

TEST(RankLines, StandTogetherWhereNothingIsKnownForTheSameReason) {
  const Lines lines = lines_of(alone({1, 2, 3, 4, 5, 6}, {{1, 1, 4e-3}, {2, 8, 4e-3, 0.5e-3}}));
  EXPECT_THAT(lines.answers, IsEmpty());
  EXPECT_THAT(lines.unknown, ElementsAre(StartsWith("native graph batch 1, native graph batch 2, native graph batch 3, "
                                                    "native graph batch 4 and 2 more: not known whether more "
                                                    "ranks pay: one rank and several were not measured in turns")));
  EXPECT_EQ(lines.reasons.size(), 6U);
  EXPECT_EQ(
      lines.reasons[0],
      "native graph batch 1: at 2 ranks: 12 % of its step is exchange (waiting for other ranks included) that its "
      "own backward pass does not hide");
}

TEST(RankLines, GiveNoReasonWhereNothingIsKnown) {
  EXPECT_THAT(lines_of(alone({1}, {{1, 1, 4e-3}, {2, 8, 4e-3}})).reasons, IsEmpty());
}

TEST(RankLines, Capitalized) {
  EXPECT_EQ(capitalized("pays"), "Pays");
  EXPECT_EQ(capitalized("\u00e9"), "\u00e9");
  EXPECT_EQ(capitalized(""), "");
}

}  // namespace
}  // namespace regatta::report
