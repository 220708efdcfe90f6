#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::full_results;
using testing_support::sample_results;

std::string map_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return heat_map(view_of(results, findings));
}

TEST(HeatMap, HasARowForEachArmAndAColumnForEachLevel) {
  const std::string map = map_of(full_results());
  EXPECT_EQ(testing_support::markup_problem(map), "");
  EXPECT_THAT(map, HasSubstr("<th scope=\"col\">batch</th><th scope=\"col\" class=\"n\">1</th>"));
  EXPECT_THAT(map, HasSubstr("<th scope=\"row\">numpy</th>"));
  EXPECT_THAT(map, Not(HasSubstr("<th scope=\"row\">native graph</th>")));  // what the others are compared with
}

TEST(HeatMap, TellsFasterSlowerUndecidedAndSkippedApartInWordsAndPattern) {
  const std::string map = map_of(full_results());
  EXPECT_THAT(map, HasSubstr("<td class=\"n w3\">30."));                // numpy at batch 1
  EXPECT_THAT(map, HasSubstr("<td class=\"n f2\">2.00x faster</td>"));  // numpy at batch 2048
  EXPECT_THAT(map, HasSubstr("<td class=\"n hatched\">"));              // eager at batch 2048
  EXPECT_THAT(map, HasSubstr("not known yet</td>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"n crossed\">skipped</td>"));
}

TEST(HeatMap, NeedsTwoOfBothFactors) {
  auto results = full_results();
  EXPECT_NE(map_of(results), "");
  for (auto& trial : results.trials) trial.parameters[sweep::Param::batch] = std::int64_t{1};
  EXPECT_EQ(map_of(results), "");
  EXPECT_EQ(map_of({}), "");
}

}  // namespace
}  // namespace regatta::report
