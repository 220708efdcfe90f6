#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using nlohmann::json;
using testing_support::full_results;
using testing_support::sample_results;

json document(const results::Results& results) {
  const std::string text = report::json(results, analysis::findings_of(results));
  EXPECT_EQ(text.back(), '\n');
  return json::parse(text);
}

TEST(Json, TrialsHoldTheDocumentedKeys) {
  const json report = document(sample_results());
  ASSERT_EQ(report.at("trials").size(), 7U);
  for (const auto& trial : report.at("trials")) {
    for (const char* key : {"engine",
                            "mode",
                            "model",
                            "batch",
                            "length",
                            "status",
                            "reason",
                            "verified",
                            "kernels",
                            "step_time",
                            "step_time_mean",
                            "latency_p50",
                            "latency_p95",
                            "latency_p95_low",
                            "no_latency_p99",
                            "calls",
                            "samples_per_second",
                            "cold_start",
                            "start_time",
                            "prepare_time",
                            "first_step",
                            "peak_memory"}) {
      EXPECT_TRUE(trial.contains(key)) << key;
    }
  }
  EXPECT_EQ(report["axes"], json({"engine", "mode", "model", "batch"}));
  EXPECT_EQ(report["metric"]["name"], "time_per_sample");
  EXPECT_EQ(report["metric"]["unit"], "s");
  EXPECT_EQ(report["metric"]["better"], "lower");
}

TEST(Json, ContrastsHoldTheDocumentedKeys) {
  const json report = document(sample_results());
  ASSERT_EQ(report.at("contrasts").size(), 3U);
  for (const auto& contrast : report.at("contrasts")) {
    for (const char* key :
         {"a", "b", "ratio", "low", "high", "speedup", "verdict", "verified", "blocks", "processes", "margin",
          "confirmed", "resolution", "outlook", "flags", "why_stopped", "text", "metric", "unit"}) {
      EXPECT_TRUE(contrast.contains(key)) << key;
    }
    EXPECT_EQ(contrast["b"]["mode"], "graph");
    EXPECT_TRUE(contrast["a"].contains("batch"));
  }
}

TEST(Json, GivesRatiosWithoutDisturbedSlicesToo) {
  auto results = sample_results();
  for (auto& row : results.samples) row.sample.flags = row.sample.square == 0 ? 1 : 0;
  const auto contrast = document(results)["contrasts"][0];
  EXPECT_EQ(contrast["undisturbed"]["squares"], 6);
  EXPECT_NEAR(contrast["undisturbed"]["ratio"], contrast["ratio"], 0.02);
  EXPECT_LT(contrast["undisturbed"]["low"], contrast["undisturbed"]["ratio"]);
  EXPECT_EQ(contrast["undisturbed"]["verdict"], "slower");
  EXPECT_EQ(document(sample_results())["contrasts"][0]["undisturbed"], nullptr);
}

TEST(Json, SaysWhatEachComparisonCouldHaveTold) {
  const auto results = full_results();
  auto findings = analysis::findings_of(results);
  auto& contrast = findings.contrasts.contrasts.at(0);
  contrast.resolution = 0.05;
  contrast.outlook = analysis::Contrast::Outlook{0.02, 3, 40};
  contrast.confirmed = true;
  auto found = json::parse(report::json(results, findings));
  EXPECT_EQ(found["contrasts"][0]["resolution"], 0.05);
  EXPECT_EQ(found["contrasts"][0]["confirmed"], true);
  EXPECT_EQ(found["contrasts"][0]["outlook"], json({{"target", 0.02}, {"pairs", 3}, {"seconds", 40.0}}));
  EXPECT_THAT(found["resolution"].get<std::string>(), testing::StartsWith("This run can tell differences of "));
  contrast.outlook->more_pairs = 0;
  found = json::parse(report::json(results, findings));
  EXPECT_EQ(found["contrasts"][0]["outlook"], json({{"target", 0.02}, {"pairs", nullptr}, {"seconds", nullptr}}));
}

TEST(Json, ListsVerdictsThatACheckContradicts) {
  const auto results = full_results();
  auto findings = analysis::findings_of(results);
  EXPECT_EQ(json::parse(report::json(results, findings))["contradictions"], json::array());
  auto& contrast = findings.contrasts.contrasts.at(0);
  contrast.verdict = stats::Verdict::slower;
  contrast.undisturbed = analysis::Contrast::Undisturbed{1.0, 0.995, 1.005, 5, stats::Verdict::same};
  const auto found = json::parse(report::json(results, findings))["contradictions"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["kind"], "undisturbed");
  EXPECT_EQ(found[0]["a"]["mode"], "eager");
  EXPECT_EQ(found[0]["why"], "without the disturbed slices its verdict is same");
}

TEST(Json, FiguresAreThoseOfTheResults) {
  const json report = document(sample_results());
  const auto& trial = report["trials"][1];
  EXPECT_EQ(trial["engine"], "native");
  EXPECT_EQ(trial["batch"], 1);
  EXPECT_DOUBLE_EQ(trial["step_time"], 4e-6);
  EXPECT_DOUBLE_EQ(trial["latency_p95"], 5e-6);
  EXPECT_EQ(trial["no_latency_p95"], nullptr);
  EXPECT_EQ(trial["latency_p99"], nullptr);
  EXPECT_EQ(trial["no_latency_p99"], "its calls lie in 18 slices (20 are needed)");
  const auto& contrast = report["contrasts"][0];
  EXPECT_NEAR(contrast["ratio"], 2, 0.02);
  EXPECT_DOUBLE_EQ(contrast["speedup"].get<double>() * contrast["ratio"].get<double>(), 1);
  EXPECT_LT(contrast["low"], contrast["ratio"]);
  EXPECT_GT(contrast["high"], contrast["ratio"]);
  EXPECT_EQ(contrast["blocks"], 7);
}

TEST(Json, WhatIsNotKnownIsNull) {
  auto results = sample_results();
  results.trials[0].metrics["first_step"] = std::numeric_limits<double>::infinity();
  sweep::set(results.trials[1].facts, sweep::Fact::kernels, "avx2");
  const json report = document(results);
  EXPECT_EQ(report["trials"][0]["first_step"], nullptr);
  EXPECT_EQ(report["trials"][0]["reason"], nullptr);
  EXPECT_EQ(report["trials"][0]["kernels"], nullptr);
  EXPECT_EQ(report["trials"][1]["kernels"], "avx2");
  EXPECT_EQ(report["trials"][2]["mode"], nullptr);
  EXPECT_EQ(report["trials"][5]["step_time"], nullptr);
}

TEST(Json, EndsAreNamedWithTheirReasons) {
  const json report = document(sample_results());
  EXPECT_EQ(report["trials"][5]["status"], "failed");
  EXPECT_EQ(report["trials"][5]["reason"], "crashed: signal 11 (segmentation fault)");
  EXPECT_EQ(report["trials"][6]["status"], "skipped");
  EXPECT_EQ(report["no_contrasts"][1]["reason"], "skipped: engine torch is not installed here");
}

TEST(Json, IsValidWhateverAnEngineWrote) {
  auto results = sample_results();
  results.trials[5].outcome = sweep::Failed{sweep::FailureKind::reported, "\xff\"\\\n\x01"};
  EXPECT_EQ(document(results)["trials"][5]["reason"], "reported: \ufffd\"\\\n\x01");
}

TEST(Json, ContrastIsVerifiedOnlyIfBothArmsAre) {
  auto results = sample_results();
  results.trials[0].verified = sweep::Verified::yes;
  EXPECT_EQ(document(results)["contrasts"][0]["verified"], "unchecked");
  results.trials[1].verified = sweep::Verified::yes;
  EXPECT_EQ(document(results)["contrasts"][0]["verified"], "yes");
}

TEST(Json, ContrastOfArmsThatDoOtherWorkIsRefused) {
  auto results = sample_results();
  results.trials[1].verified = sweep::Verified::no;
  sweep::set(results.trials[1].facts, sweep::Fact::verified_detail, "losses differ");
  const json report = document(results);
  EXPECT_EQ(report["contrasts"].size(), 2U);
  EXPECT_EQ(report["no_contrasts"][0]["reason"],
            "not compared: native eager batch 1 does not do the same work (losses differ)");
}

TEST(Json, EffectsHoldTheDocumentedKeys) {
  const json report = document(sample_results());
  ASSERT_EQ(report.at("effects").size(), 2U);
  for (const auto& effect : report["effects"]) {
    for (const char* key : {"a", "b", "settings", "least", "least_at", "most", "most_at", "faster_at", "slower_at",
                            "mean", "low", "high", "text"}) {
      EXPECT_TRUE(effect.contains(key)) << key;
    }
  }
  EXPECT_EQ(report["effects"][0]["a"], "numpy");
  EXPECT_EQ(report["effects"][0]["mean"], nullptr) << "one setting";
  EXPECT_EQ(report["effects"][1]["slower_at"], json({"batch 1", "batch 32"}));
  EXPECT_EQ(report["effects"][1]["least_at"], "batch 32");
  for (const char* key : {"crossovers", "break_even", "interactions"}) EXPECT_EQ(report.at(key), json::array()) << key;
}

TEST(Json, FastestHoldTheDocumentedKeys) {
  const json report = document(sample_results());
  ASSERT_EQ(report.at("fastest").size(), 2U);
  const json& fastest = report["fastest"][0];
  EXPECT_EQ(fastest["where"], "batch 1");
  EXPECT_EQ(fastest["labels"], json({"native graph"}));
  EXPECT_EQ(fastest["trials"].size(), 1U);
  EXPECT_EQ(fastest["unsure"], 0);
  EXPECT_EQ(fastest["cells"], 3);
  EXPECT_EQ(fastest["measured_again"], 0);
  EXPECT_EQ(fastest["open"], false);
}

/// The sample sweep, but eager is the faster one at batch 1, and graph starts slower.
results::Results crossing_sample() {
  auto results = sample_results();
  for (auto& row : results.samples) {
    if (row.trial.value == 1) row.sample.seconds /= 4;
  }
  for (const std::uint32_t trial : {3U, 4U})
    testing_support::start_processes(results, TrialIndex{trial}, trial == 3 ? 1e-3 : 1e-6, 1e-6);
  return results;
}

TEST(Json, CrossoversAndBreakEvenHoldTheDocumentedKeys) {
  const json report = document(crossing_sample());
  ASSERT_EQ(report.at("crossovers").size(), 1U);
  const json& crossing = report["crossovers"][0];
  EXPECT_EQ(crossing["below"], "native eager");
  EXPECT_EQ(crossing["above"], "native graph");
  EXPECT_EQ(crossing["axis"], "batch");
  EXPECT_LT(crossing["low"], crossing["at"]);
  EXPECT_GT(crossing["high"], crossing["at"]);
  EXPECT_EQ(crossing["where"], "");
  ASSERT_EQ(report.at("break_even").size(), 1U);
  const json& paid = report["break_even"][0];
  EXPECT_EQ(paid["starter"], report["trials"][3]["id"]);
  EXPECT_EQ(paid["other"], report["trials"][4]["id"]);
  EXPECT_EQ(paid["never"], false);
  EXPECT_EQ(paid["known"], true);
  EXPECT_DOUBLE_EQ(paid["starter_start"], 1e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(paid["other_start_high"], 2e-6);
  EXPECT_EQ(paid["processes"], 7);
  EXPECT_LE(paid["low"], paid["steps"]);
  EXPECT_TRUE(paid.contains("high"));
  EXPECT_THAT(report["effects"][1]["faster_at"], json({"batch 1"}));
}

TEST(Json, SurvivesEmptyResults) { EXPECT_EQ(document({})["trials"], json::array()); }

TEST(Json, WhySaysWhatChangingOneThingRemoves) {
  const json report = document(testing_support::explained_results());
  ASSERT_EQ(report.at("why").size(), 1U);
  const json& why = report["why"][0];
  EXPECT_EQ(why["trial"], report["trials"][0]["id"]);
  EXPECT_NEAR(why["step_time"], 100e-6, 1e-12);
  ASSERT_EQ(why["changes"].size(), 4U);
  const json& resident = why["changes"][0];
  EXPECT_EQ(resident["change"], "input_resident");
  EXPECT_NEAR(resident["ratio"], 0.8, 1e-9);
  EXPECT_NEAR(resident["removed_seconds"], 20e-6, 1e-12);
  EXPECT_NEAR(resident["removed_low"], 20e-6, 1e-12);
  EXPECT_EQ(resident["verdict"], "faster");
  const json& emptied = why["changes"][1];
  EXPECT_EQ(emptied["status"], "skipped");
  EXPECT_TRUE(emptied["ratio"].is_null());
  EXPECT_TRUE(emptied["verdict"].is_null());
  EXPECT_NEAR(why["calls"]["seconds"], 60e-6, 1e-10);
  EXPECT_NEAR(why["calls"]["seconds_per_row"], 1.25e-6, 1e-12);
  EXPECT_EQ(why["calls"]["batches"], json({1, 4, 32}));
  EXPECT_TRUE(report["contrasts"].empty());
  EXPECT_TRUE(document(sample_results())["why"].empty());
}

}  // namespace
}  // namespace regatta::report
