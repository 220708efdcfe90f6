#include "regatta/report/training_so_far.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/learning/trained.hpp"
#include "regatta/report/text.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

std::vector<std::string> lines_after(std::size_t legs, TrainedSweep made, const TerminalOptions& options = {}) {
  made.most_legs = legs;
  const auto results = trained(made);
  const auto findings = analysis::findings_of(results);
  std::istringstream text(
      training_so_far(results, findings, analysis::training_so_far(results, *findings.learning, 5), options));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

const TrainedSweep search{.configurations = 18, .quality = falling(0.9, 0.01)};

TEST(TrainingSoFarText, SaysTheRungTheCostAndWhoIsAhead) {
  const auto lines = lines_after(23, search);
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_THAT(lines[0], testing::MatchesRegex("Rung 2 of 3: [0-9]+ of 18 configurations left, 2 of [0-9]+ runs .*"));
  EXPECT_THAT(lines[1], testing::StartsWith("Cost so far: 2.8 full trainings (all under all seeds: 216), "));
  EXPECT_THAT(lines[2], testing::StartsWith("The best so far by validation accuracy, from _ "));
  EXPECT_EQ(lines[3], "over samples         last     best    samples  learning_rate");
  EXPECT_THAT(lines[4], testing::EndsWith("  0.1"));
  EXPECT_THAT(lines[8], testing::EndsWith("  0.5"));
}

TEST(TrainingSoFarText, FitsIntoTenLinesOfEightyColumnsWithTheLineOfCounts) {
  for (const bool utf8 : {false, true}) {
    for (std::size_t legs = 0; legs < 120; legs += 7) {
      const auto lines = lines_after(legs, search, {.columns = 80, .colour = false, .utf8 = utf8, .most_rows = 400});
      EXPECT_LE(lines.size(), 9U);
      for (const std::string& line : lines) EXPECT_LE(width(line), 80U) << line;
    }
  }
}

TEST(TrainingSoFarText, HasNoBlocksWhereTheLocaleHasNone) {
  const auto is_ascii = [](const std::string& line) {
    return std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) < 128; });
  };
  auto results = trained(search);
  for (std::size_t i = 0; i < results.trials.size(); ++i)
    results.trials[i].parameters[sweep::Param::model] = std::string(90 + i, 'm');
  const auto findings = analysis::findings_of(results);
  const auto so_far = analysis::training_so_far(results, *findings.learning, 5);
  EXPECT_TRUE(is_ascii(training_so_far(results, findings, so_far, {})));
  const TerminalOptions blocks{.columns = 80, .colour = false, .utf8 = true, .most_rows = 400};
  EXPECT_THAT(training_so_far(results, findings, so_far, blocks), HasSubstr("█"));
}

TEST(TrainingSoFarText, SaysWhatElseIsDue) {
  const auto whole = trained(search).legs.size();
  EXPECT_EQ(lines_after(whole, search).front(), "Nothing is due any more: `regatta report` says who is best");
  EXPECT_EQ(lines_after(whole - 1, search).front(), "1 run again under the same seed: 0 of 1 runs are recorded");
  EXPECT_THAT(lines_after(whole - 2, search).front(), HasSubstr("The test part is opened: "));
  EXPECT_THAT(lines_after(whole - 1, search)[2], HasSubstr("validation accuracy, median over seeds, from"));
  EXPECT_THAT(lines_after(7, {.configurations = 3, .searches = false, .quality = falling(0.9, 0.01)}).front(),
              HasSubstr("3 configurations under 12 seeds: 7 of 36 runs"));
  EXPECT_EQ(lines_after(0, search).size(), 2U) << "no curve yet";
}

}  // namespace
}  // namespace regatta::report
