#include "report/page/learning_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "report/full_results.hpp"
#include "report/markup.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

std::string trained_page_of(const results::Results& results) { return html(results, analysis::findings_of(results)); }

TEST(LearningPage, HasItsOwnPartsAndIsSound) {
  const std::string page = trained_page_of(trained({.configurations = 18, .quality = falling(0.95, 0.01)}));
  EXPECT_EQ(testing_support::markup_problem(page), "");
  for (const char* part : {"Finalists", "Validation accuracy during training.", "Stopped configurations",
                           "How it was trained and judged", "Best of 18 configurations: learning_rate 0.1"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* of_benchmarks : {"step, median", "take turns on the same cores", "<script", "contrasts_table"})
    EXPECT_THAT(page, Not(HasSubstr(of_benchmarks)));
}

TEST(LearningPage, IsSoundWhateverWasTrained) {
  const auto none = [](auto, auto, auto) { return std::nullopt; };
  const TrainedSweep all[] = {{.quality = falling(0.95, 0.004), .most_legs = 20},
                              {.configurations = 1, .searches = false, .quality = falling(0.95, 0)},
                              {.configurations = 4, .quality = none},
                              {.seeds = 3, .searches = false, .quality = falling(0.95, 0.1)},
                              {.searches = false, .metric = "validation_loss", .quality = falling(0.5, 0.01)},
                              {.searches = false, .metric = "validation_loss", .quality = falling(-0.5, 0.01)}};
  for (const TrainedSweep& made : all) {
    const std::string page = trained_page_of(trained(made));
    EXPECT_EQ(testing_support::markup_problem(page), "") << made.metric;
    EXPECT_THAT(page, Not(HasSubstr("\"nan")));
    EXPECT_THAT(page, Not(HasSubstr("nan,")));
  }
}

TEST(LearningPage, HasATableOfAllClocksWhereThereIsATarget) {
  const auto results = trained({.configurations = 3, .searches = false, .quality = falling(0.95, 0.1)});
  EXPECT_THAT(trained_page_of(results), Not(HasSubstr("Time to the target")));
  const std::string page = trained_page_of(testing_support::with_target(results, 0.8));
  EXPECT_EQ(testing_support::markup_problem(page), "");
  for (const char* part : {"Time to the target", "with start [95 %]", "native 1.50 s (1 process)", "12 of 12",
                           "0 of 12", "with evaluations, preparation and a cold start"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(LearningPage, IsGreyOnlyWhereSomethingIsShown) {
  const auto rows = [](double step) {
    const auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.95, step)});
    const auto findings = analysis::findings_of(results);
    const View view = view_of(results, findings);
    return ranking_html(view) + trade_offs_html(view);
  };
  EXPECT_THAT(rows(0.05), HasSubstr("<tr class=\"grey\">"));
  EXPECT_THAT(rows(0), Not(HasSubstr("<tr class=\"grey\">")));
}

TEST(LearningPage, LeavesPagesOfBenchmarksAlone) {
  EXPECT_THAT(trained_page_of(testing_support::full_results()), Not(HasSubstr(".trace")));
}

}  // namespace
}  // namespace regatta::report
