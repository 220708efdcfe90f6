#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "report/export/export.hpp"
#include "report/full_results.hpp"
#include "report/rank_results.hpp"

namespace regatta::report {
namespace {

using testing_support::full_results;
using testing_support::ranks_made;

Json ranks_of(const results::Results& results) {
  return Json::parse(report::json(results, analysis::findings_of(results)))["ranks"];
}

TEST(RanksJson, GroupsHoldTheDocumentedKeys) {
  const auto results = ranks_made().results;
  const Json all = ranks_of(results);
  ASSERT_EQ(all.size(), 3U);
  const Json& group = all[0];
  std::vector<std::string> keys;
  for (const auto& [key, value] : group.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"where", "samples_a_rank", "known", "base", "pays_up_to", "stopped_by",
                                      "stopped_ratio", "held_back_by", "shards_cost", "cells", "answer", "reason"}));
  EXPECT_EQ(group["known"], "judged");
  EXPECT_EQ(group["base"], to_string(results.trials[0].hash));
  EXPECT_EQ(group["pays_up_to"], 4);
  EXPECT_EQ(group["stopped_by"], to_string(results.trials[4].hash));
  EXPECT_EQ(group["stopped_ratio"]["verdict"], "slower");
  EXPECT_EQ(group["held_back_by"], "exchange");
  EXPECT_EQ(all[2]["samples_a_rank"], 64);
}

TEST(RanksJson, CellsHoldWhatIsKnownAndNullElsewhere) {
  const auto results = ranks_made().results;
  const Json cells = ranks_of(results)[0]["cells"];
  ASSERT_EQ(cells.size(), 5U);
  EXPECT_TRUE(cells[0]["against_base"].is_null());
  EXPECT_TRUE(cells[0]["efficiency"].is_null());
  EXPECT_TRUE(cells[0]["exposed_exchange"].is_null());
  EXPECT_EQ(cells[4]["ranks"], 8);
  EXPECT_EQ(cells[4]["exposed_exchange"], analysis::findings_of(results).ranks[0].cells[4].exposed_seconds.value());
  EXPECT_NEAR(cells[4]["efficiency"]["value"].get<double>(), 0.278, 0.005);
  EXPECT_NEAR(cells[4]["exchange_off"]["ratio"].get<double>(), 0.347, 0.01);
}

TEST(RanksJson, IsEmptyWithoutRanks) { EXPECT_EQ(ranks_of(full_results()), Json::array()); }

}  // namespace
}  // namespace regatta::report
