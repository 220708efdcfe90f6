#include "report/findings/rank_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/rank_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
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

struct Lines {
  std::vector<std::string> answers, unknown, reasons;
};

Lines lines_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  return {rank_answers(view), unknown_rank_answers(view), rank_reasons(view)};
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
                                                    "native graph batch 4 and 2 more: whether more ranks "
                                                    "pay is not known: one rank and several took no turns")));
  EXPECT_EQ(lines.reasons.size(), 6U);
  EXPECT_EQ(
      lines.reasons[0],
      "native graph batch 1: at 2 ranks: 12 % of its step is exchange (waiting for other ranks included) that its "
      "own backward pass does not hide");
}

TEST(RankLines, TellNoReasonWhereNoneWasTold) {
  EXPECT_THAT(lines_of(alone({1}, {{1, 1, 4e-3}, {2, 8, 4e-3}})).reasons, IsEmpty());
}

TEST(RankLines, Capitalized) {
  EXPECT_EQ(capitalized("pays"), "Pays");
  EXPECT_EQ(capitalized("\u00e9"), "\u00e9");
  EXPECT_EQ(capitalized(""), "");
}

}  // namespace
}  // namespace regatta::report
