#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "regatta/report/export.hpp"
#include "report/awkward_table.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::written;

/// Two slots; a block of two arms on the first, a block that is not done.
results::Results two_slots() {
  testing_support::ResultsBuilder builder;
  const auto a = builder.trial({{sweep::Param::engine, "native"}, {sweep::Param::batch, std::int64_t{8}}});
  const auto b = builder.trial({{sweep::Param::engine, "numpy"}, {sweep::Param::batch, std::int64_t{8}}});
  const auto block = builder.block({a, b});
  builder.block({a, b});
  results::Results& results = builder.results;
  results.name = "sample";
  results.hosts = {{"node1", "", 1, 2, 0, "", ""}};
  results.devices = {{0, "cpu", "cores 0", {}, {}}, {0, "cpu", "cores 1", {}, {}}};
  results.blocks[block.value].attempt = 1;
  results.blocks[block.value].start_wall_seconds = 1000;
  results.blocks[block.value].end_wall_seconds = 1004;
  for (results::TrialRow& row : results.trials) {
    row.start_wall_seconds = 1000;
    row.device = 1;
  }
  const auto sample = [&](TrialIndex trial, std::uint16_t arm, std::uint32_t slice, stats::Phase phase, double start) {
    results.samples.push_back(
        {trial,
         block,
         {.slice = slice, .arm = arm, .phase = phase, .steps = 10, .start_seconds = start, .seconds = 0.5}});
  };
  sample(a, 0, 0, stats::Phase::first, 51);
  sample(a, 0, 2, stats::Phase::reentry, 52);
  sample(a, 0, 2, stats::Phase::steady, 52.5);
  sample(b, 1, 1, stats::Phase::first, 51.5);
  sample(b, 1, 3, stats::Phase::steady, 53.5);
  return results;
}

json trace_of(const results::Results& results) {
  return json::parse(written([&](const Sink& sink) { write_trace(results, sink); }));
}

std::vector<json> events(const json& trace, const std::string& phase, const std::string& category = "") {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase && (category.empty() || event["cat"] == category)) found.push_back(event);
  }
  return found;
}

TEST(Trace, HasAProcessForEachSlotThatRanSomething) {
  const json trace = trace_of(two_slots());
  std::vector<std::string> names;
  for (const json& event : events(trace, "M")) names.push_back(event["args"]["name"]);
  EXPECT_THAT(names, testing::IsSupersetOf({"node1 cpu cores 1", "blocks", "slices"}));
}

TEST(Trace, ShowsBlocksAndTheirSlicesInMicroseconds) {
  const json trace = trace_of(two_slots());
  const auto blocks = events(trace, "X", "block");
  ASSERT_EQ(blocks.size(), 1U) << "a block that is not done has no place in time";
  EXPECT_EQ(blocks[0]["ts"], 0.0);
  EXPECT_EQ(blocks[0]["dur"], 4e6);
  EXPECT_THAT(blocks[0]["args"]["arms"][1].get<std::string>(), HasSubstr("numpy"));
  const auto slices = events(trace, "X", "measure");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0]["name"], "native");
  EXPECT_EQ(slices[0]["ts"], 2e6) << "the last sample ends as the block does";
  EXPECT_EQ(slices[0]["dur"], 1e6);
  EXPECT_EQ(slices[0]["args"]["steps"], 20);
  EXPECT_EQ(slices[0]["pid"], blocks[0]["pid"]);
  EXPECT_NE(slices[0]["tid"], blocks[0]["tid"]);
  EXPECT_EQ(events(trace, "X", "warm-up").size(), 2U);
}

TEST(Trace, BlocksHaveWhatTheirDeviceTold) {
  results::Results results = two_slots();
  EXPECT_FALSE(events(trace_of(results), "X", "block")[0]["args"].contains("device"));
  results.blocks[0].device = {{1980}, {1500}};
  EXPECT_EQ(events(trace_of(results), "X", "block")[0]["args"]["device"],
            (json{{"device_clock_before", 1980.0}, {"device_clock_after", 1500.0}}));
}

TEST(Trace, OfNothingIsStillATrace) {
  results::Results results;
  results.name = "empty";
  EXPECT_TRUE(trace_of(results)["traceEvents"].empty());
}

}  // namespace
}  // namespace regatta::report
