#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/hand_made.hpp"
#include "report/findings.hpp"
#include "report/full_results.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::full_results;
using testing_support::sample_results;

std::string tables_of(const results::Results& results, const TerminalOptions& options = {}) {
  const auto findings = analysis::findings_of(results);
  return pair_tables(view_of(results, findings), options, {options.colour}).text;
}

TEST(PairTables, HaveATableForEachPairMostExtremeFirst) {
  const std::string text = tables_of(sample_results());
  EXPECT_THAT(text, StartsWith("\nnumpy against native graph\n"));
  EXPECT_LT(text.find("numpy against native graph"), text.find("native eager against native graph"));
  EXPECT_THAT(text, HasSubstr("batch  native graph    numpy  is            95 %          processes  1x"));
  EXPECT_THAT(text, HasSubstr("    1       2.00 us  60.0 us  30.0x slower  [28.8, 31.2]      7 x 1  >>>>>>"));
}

TEST(PairTables, KeepARowForWhatFailedWhereOthersWereCompared) {
  EXPECT_THAT(tables_of(sample_results()), HasSubstr("\n   32             \u2013   failed\n"));
}

TEST(PairTables, DrawBarsByTheLogOfTheRatioIntoTheRestOfTheLine) {
  const std::string text = tables_of(full_results(), {.columns = 100});
  const auto bar_of = [&](const std::string& phrase) {
    const auto line = text.substr(text.find(phrase), text.find('\n', text.find(phrase)) - text.find(phrase));
    return line.substr(line.find_last_of(' ') + 1);
  };
  EXPECT_THAT(bar_of("30.0x slower"), StartsWith(">>>>>>>>>>"));
  EXPECT_LT(bar_of("20.7x slower").size(), bar_of("30.0x slower").size());
  EXPECT_THAT(bar_of("2.00x faster"), StartsWith("<"));
  EXPECT_THAT(bar_of("not known yet"), Not(HasSubstr(">")));
}

TEST(PairTables, SayWhatTheEndsOfABarStandFor) {
  const std::string text = tables_of(full_results(), {.columns = 100});
  const auto head =
      text.substr(text.find("\nbatch") + 1, text.find('\n', text.find("\nbatch") + 1) - text.find("\nbatch") - 1);
  EXPECT_THAT(head, HasSubstr("  1x   "));
  EXPECT_THAT(head, testing::EndsWith("30.0x")) << "the longest bar";
}

TEST(PairTables, TellNamesApartThatBeginAlike) {
  auto results = sample_results();
  for (auto& trial : results.trials) {
    if (trial.parameters[sweep::Param::engine] == sweep::Value(std::string("native")))
      trial.parameters[sweep::Param::engine] = std::string("tensorflow@of-a-long-name");
  }
  const std::string text = tables_of(results, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("me graph"));
  EXPECT_THAT(text, HasSubstr("me eager"));
}

TEST(PairTables, DrawNoBarsWhereItIsNarrow) {
  EXPECT_THAT(tables_of(sample_results(), {.columns = 62}), Not(HasSubstr(">")));
}

TEST(PairTables, ShowFlagsWhereItIsWide) {
  auto results = sample_results();
  results.blocks[0].flags = {stats::Flag::neighbours};
  EXPECT_THAT(tables_of(results, {.columns = 140}), HasSubstr("neighbours"));
  EXPECT_THAT(tables_of(results), Not(HasSubstr("neighbours")));
}

TEST(PairTables, ColourOnlyIfAskedAndAlwaysInWordsToo) {
  const std::string coloured = tables_of(sample_results(), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[31m30.0x slower\x1b[0m"));
  EXPECT_THAT(tables_of(sample_results()), Not(HasSubstr("\x1b")));
}

TEST(PairTables, WriteTheWordsOfASettingAboveItsRows) {
  auto results = sample_results();
  for (std::size_t i = 3; i < 6; ++i) results.trials[i].parameters[sweep::Param::model] = std::string("mlp-784");
  const std::string text = tables_of(results);
  EXPECT_THAT(text, HasSubstr("\nmlp-10\n    1"));
  EXPECT_THAT(text, HasSubstr("\nmlp-784\n   32"));
}

TEST(PairTables, CountTheRowsTheyLeaveOut) {
  EXPECT_THAT(tables_of(sample_results(), {.most_rows = 1}), HasSubstr("... 3 more rows, all in the result file"));
}

TEST(PairTables, GatherMoreArmsThanSettingsInOneTable) {
  testing_support::ResultsBuilder made;
  made.results.axis_names = {"engine", "batch"};
  for (const std::int64_t batch : {1, 8}) {
    std::vector<TrialIndex> arms;
    for (const char* engine : {"native", "numpy", "torch", "jax"})
      arms.push_back(made.trial(testing_support::arm(engine, "eager", batch)));
    const auto block = made.block(arms);
    double seconds = static_cast<double>(batch);
    for (const TrialIndex trial : arms) {
      made.slices(block, trial, {seconds, seconds});  // two pairs: wider intervals leave the table no room
      ++seconds;
    }
  }
  const std::string text = tables_of(made.results);
  EXPECT_THAT(text, StartsWith("\nagainst native\nbatch "));
  EXPECT_EQ(text.find("against", 10), std::string::npos) << text;
  EXPECT_THAT(text, testing::ContainsRegex("\n +1  numpy .*\n(.*\n)+ +8  numpy ")) << "its time stands in each row";
  EXPECT_THAT(text, testing::ContainsRegex("step +native +is"));
}

TEST(PairTables, WriteLongNamesOfGatheredArmsAboveTheirRows) {
  testing_support::ResultsBuilder made;
  made.results.axis_names = {"engine", "batch"};
  for (const std::int64_t batch : {1, 8}) {
    std::vector<TrialIndex> arms;
    for (const char* engine : {"native", "tensorflow@of-one-version", "tensorflow@of-two-version", "jax"})
      arms.push_back(made.trial(testing_support::arm(engine, "eager", batch)));
    const auto block = made.block(arms);
    for (std::size_t i = 0; i < arms.size(); ++i) made.slices(block, arms[i], {static_cast<double>(i + 1)});
  }
  EXPECT_THAT(tables_of(made.results),
              testing::ContainsRegex("\ntensorflow@of-two-version\n +1 .*\n +8 .*\ntensorflow@of-one-version\n"));
}

TEST(PairTables, GatherTheArmsOfOneSettingInOneTable) {
  testing_support::HandMade made;
  made.cell(30);
  made.cell(0.5, stats::Verdict::faster);
  const auto findings = testing_support::findings_with(made.made.results, made.contrasts);
  const std::string text = pair_tables(view_of(made.made.results, findings), {}, {false}).text;
  EXPECT_THAT(text, StartsWith("\nagainst native ("));
  EXPECT_EQ(text.find("against", 10), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("\nengine@1 "));
  EXPECT_THAT(text, HasSubstr("\nengine@2 "));
  EXPECT_THAT(text, HasSubstr("30.0x slower"));
  EXPECT_THAT(text, HasSubstr("2.00x faster"));
}

TEST(PairTables, KnowWhichColumnsHadRoomForALegend) {
  const auto results = full_results();
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  const PairTables wide = pair_tables(view, {.columns = 100}, {false});
  EXPECT_TRUE(wide.has_processes);
  EXPECT_TRUE(wide.has_bars);
  const PairTables narrow = pair_tables(view, {.columns = 50}, {false});
  EXPECT_FALSE(narrow.has_processes) << narrow.text;
  EXPECT_FALSE(narrow.has_bars) << narrow.text;
}

TEST(PairTables, GiveBarsTheSameRoomInAllTables) {
  const std::string text = tables_of(full_results(), {.columns = 100});
  std::set<std::size_t> rooms;
  for (std::size_t at = text.find("  1x "); at != std::string::npos; at = text.find("  1x ", at + 1))
    rooms.insert(text.find('\n', at) - at);
  EXPECT_EQ(rooms.size(), 1U) << text;
  EXPECT_GT(std::ranges::count(text, '\n'), 10);
}

TEST(PairTables, AreEmptyWithoutContrasts) { EXPECT_EQ(tables_of({}), ""); }

}  // namespace
}  // namespace regatta::report
