#include "report/findings/pay_backs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using analysis::Pays;
using testing::ElementsAre;
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
    if (setting.steps > 0) {
      paid.pays = Pays::yes;
      paid.steps = {setting.steps, {setting.steps - 1, setting.steps + 1}};
    }
    paid.text = std::string(setting.model) + " " + std::to_string(setting.batch);
  }
  found = analysis::findings_of(made.results);
  found.effects.pay_backs = std::move(all);
  return pay_back_sentences(view_of(made.results, found));
}

TEST(PayBackSentences, TakeTheLargestBatch) {
  EXPECT_THAT(sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15}, {"mlp-10", 8, 63}}), ElementsAre("mlp-10 512"))
      << "neither the first nor the one that takes longest";
}

TEST(PayBackSentences, GiveTheRangeOverTheOtherSettings) {
  EXPECT_THAT(
      sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15}, {"mlp-784", 512, 267}}),
      ElementsAre("graph takes longer to start than eager at batch 512: over 2 settings it pays back after 15 to 267 "
                  "steps"));
  EXPECT_THAT(
      sentences_of({{"mlp-10", 512, 15}, {"mlp-784", 512, 267}, {"cnn", 512, 0}}),
      ElementsAre("graph takes longer to start than eager: over 3 settings it pays back after 15 to 267 steps in 2, it "
                  "is not known whether it pays back in 1"));
}

TEST(PayBackSentences, NeedSevenPairsOfProcesses) {
  EXPECT_THAT(sentences_of({{"mlp-10", 1, 2063}, {"mlp-10", 512, 15, false}}), IsEmpty());
  EXPECT_THAT(sentences_of({{"mlp-10", 512, 15, false}, {"mlp-784", 512, 267}}), ElementsAre("mlp-784 512"));
}

}  // namespace
}  // namespace regatta::report
