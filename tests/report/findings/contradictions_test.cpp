#include "report/findings/contradictions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "regatta/report/report.hpp"
#include "regatta/stats/disturbance_flags.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::full_results;

/// All comparisons of the results, of which the first one is planted.
struct Planted {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  /// Slower by this ratio, beside a clone of its baseline that nothing tells apart.
  analysis::Contrast& slower(double ratio) {
    analysis::Contrast& contrast = findings.contrasts.contrasts[0];
    contrast.ratio = ratio;
    contrast.low = ratio * 0.999;
    contrast.high = ratio * 1.001;
    contrast.verdict = Verdict::slower;
    return contrast;
  }

  [[nodiscard]] std::vector<Contradicted> kinds() const {
    std::vector<Contradicted> found;
    for (const Contradiction& each : contradictions_of(view_of(results, findings))) found.push_back(each.kind);
    return found;
  }
  [[nodiscard]] std::vector<std::string> sentences() const {
    return contradiction_sentences(view_of(results, findings));
  }
};

TEST(Contradictions, OfACleanReportAreNone) {
  const Planted clean;
  EXPECT_THAT(clean.kinds(), IsEmpty());
  EXPECT_THAT(clean.sentences(), IsEmpty());
  EXPECT_THAT(contradictions(clean.results, clean.findings), testing::Each(""));
}

TEST(Contradictions, ACloneThatDiffersByMoreThanAThirdOfTheDifference) {
  Planted planted;
  planted.slower(1.03);
  analysis::CloneCheck& clone = planted.findings.contrasts.clones.at(0);
  clone.ratio = 1.02, clone.low = 1.015, clone.high = 1.025;
  clone.verdict = Verdict::slower;
  EXPECT_THAT(planted.kinds(), ElementsAre(Contradicted::by_clone));
  EXPECT_THAT(planted.sentences(), ElementsAre("Do not believe native eager batch 1: the same code measured twice "
                                               "differed by 2 %, which is more than a third of this difference"));
  clone.ratio = 1 / 1.02;
  EXPECT_THAT(planted.kinds(), ElementsAre(Contradicted::by_clone)) << "in either direction";
  planted.slower(1.07);
  EXPECT_THAT(planted.kinds(), IsEmpty()) << "a difference that is three times as large";
  planted.slower(1.03);
  clone.verdict = Verdict::undecided;
  EXPECT_THAT(planted.kinds(), IsEmpty()) << "a clone that was not told apart";
  clone.verdict = Verdict::slower;
  for (analysis::Contrast& each : planted.findings.contrasts.contrasts) each.verdict = Verdict::undecided;
  EXPECT_THAT(planted.kinds(), IsEmpty()) << "what is not known yet claims nothing";
}

TEST(Contradictions, ACloneSpeaksForProcessesOfItsKindAlone) {
  Planted planted;
  planted.slower(1.03);
  analysis::CloneCheck& clone = planted.findings.contrasts.clones.at(0);
  clone.ratio = 1.02;
  clone.verdict = Verdict::slower;
  clone.trial = TrialIndex{2};  // numpy
  EXPECT_THAT(planted.kinds(), IsEmpty());
}

TEST(Contradictions, AVerdictThatUndisturbedSlicesTurn) {
  Planted planted;
  analysis::Contrast& contrast = planted.slower(1.2);
  contrast.undisturbed = analysis::Contrast::Undisturbed{1.0, 0.995, 1.005, 5, Verdict::same};
  EXPECT_THAT(planted.kinds(), ElementsAre(Contradicted::by_undisturbed));
  EXPECT_THAT(planted.sentences(),
              ElementsAre("Do not believe native eager batch 1: without the disturbed slices its verdict is same"));
  contrast.undisturbed->verdict = Verdict::slower;
  contrast.undisturbed->ratio = 1.1;
  EXPECT_THAT(planted.kinds(), IsEmpty()) << "another figure, but no other verdict";
}

/// Flags so many slices of a trial as throttled.
void throttle(results::Results& results, TrialIndex trial, std::size_t slices) {
  std::vector<std::pair<BlockIndex, std::uint32_t>> seen;
  for (results::SampleRow& row : results.samples) {
    if (row.trial != trial || row.sample.phase != stats::Phase::steady) continue;
    const std::pair slice{row.block, row.sample.slice};
    if (seen.empty() || seen.back() != slice) seen.push_back(slice);
    if (seen.size() <= slices) row.sample.flags |= stats::throttled;
  }
}

TEST(Contradictions, AnArmThatAloneRanThrottled) {
  Planted planted;
  const analysis::Contrast& contrast = planted.findings.contrasts.contrasts[0];
  ASSERT_NE(contrast.verdict, Verdict::undecided);
  throttle(planted.results, contrast.a, 12);  // slices of 32
  EXPECT_THAT(planted.kinds(), ElementsAre(Contradicted::by_throttling));
  EXPECT_THAT(planted.sentences(), ElementsAre("Do not believe native eager batch 1: native eager ran throttled in 38 "
                                               "% of its slices, native graph in 0 %"));
  throttle(planted.results, contrast.b, 24);  // slices of 64: a clone's slices are its baseline's
  const auto of_first = [&] { return contradictions(planted.results, planted.findings).at(0); };
  EXPECT_EQ(of_first(), "") << "both alike";
}

TEST(Contradictions, APlaceInTheRoundThatMattersHalfAsMuchAsTheDifference) {
  Planted planted;
  analysis::Contrast& contrast = planted.slower(1.04);
  contrast.position_effect = std::log(1.021);
  EXPECT_THAT(planted.kinds(), ElementsAre(Contradicted::by_position));
  EXPECT_THAT(planted.sentences(), ElementsAre("Do not believe native eager batch 1: the place in the round changes "
                                               "times by 2.1 %, which is half of this difference or more"));
  contrast.position_effect = std::log(1.015);
  EXPECT_THAT(planted.kinds(), IsEmpty());
  contrast.position_effect = std::log(1.021);
  contrast.verdict = Verdict::same;
  EXPECT_THAT(planted.kinds(), IsEmpty()) << "no difference";
}

TEST(Contradictions, OfOneReasonAreOneSentence) {
  Planted planted;
  for (const std::size_t at : {0U, 1U}) {
    analysis::Contrast& contrast = planted.findings.contrasts.contrasts[at];
    contrast.verdict = Verdict::slower;
    contrast.undisturbed = analysis::Contrast::Undisturbed{1.0, 0.995, 1.005, 5, Verdict::same};
  }
  EXPECT_THAT(planted.sentences(), ElementsAre("Do not believe native eager batch 1 and numpy batch 1: without the "
                                               "disturbed slices its verdict is same"));
}

TEST(Contradictions, AreTheOnlyThingInRedThatAPageSaysOfVerdicts) {
  Planted planted;
  EXPECT_THAT(html(planted.results, planted.findings), testing::Not(HasSubstr("class=\"finding bad\"")));
  planted.slower(1.2).undisturbed = analysis::Contrast::Undisturbed{1.0, 0.995, 1.005, 5, Verdict::same};
  EXPECT_THAT(html(planted.results, planted.findings),
              HasSubstr("<p class=\"finding bad\">Do not believe native eager batch 1: "));
}

TEST(Contradictions, HaveANameForEachKind) {
  EXPECT_EQ(contradiction_name(Contradicted::by_clone), "clone");
  EXPECT_EQ(contradiction_name(Contradicted::by_undisturbed), "undisturbed");
  EXPECT_EQ(contradiction_name(Contradicted::by_throttling), "throttling");
  EXPECT_EQ(contradiction_name(Contradicted::by_position), "position");
}

}  // namespace
}  // namespace regatta::report
