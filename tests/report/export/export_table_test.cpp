#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "regatta/report/export.hpp"
#include "report/awkward_table.hpp"

namespace regatta::report {
namespace {

using nlohmann::json;
using results::Table;
using testing::ElementsAre;
using testing_support::awkward;
using testing_support::written;

TEST(Csv, QuotesWhatNeedsItAndLeavesOutWhatIsMissing) {
  EXPECT_EQ(written([](const Sink& sink) { write_csv(awkward(), sink); }),
            "text,count,step_time\n"
            "plain,3,0.1\n"
            "\"a, \"\"b\"\"\nc\",,1e-07\n"
            "\ufffd\ufffd[31m,-1,\n");
}

TEST(Csv, WritesTheRowsInTheOrderOfTheTable) {
  Table table = awkward();
  table.rows = {2, 0};
  std::istringstream lines(written([&](const Sink& sink) { write_csv(table, sink); }));
  std::vector<std::string> first_letters;
  for (std::string line; std::getline(lines, line);) first_letters.push_back(line.substr(0, 1));
  EXPECT_THAT(first_letters, ElementsAre("t", "\xef", "p"))
      << "a byte that is no text becomes U+FFFD, which begins with EF";
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

}  // namespace
}  // namespace regatta::report
