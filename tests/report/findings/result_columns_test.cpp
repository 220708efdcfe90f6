#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/results/told_results.hpp"
#include "report/findings/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using testing_support::full_results;

results::Results told_results() {
  results::Results results = full_results();
  results::TrialRow& row = results.trials.front();
  sweep::set(row.facts, sweep::Fact::results,
             sweep::ProgramResults{{"a", {"K", {0.00012345}}}, {"b", {"", {std::nan("")}}}});
  results::fill_results(row);
  return results;
}

TEST(ResultColumns, AreThoseThatSomeTrialTold) {
  const results::Results results = told_results();
  const analysis::Findings findings = analysis::findings_of(results);
  std::vector<std::string> headers;
  for (const ResultColumn& column : result_columns(view_of(results, findings))) headers.push_back(column.header);
  EXPECT_THAT(headers, ElementsAre("a [K]", "b"));
}

TEST(ResultColumns, SayWhatIsNoNumberAndWhatWasNotTold) {
  results::Results results = told_results();
  EXPECT_EQ(result_text(results.trials.front(), "a"), "0.0001234");
  EXPECT_EQ(result_text(results.trials.front(), "b"), "NaN");
  results.trials.front().metrics.erase("b");  // as a file gives it back
  EXPECT_EQ(result_text(results.trials.front(), "b"), "NaN");
  EXPECT_EQ(result_text(results.trials.front(), "c"), "–");
}

TEST(ResultColumns, RemarksNameTheirTrials) {
  const results::Results results = told_results();
  const analysis::Findings findings = analysis::findings_of(results);
  EXPECT_THAT(result_remarks(view_of(results, findings)),
              ElementsAre(StartsWith("results: b is NaN in 1 of 1 runs: ")));
}

}  // namespace
}  // namespace regatta::report
