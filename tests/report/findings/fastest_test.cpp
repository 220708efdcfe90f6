#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "report/findings.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing_support::findings_with;
using testing_support::HandMade;

std::vector<std::string> sentences_of(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::vector<std::string> texts;
  for (const FastestSentence& each : fastest_sentences(view_of(results, findings_with(results, contrasts))))
    texts.push_back(one_line({each.answer, each.remark}));
  return texts;
}

std::vector<std::string> sentences_of(const HandMade& made) { return sentences_of(made.made.results, made.contrasts); }

TEST(FastestSentences, NameASet) {
  HandMade made;
  made.cell(0.995, Verdict::same);
  made.cell(2);
  EXPECT_THAT(sentences_of(made), ElementsAre("engine@1 and native are fastest; no difference between them is known."));
}

TEST(FastestSentences, CallNothingNotToldApartThatLiesFarAbove) {
  HandMade made;
  made.cell(0.995, Verdict::same);
  made.cell(131, Verdict::undecided);  // though its interval is clear
  EXPECT_THAT(
      sentences_of(made),
      ElementsAre(
          "engine@1 and native are fastest; no difference between them is known. The whole interval of engine@2 "
          "says slower, but that is not decided yet."));
}

TEST(FastestSentences, AreNoneOfTwoCellsWhoseRatioSaysIt) {
  HandMade made;
  made.cell(2);
  EXPECT_THAT(sentences_of(made), ElementsAre());
}

TEST(FastestSentences, StandOnceForAllSettingsInWhichTheyHold) {
  const auto results = testing_support::full_results();
  EXPECT_THAT(sentences_of(results, analysis::contrasts(results)),
              ElementsAre("native graph is fastest in 2 of 3 settings.", "numpy is fastest at batch 2048."));
}

TEST(FastestSentences, SayWhetherTheFiguresAreThoseThatTheyWereChosenBy) {
  HandMade made;
  for (const double ratio : {2.0, 3.0, 4.0, 5.0, 6.0}) made.cell(ratio);
  EXPECT_THAT(
      sentences_of(made),
      ElementsAre("native is fastest. The best of many looks better than it is: --rerun fastest measures it afresh."));
  for (std::size_t i = 0; i < 4; ++i) made.made.results.blocks[i].measured_again = true;
  EXPECT_THAT(sentences_of(made),
              ElementsAre("native is fastest. The best were measured again after they were chosen."));
}

TEST(FastestSentences, NameWhatMayBeTheFastestAndWasNotMeasuredAgain) {
  HandMade made;
  for (const double ratio : {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}) made.cell(ratio, Verdict::same);
  for (std::size_t i = 0; i < 4; ++i) made.made.results.blocks[i].measured_again = true;
  EXPECT_THAT(sentences_of(made),
              ElementsAre("No difference between native, engine@1, engine@2, engine@3, engine@4 and 2 more is known. "
                          "The best were measured again after they were chosen, but not engine@5, engine@6."));
}

}  // namespace
}  // namespace regatta::report
