#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "report/findings.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using stats::Verdict;
using testing::EndsWith;
using testing::HasSubstr;
using testing_support::arm;
using testing_support::HandMade;
using testing_support::ResultsBuilder;

/// The sentence of the first pair of arms.
std::string sentence_of(const HandMade& made) {
  const analysis::Findings found = testing_support::findings_with(made.made.results, made.contrasts);
  const View view = view_of(made.made.results, found);
  return effect_sentence(view, view.effects.effects.at(0));
}

TEST(EffectSentence, GivesTheRangeAndTheGeometricMean) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 4, 1.1);
  EXPECT_EQ(sentence_of(made),
            "eager is 2.00x (batch 1) to 4.00x (batch 32) slower than graph over 2 settings; geometric mean 2.83x "
            "slower [2.64, 3.03]");
}

TEST(EffectSentence, OfOneSettingIsThatOfItsContrast) {
  HandMade made;
  made.contrast(1, 2, 1.1).confirmed = true;
  EXPECT_EQ(sentence_of(made), "eager is 2.00x slower [1.82, 2.20] than graph");
}

TEST(EffectSentence, CountsSettingsWithoutAnInterval) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 3, 1.1);
  made.contrasts.contrasts[1].low.reset();
  EXPECT_THAT(sentence_of(made), EndsWith("over 2 settings (1 without an interval)"));
}

TEST(EffectSentence, SaysWhyThereIsNoMean) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 4.1, 1.1);
  EXPECT_EQ(sentence_of(made),
            "eager is 2.00x (batch 1) to 4.10x (batch 32) slower than graph over 2 settings, too unlike for a mean");
}

TEST(EffectSentence, NamesAReversalInsteadOfAMean) {
  HandMade made;
  made.contrast(std::nullopt, 0.5, 1.1, 7, "mlp-10");
  made.contrast(std::nullopt, 2, 1.1, 7, "mlp-784");
  EXPECT_THAT(sentence_of(made), EndsWith("over 2 settings: faster at mlp-10, slower at mlp-784"));
}

TEST(EffectSentence, LeavesTheReversalToTheCrossover) {
  HandMade made;
  made.contrast(1, 0.5, 1.1);
  made.contrast(32, 2, 1.1);
  EXPECT_EQ(made.effects().crossings.size(), 1U);
  EXPECT_THAT(sentence_of(made), EndsWith("over 2 settings"));
}

TEST(EffectSentence, CountsFasterOnesFromTheLeastDifference) {
  HandMade made;
  made.contrast(1, 0.25, 1.1);
  made.contrast(32, 0.1, 1.1);
  EXPECT_EQ(sentence_of(made),
            "eager is 4.00x (batch 1) to 10.0x (batch 32) faster than graph over 2 settings, too unlike for a mean");
}

TEST(EffectSentence, SaysHowManySettingsARangeDoesNotKnow) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(8, 1.01, 1.05).verdict = Verdict::undecided;
  made.contrast(32, 4.1, 1.1);
  EXPECT_EQ(sentence_of(made),
            "eager is 2.00x (batch 1) to 4.10x (batch 32) slower than graph over 2 of 3 settings, 1 not known yet");
  made.contrasts.contrasts[0].verdict = Verdict::undecided;
  EXPECT_EQ(sentence_of(made), "eager is 4.10x (batch 32) slower than graph over 1 of 3 settings, 2 not known yet");
  made.contrasts.contrasts[2].verdict = Verdict::undecided;
  EXPECT_EQ(sentence_of(made), "eager against graph: not known yet in 3 settings");
}

TEST(CrossingSentence, NamesTheWinnerOnEachSide) {
  analysis::Crossing crossing;
  crossing.below = "eager";
  crossing.above = "graph";
  crossing.at = {4, {2, 8}};
  EXPECT_EQ(crossing_sentence(crossing), "eager wins below batch 4 [2, 8], graph above");
  crossing.at = {256, {128, 512}};
  crossing.where = "mlp-10";
  EXPECT_EQ(crossing_sentence(crossing), "eager wins below batch 256 [128, 512], graph above (mlp-10)");
}

/// graph and eager of native, then of torch: 2.00x slower with native, and with torch so many times as much.
std::string interaction_of(double ratio, double low, double high, const std::vector<std::int64_t>& batches = {1}) {
  ResultsBuilder made;
  analysis::Interaction found;
  for (const std::int64_t batch : batches) {
    std::size_t place = 0;
    for (const char* engine : {"native", "torch"})
      for (const char* mode : {"graph", "eager"}) found.arms.at(place++) = made.trial(arm(engine, mode, batch));
  }
  found.ratio_at_baseline = 2;
  found.ratio_at_other = 2 * ratio;
  found.ratio = ratio;
  found.low = low;
  found.high = high;
  const analysis::Findings findings = analysis::findings_of(made.results);
  return interaction_sentence(view_of(made.results, findings), found);
}

TEST(InteractionSentence, SaysWhereTheEffectIsBetter) {
  EXPECT_EQ(interaction_of(1.5, 1.5, 1.5),
            "eager against graph: 2.00x slower with native, 3.00x slower with torch; eager's effect is 1.50x [1.50, "
            "1.50] better with native than with torch");
  EXPECT_THAT(interaction_of(0.5, 0.5, 0.5), EndsWith("; eager's effect is 2.00x [2.00, 2.00] better with torch than "
                                                      "with native"));
  EXPECT_THAT(interaction_of(1.5, 1.5, 1.5, {1, 32}), EndsWith(" at batch 32"));
}

TEST(InteractionSentence, ClaimsNothingWhereBothMayBeTheSame) {
  EXPECT_THAT(interaction_of(1.01, 0.9, 1.1), HasSubstr("; these two may be the same"));
}

}  // namespace
}  // namespace regatta::report
