#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "regatta/report/sessions.hpp"
#include "report/two_sessions.hpp"

namespace regatta::report {
namespace {

using nlohmann::json;
using testing_support::TwoSessions;

json sessions_document(const TwoSessions& two) {
  return json::parse(json_sessions(two.before, two.after, two.compared));
}

TEST(SessionsJson, HoldsTheDocumentedKeys) {
  const json found = sessions_document({});
  for (const char* key : {"old", "new", "headline", "regressed", "across", "all_same_version", "pair_floor",
                          "same_code", "cells", "not_compared", "only_old", "only_new", "notes"}) {
    EXPECT_TRUE(found.contains(key)) << key;
  }
  ASSERT_EQ(found["cells"].size(), 3U);
  for (const auto& cell : found["cells"]) {
    for (const char* key :
         {"id",          "label",     "parameters", "old_value",     "new_value",          "ratio",
          "low",         "high",      "verdict",    "judged",        "same_code",          "old_version",
          "new_version", "verified",  "margin",     "session_floor", "session_floor_from", "indifference",
          "p_value",     "old_units", "new_units",  "old_processes", "new_processes",      "flags",
          "text"}) {
      EXPECT_TRUE(cell.contains(key)) << key;
    }
  }
}

TEST(SessionsJson, FiguresAreThoseOfTheSessions) {
  const json found = sessions_document({});
  const json& numpy = found["cells"][2];
  EXPECT_NEAR(numpy["ratio"].get<double>(), 0.8, 1e-9);
  EXPECT_NEAR(numpy["old_value"].get<double>(), 60e-6, 1e-12);
  EXPECT_EQ(numpy["verdict"], "faster");
  EXPECT_EQ(numpy["judged"], true);
  EXPECT_EQ(numpy["new_version"], "1.26");
  EXPECT_EQ(numpy["parameters"]["engine"], "numpy");
  EXPECT_EQ(found["same_code"], json({{"same", 1}, {"undecided", 0}, {"false", 1}}));
  EXPECT_EQ(found["regressed"], false);
  EXPECT_EQ(found["only_old"][0]["label"], "native graph batch 8");
  EXPECT_EQ(found["only_new"][0]["label"], "native graph batch 16");
  EXPECT_EQ(found["new"]["created"], "2026-01-09T03:04:05Z");
}

TEST(SessionsJson, WhatIsNotKnownIsNull) {
  TwoSessions two;
  std::erase_if(two.after.samples, [](const auto& row) { return row.sample.square > 5; });
  two.compared = analysis::compare_sessions(two.before, two.after);
  EXPECT_EQ(sessions_document(two)["cells"][0]["low"], nullptr);
  EXPECT_EQ(sessions_document(two)["pair_floor"], nullptr);
}

}  // namespace
}  // namespace regatta::report
