#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/report/report.hpp"
#include "report/markup.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::markup_problem;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

std::string page_of(const results::Results& results) { return html(results, analysis::contrasts(results)); }

TEST(Markup, CheckFindsWhatIsBroken) {
  EXPECT_EQ(markup_problem("<p>a<br>b</p>"), "");
  EXPECT_NE(markup_problem("<p><b>a</p></b>"), "");
  EXPECT_NE(markup_problem("<p>a < b</p>"), "");
  EXPECT_NE(markup_problem("<p>"), "");
}

TEST(Html, IsWellFormed) {
  EXPECT_EQ(markup_problem(page_of(sample_results())), "");
  EXPECT_EQ(markup_problem(page_of({})), "");
}

TEST(Html, NeedsNothingFromOutsideAndNoScript) {
  const std::string page = page_of(sample_results());
  for (const char* forbidden :
       {"<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "http", "onload"}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
}

TEST(Html, AnswersInItsFirstSentences) {
  const std::string page = page_of(sample_results());
  const auto first = page.find("<p class=\"headline\">");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, page.find("<dl>"));
  EXPECT_THAT(page.substr(first, 120), HasSubstr("numpy takes 30.0x the time of native graph: slower ["));
}

TEST(Html, DrawsRatiosAndTimes) {
  const std::string page = page_of(sample_results());
  EXPECT_THAT(page, HasSubstr("<figure class=\"forest\">"));
  EXPECT_THAT(page, HasSubstr("class=\"dot\""));
  EXPECT_THAT(page, HasSubstr("Time per sample against batch"));
}

TEST(Html, ListsWhatHasNoFigureWithReasonAndAdvice) {
  const std::string page = page_of(sample_results());
  EXPECT_THAT(page, HasSubstr("crashed: signal 11 (segmentation fault)"));
  EXPECT_THAT(page, HasSubstr("engine torch is not installed here"));
  EXPECT_THAT(page, HasSubstr("Next: "));
}

TEST(Html, EscapesHostileText) {
  const std::string evil = "</pre></title><script>alert(1)</script>\"'&\x1b[2J\xff\u202e";
  auto results = sample_results();
  results.name = evil;
  results.hosts[0].name = results.hosts[0].cpu_model = evil;
  results.envs[0].version = evil;
  results.blocks[0].flags = results.devices[0].flags = evil;
  results.provenance.sweep_json += evil;
  results.provenance.sweep_file = results.provenance.command_line = results.provenance.git_commit = evil;
  results.provenance.versions[evil] = evil;
  results.trials[5].outcome = sweep::Failed{sweep::FailureKind::reported, evil};
  results.trials[6].outcome = sweep::Skipped{evil};
  for (auto& trial : results.trials) trial.verified = evil;
  for (std::size_t i = 0; i < 3; ++i) results.trials[i].parameters[sweep::Param::model] = evil;
  const std::string page = page_of(results);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\u202e")));
  EXPECT_THAT(page, Not(HasSubstr("\xff")));
}

TEST(Html, HoldsTheSweepFile) { EXPECT_THAT(page_of(sample_results()), HasSubstr("&quot;regatta&quot;: 1,\n")); }

/// `blocks` blocks of a baseline and an eager arm; every tenth trial failed with a reason of its own.
results::Results many_trials(std::int64_t blocks) {
  ResultsBuilder made;
  made.results.axis_names = {"mode", "batch"};
  for (std::int64_t batch = 1; batch <= blocks; ++batch) {
    const auto baseline = made.trial(arm("native", "graph", batch));
    const auto other = made.trial(arm("native", "eager", batch));
    const auto block = made.block({baseline, other});
    if (batch % 5 == 0) {
      const std::string reason = std::string(3000, '<') + std::to_string(batch);
      made.results.trials.back().outcome = sweep::Failed{sweep::FailureKind::reported, reason};
      continue;
    }
    made.slices(block, baseline, {1, 1, 1});
    made.slices(block, other, {2, 2.1, 2});
    made.metrics(baseline, 1e-6, 1);
    made.metrics(other, 2e-6, 1);
  }
  made.results.provenance.sweep_json = std::string(3'000'000, '"');
  return made.results;
}

TEST(Html, StaysBelowTwoMegabytesForAHundredThousandTrials) {
  const std::string page = page_of(many_trials(50'000));
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, HasSubstr("more trials are in the result file"));
}

}  // namespace
}  // namespace regatta::report
