#include "regatta/report/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using nlohmann::json;
using results::Table;
using sweep::Value;
using testing::ElementsAre;
using testing::HasSubstr;

/// Cells that are hard to write down.
Table awkward() {
  static const std::vector<std::vector<Value>> rows = {
      {"plain", std::int64_t{3}, 0.1},
      {"a, \"b\"\nc", Value(), 1e-7},
      {"\xff\x1b[31m", std::int64_t{-1}, std::nan("")},
  };
  Table table{"trials", {}, {0, 1, 2}};
  const auto add = [&](const std::string& name, const std::string& unit, bool number, std::size_t at) {
    table.columns.push_back({name, unit, number, [at](std::size_t row) { return rows[row][at]; }});
  };
  add("text", "", false, 0);
  add("count", "", true, 1);
  add("step_time", "s", true, 2);
  return table;
}

template <class Write>
std::string written(Write write) {
  std::string all;
  write([&](std::string_view piece) { all += piece; });
  return all;
}

TEST(Csv, QuotesWhatNeedsItAndLeavesOutWhatIsMissing) {
  EXPECT_EQ(written([](const Sink& sink) { write_csv(awkward(), sink); }),
            "text,count,step_time\n"
            "plain,3,0.1\n"
            "\"a, \"\"b\"\"\nc\",,1e-07\n"
            "\xff\x1b[31m,-1,\n");
}

TEST(Csv, WritesTheRowsInTheOrderOfTheTable) {
  Table table = awkward();
  table.rows = {2, 0};
  std::istringstream lines(written([&](const Sink& sink) { write_csv(table, sink); }));
  std::vector<std::string> first_letters;
  for (std::string line; std::getline(lines, line);) first_letters.push_back(line.substr(0, 1));
  EXPECT_THAT(first_letters, ElementsAre("t", "\xff", "p"));
}

TEST(JsonLines, AreOneObjectEachWithEveryColumn) {
  std::istringstream lines(written([](const Sink& sink) { write_jsonl(awkward(), sink); }));
  std::vector<json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], json::parse(R"({"text": "plain", "count": 3, "step_time": 0.1})"));
  EXPECT_EQ(rows[1]["count"], nullptr);
  EXPECT_EQ(rows[1]["text"], "a, \"b\"\nc");
  EXPECT_EQ(rows[2]["step_time"], nullptr) << "JSON has no word for what is no number";
}

TEST(JsonTable, IsOneDocumentWithUnits) {
  const json document = json::parse(json_table(awkward()));
  EXPECT_EQ(document["name"], "trials");
  EXPECT_EQ(document["columns"][2], json::parse(R"({"name": "step_time", "unit": "s"})"));
  EXPECT_EQ(document["rows"].size(), 3U);
}

TEST(TerminalTable, ShowsUnitsAndNothingThatCouldDriveATerminal) {
  const std::string text = terminal_table(awkward(), {});
  EXPECT_THAT(text, HasSubstr("0.10 s"));
  EXPECT_THAT(text, HasSubstr("100 ns"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TerminalTable, NamesWhatDoesNotFit) {
  TerminalOptions options;
  options.columns = 20;
  EXPECT_THAT(terminal_table(awkward(), options), HasSubstr("not shown here:\n"));
  options.columns = 80;
  EXPECT_EQ(terminal_table(awkward(), options).find("not shown"), std::string::npos);
  options.most_rows = 1;
  EXPECT_THAT(terminal_table(awkward(), options), HasSubstr("and 2 more rows (--json lists all)\n"));
}

TEST(TerminalTable, CutsIdsToWhatTellsThemApart) {
  static const std::vector<std::string> ids = {"aaaaaaaaaaaa0000", "aaaaaaaaaaab0000", "cccccccccccc0000"};
  Table table{"trials", {{"trial_hash", "", false, [](std::size_t row) { return Value(ids[row]); }}}, {0, 1, 2}};
  EXPECT_EQ(terminal_table(table, {}), "trial_hash\naaaaaaaaaaaa\naaaaaaaaaaab\ncccccccccccc\n");
  table.rows = {0, 2};
  EXPECT_EQ(terminal_table(table, {}), "trial_hash\naaaaaaaa\ncccccccc\n");
}

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
  results.devices = {{0, "cpu", "cores 0", "", {}}, {0, "cpu", "cores 1", "", {}}};
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

TEST(Trace, OfNothingIsStillATrace) {
  results::Results results;
  results.name = "empty";
  EXPECT_TRUE(trace_of(results)["traceEvents"].empty());
}

}  // namespace
}  // namespace regatta::report
