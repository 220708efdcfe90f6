#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/export/export.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::full_results;

std::string csv_of(const results::Results& results, std::size_t most = 100) {
  const auto findings = analysis::findings_of(results);
  return trials_csv(view_of(results, findings), most);
}

TEST(Csv, HasALineForEachTrialWithItsRatio) {
  const std::string csv = csv_of(full_results());
  EXPECT_THAT(csv, StartsWith("engine,mode,batch,status,verified,step_time,"));
  EXPECT_THAT(csv, HasSubstr("\nnative,graph,1,finished,yes,2e-06,"));
  EXPECT_THAT(csv, HasSubstr(",1,,,baseline\n"));
  EXPECT_THAT(csv, HasSubstr("\nnumpy,,1,finished,yes,6e-05,"));
  EXPECT_THAT(csv, HasSubstr("\ntorch,eager,1,skipped,unchecked,,,,,,,,,,,,\n"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 11);
}

TEST(Csv, EveryLineHasAsManyFields) {
  const std::string csv = csv_of(full_results());
  std::size_t at = 0;
  const auto commas = std::ranges::count(csv.substr(0, csv.find('\n')), ',');
  for (auto end = csv.find('\n'); end != std::string::npos; at = end + 1, end = csv.find('\n', at))
    EXPECT_EQ(std::ranges::count(csv.substr(at, end - at), ','), commas) << csv.substr(at, end - at);
}

TEST(Csv, QuotesWhatHoldsACommaAQuoteOrALine) {
  auto results = full_results();
  results.trials[0].parameters[sweep::Param::mode] = std::string("a,b \"c\"\nd");
  EXPECT_THAT(csv_of(results), HasSubstr(",\"a,b \"\"c\"\"\nd\","));
}

TEST(Csv, KeepsItsLimit) {
  const std::string csv = csv_of(full_results(), 2);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
}

}  // namespace
}  // namespace regatta::report
