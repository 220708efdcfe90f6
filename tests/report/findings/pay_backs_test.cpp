#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using analysis::Pays;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::Values;

struct Setting {
  const char* model;
  std::int64_t batch;
  double steps;  ///< 0: not known
  bool has_interval = true;
};

/// graph against eager in each of them.
std::vector<std::string> sentences_of(const std::vector<Setting>& settings) {
  ResultsBuilder made;
  analysis::Findings found;
  std::vector<analysis::PayBack> all;
  for (const Setting& setting : settings) {
    const auto trial = [&](const char* mode) {
      Values values = arm("native", mode, setting.batch);
      values[1].second = std::string(setting.model);
      return made.trial(values);
    };
    analysis::PayBack& paid = all.emplace_back();
    paid.starter = trial("graph");
    paid.other = trial("eager");
    made.block({paid.other, paid.starter});
    paid.has_interval = setting.has_interval;
    paid.starter_start = {1, {}};
    paid.other_start = {0.2, {}};
    if (setting.steps > 0) {
      paid.pays = Pays::yes;
      paid.steps = {setting.steps, {setting.steps - 1, setting.steps + 1}};
    }
  }
  found = analysis::findings_of(made.results);
  found.effects.pay_backs = std::move(all);
  return pay_back_sentences(view_of(made.results, found));
}

/// graph against eager at the only setting.
std::string sentence_of(const analysis::PayBack& paid) {
  ResultsBuilder made;
  for (const char* mode : {"graph", "eager"}) made.trial(arm("native", mode, 1));
  const analysis::Findings found = analysis::findings_of(made.results);
  return pay_back_sentence(view_of(made.results, found), paid);
}

/// graph starts in 1 s and has paid that back after 800 steps.
analysis::PayBack paid_back() {
  analysis::PayBack paid;
  paid.starter = TrialIndex{0};
  paid.other = TrialIndex{1};
  paid.pays = Pays::yes;
  paid.starter_start = {1, {}};
  paid.other_start = {0.2, {}};
  paid.processes = 7;
  paid.has_interval = true;
  paid.steps = {800, {666.7, 1000}};
  return paid;
}

TEST(PayBackSentence, GivesTheStartsAndTheSteps) {
  analysis::PayBack paid = paid_back();
  EXPECT_EQ(sentence_of(paid),
            "graph takes 800 ms longer to start than eager and catches up after 800 steps [667, 1000]");
  paid.steps = {8000, {4000, std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(sentence_of(paid), EndsWith("catches up after 8000 steps, or later: at least 4000"));
  paid = paid_back();
  paid.has_interval = false;
  paid.processes = 3;
  EXPECT_THAT(sentence_of(paid), EndsWith("catches up after 800 steps (n = 3, no interval)"));
}

TEST(PayBackSentence, SaysThatItNeverPaysOrIsNotKnown) {
  analysis::PayBack paid = paid_back();
  paid.steps.reset();
  paid.pays = Pays::never;
  EXPECT_EQ(sentence_of(paid),
            "graph takes 800 ms longer to start than eager and never catches up, because its steps are no faster");
  paid.pays = Pays::unknown;
  EXPECT_EQ(sentence_of(paid), "graph takes 800 ms longer to start than eager; whether it catches up is not known yet");
}

TEST(PayBackSentence, TellsWarmCachesFromCold) {
  analysis::PayBack paid = paid_back();
  paid.is_warm = true;
  paid.cold = analysis::PayBack::Cold{20.75, 0.2, 20550};
  EXPECT_THAT(sentence_of(paid),
              HasSubstr("longer to start than eager with warm compile caches and catches up after 800"));
  EXPECT_THAT(sentence_of(paid),
              EndsWith(". With empty compile caches (20.8 s against 200 ms) it catches up after 20550 steps"));
  paid.cold->steps.reset();
  EXPECT_THAT(sentence_of(paid), EndsWith("(20.8 s against 200 ms) this is not known yet"));
  paid.pays = Pays::never;
  EXPECT_THAT(sentence_of(paid), EndsWith("(20.8 s against 200 ms) it never catches up"));
}

TEST(PayBackSentences, TakeTheLargestBatch) {
  EXPECT_THAT(sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15}, {"mlp-10", 8, 63}}),
              ElementsAre(HasSubstr(" at batch 512 and catches up after 15 steps")))
      << "neither the first nor the one that takes longest";
}

TEST(PayBackSentences, GiveTheRangeOverTheOtherSettings) {
  EXPECT_THAT(
      sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15}, {"mlp-784", 512, 267}}),
      ElementsAre("graph takes longer to start than eager at batch 512: over 2 settings it catches up after 15 to "
                  "267 steps"));
  EXPECT_THAT(
      sentences_of({{"mlp-10", 512, 15}, {"mlp-784", 512, 267}, {"cnn", 512, 0}}),
      ElementsAre("graph takes longer to start than eager: over 3 settings it catches up after 15 to 267 steps in 2, "
                  "whether it catches up is not known yet in 1"));
}

TEST(PayBackSentences, NeedSevenPairsOfProcesses) {
  EXPECT_THAT(sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15, false}}), IsEmpty());
  EXPECT_THAT(sentences_of({{"mlp-10", 512, 15, false}, {"mlp-784", 512, 267}}), ElementsAre(HasSubstr(" at mlp-784")));
}

}  // namespace
}  // namespace regatta::report
