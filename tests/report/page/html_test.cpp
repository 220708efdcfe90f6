#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "report/command_results.hpp"
#include "report/full_results.hpp"
#include "report/markup.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::full_results;
using testing_support::markup_problem;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

std::string page_of(const results::Results& results) { return html(results, analysis::findings_of(results)); }

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
       {"<script", "<link", "<img", "<iframe", "src=", "url(", "@import", "http:", "https:", "onload"}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
}

TEST(Html, ExplainsItsWordsInPlaceAndSaysWhereATableGoesOn) {
  const std::string page = page_of(full_results());
  for (const char* word : {"<dt>cell</dt>", "<dt>square</dt>", "<dt>resolution</dt>", "<dt>early</dt>",
                           "<dt>not known yet</dt>", "<dt>canary</dt>", "class=\"sideways\""})
    EXPECT_THAT(page, HasSubstr(word));
}

TEST(Html, FoldsEverythingBelowTheAnswerButFailures) {
  const std::string whole = page_of(full_results());
  EXPECT_THAT(whole, HasSubstr("<details class=\"part\"><summary><h2 id=\"trials\">"));
  EXPECT_THAT(whole, HasSubstr("<details class=\"part\"><summary><h2 id=\"open\">"));
  EXPECT_THAT(page_of(sample_results()), HasSubstr("<details class=\"part\" open><summary><h2 id=\"open\">"))
      << "a trial failed";
}

TEST(Html, ShowsTheFigureRightBelowTheAnswer) {
  const std::string page = page_of(full_results());
  const auto figure = page.find("<figure class=\"overview\">");
  ASSERT_NE(figure, std::string::npos);
  EXPECT_LT(figure, page.find("<details"));
  EXPECT_LT(figure, page.find("<div class=\"cards\">"));
}

TEST(Html, OfAStudyHasResultsOverTheAxesAndNoRanking) {
  const std::string page = page_of(testing_support::command_results());
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, HasSubstr("<h1>error is 0.5 K in all 4 trials that report it.</h1>"));
  EXPECT_THAT(page, HasSubstr("Results of the program, over the axes of the sweep."));
  EXPECT_THAT(page, Not(HasSubstr("is fastest"))) << "nothing is ranked by time";
}

TEST(Html, HasEveryPartForWhichThereIsData) {
  const std::string page = page_of(full_results());
  std::size_t last = 0;
  for (const char* part :
       {"<h1>", "<figure class=\"overview\">", "class=\"heat\"", "<div class=\"cards\">", "<p class=\"next\">",
        "<b>skipped</b> torch eager batch 1", "<summary>Each ratio as a sentence</summary>",
        "<b>Time per sample against batch</b>", "<b>Time since the process started",
        "<b>Every slice of each block in the order of time</b>", "<figure class=\"clones\">", "<h3>Checks</h3>",
        "Limits of these figures", "<dt>machine</dt>", "The sweep file: sweeps/sample.json", "All trials as CSV",
        "Everything as JSON"}) {
    const auto at = page.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
  EXPECT_EQ(markup_problem(page), "");
}

TEST(Html, HasNoPartWithoutData) {
  const std::string page = page_of(sample_results());
  for (const char* part : {"Cold start", "Identical code, measured twice", "with one thing changed"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
}

TEST(Html, NamesEveryDrawingOrLeavesItToTheWordsBesideIt) {
  const std::string page = page_of(full_results());
  int depth = 0;
  for (auto at = page.find("svg"); at != std::string::npos; at = page.find("svg", at + 1)) {
    if (page.compare(at - 2, 2, "</") == 0) --depth;
    if (page[at - 1] != '<') continue;
    const std::string tag = page.substr(at, page.find('>', at) - at);
    const bool is_named = tag.find("aria-hidden=\"true\"") != std::string::npos ||
                          tag.find("role=\"img\" aria-label=\"") != std::string::npos;
    const bool is_in_hidden_row = tag.find("class=\"plot\" height=\"20\"") != std::string::npos ||
                                  tag.find("class=\"strip\"") != std::string::npos;
    EXPECT_TRUE(depth > 0 || is_named || is_in_hidden_row) << tag;
    ++depth;
  }
  EXPECT_EQ(depth, 0);
}

TEST(Html, AnswersInItsHeading) {
  EXPECT_THAT(page_of(sample_results()), HasSubstr("<h1>native graph is fastest in both settings.</h1>"));
}

TEST(Html, DrawsRatiosAndTimes) {
  const std::string page = page_of(sample_results());
  EXPECT_THAT(page, HasSubstr("<figure class=\"overview\">"));
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
  results.provenance.sweep_json += evil;
  results.provenance.sweep_file = results.provenance.command_line = results.provenance.git_commit = evil;
  results.provenance.versions[evil] = evil;
  results.trials[5].outcome = sweep::Failed{sweep::FailureKind::reported, evil};
  results.trials[6].outcome = sweep::Skipped{evil};
  for (std::size_t i = 0; i < 3; ++i) results.trials[i].parameters[sweep::Param::model] = evil;
  const std::string page = page_of(results);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\u202e")));
  EXPECT_THAT(page, Not(HasSubstr("\xff")));
}

TEST(Html, LoadsAndRunsNothing) {
  EXPECT_THAT(page_of(sample_results()),
              HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"));
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
