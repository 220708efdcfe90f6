#include "report/findings/exchange_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing_support::full_results;

std::vector<std::string> exchange_lines_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return exchange_lines(view_of(results, findings));
}

TEST(ExchangeLines, TellTheShareOfAStepWhereSeveralRanksTookIt) {
  results::Results results = full_results();
  EXPECT_THAT(exchange_lines_of(results), ElementsAre());
  results.trials[0].metrics["step_time_mean"] = 4e-3;
  results.trials[0].metrics["exposed_exchange"] = 0.5e-3;
  results.trials[1].metrics["step_time_mean"] = 4e-3;
  results.trials[1].metrics["exposed_exchange"] = 0.1e-3;
  results.trials[1].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_THAT(exchange_lines_of(results),
              ElementsAre("native graph batch 1: 12 % of a step passes between its own backward pass and the sums of "
                          "all ranks"));
}

}  // namespace
}  // namespace regatta::report
