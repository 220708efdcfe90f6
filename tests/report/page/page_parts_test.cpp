#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::full_results;
using testing_support::markup_problem;
using testing_support::sample_results;

struct Full {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);
  [[nodiscard]] View view() const { return view_of(results, findings); }
};

TEST(ChecksList, HoldsWhatWasCheckedAndJudgesNothing) {
  const Full full;
  const std::string html = checks_list(full.view());
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("<li>the same code measured twice: "));
  EXPECT_THAT(html, HasSubstr("<li>All 9 trials were verified to do the same work</li>"));
  EXPECT_THAT(html, testing::Not(HasSubstr("passed")));
}

TEST(ChecksList, IsEmptyWithoutAComparison) {
  const results::Results results;
  const analysis::Findings findings;
  EXPECT_EQ(checks_list(view_of(results, findings)), "");
}

TEST(InputNotes, SayWhichStepsWaited) {
  Full full;
  EXPECT_EQ(input_notes(full.view()), "");
  sweep::set(full.results.trials[0].facts, sweep::Fact::input_bound_by, "<b>");
  const std::string html = input_notes(full.view());
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("native graph batch 1: waits 0.0 % of a step for batches, bound by &lt;b&gt;."));
}

TEST(MachineStrip, HasWhatAReaderMustKnowAndTheCommand) {
  const Full full;
  const std::string html = machine_strip(full.view());
  EXPECT_EQ(markup_problem(html), "");
  for (const char* part :
       {"Example CPU 9", "100 GFLOP/s a core (avx2)", "no other trial of this run", "numpy 1.24.2", "abc123",
        "2026-01-02T03:04:05Z", "<dt>seed</dt><dd>0</dd>", "regatta run sweeps/sample.json"})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(MachineStrip, NamesWhatRanBeside) {
  Full full;
  full.results.devices[0].flags = {stats::Flag::neighbours};
  EXPECT_THAT(machine_strip(full.view()), HasSubstr("<dt>beside it</dt><dd>neighbours</dd>"));
}

TEST(Method, IsNineLinesAndWhatItDoesNotSay) {
  const std::string html = method();
  EXPECT_EQ(markup_problem(html), "");
  const std::string lines = html.substr(0, html.find("</ol>"));
  std::size_t count = 0;
  for (auto at = lines.find("<li>"); at != std::string::npos; at = lines.find("<li>", at + 1)) ++count;
  EXPECT_EQ(count, 9U);
  EXPECT_THAT(html, HasSubstr("Limits of these figures"));
}

TEST(Files, HoldSweepEnvironmentCsvAndJson) {
  const Full full;
  const std::string html = files(full.view());
  EXPECT_EQ(markup_problem(html), "");
  for (const char* part :
       {"<summary>The sweep file: sweeps/sample.json</summary>", "<summary>The environment</summary>",
        "engine numpy: numpy 1.24.2", "<summary>All trials as CSV</summary>", "native,graph,1,finished",
        "<summary>Everything as JSON</summary>", "&quot;identical_code&quot;"})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(Files, SayHowToGetWhatIsTooLong) {
  Full full;
  while (full.results.trials.size() < 101) full.results.trials.push_back(full.results.trials.back());
  const std::string html = files(full.view());
  EXPECT_THAT(html, Not(HasSubstr("Everything as JSON")));
  EXPECT_THAT(html, HasSubstr("<code>regatta report FILE.h5 --json</code>"));
}

}  // namespace
}  // namespace regatta::report
