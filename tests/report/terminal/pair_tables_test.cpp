#include "report/terminal/pair_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::full_results;
using testing_support::sample_results;

std::string tables_of(const results::Results& results, const TerminalOptions& options = {}) {
  const auto findings = analysis::findings_of(results);
  return pair_tables(view_of(results, findings), options, {options.colour});
}

analysis::Contrast contrast(stats::Verdict verdict, double ratio, double low, double high) {
  analysis::Contrast made;
  made.verdict = verdict;
  made.ratio = ratio;
  made.low = low;
  made.high = high;
  return made;
}

TEST(VerdictPhrase, TellsHowManyTimesFasterOrSlower) {
  using stats::Verdict;
  EXPECT_EQ(verdict_phrase(contrast(Verdict::slower, 38.3, 37, 39)), "38.3x slower");
  EXPECT_EQ(verdict_phrase(contrast(Verdict::faster, 0.5, 0.4, 0.8)), "2.00x faster");
  EXPECT_EQ(verdict_phrase(contrast(Verdict::same, 1.003, 0.999, 1.005)), "same (+0.3 %)");
  EXPECT_EQ(verdict_phrase(contrast(Verdict::undecided, 1.02, 0.9, 1.1)), "1.020x undecided");
  auto doubtful = contrast(Verdict::slower, 1.5, 1.4, 1.6);
  doubtful.survives = false;
  EXPECT_EQ(verdict_phrase(doubtful), "1.50x slower?");
}

TEST(VerdictPhrase, HasTheIntervalOfWhatItSays) {
  using stats::Verdict;
  EXPECT_EQ(phrase_interval(contrast(Verdict::faster, 0.5, 0.4, 0.8)), "[1.25, 2.50]");
  EXPECT_EQ(phrase_interval(contrast(Verdict::slower, 38.3, 37, 39)), "[37.0, 39.0]");
}

TEST(PairTables, HaveATableForEachPairMostExtremeFirst) {
  const std::string text = tables_of(sample_results());
  EXPECT_THAT(text, StartsWith("\nnumpy against native graph\n"));
  EXPECT_LT(text.find("numpy against native graph"), text.find("native eager against native graph"));
  EXPECT_THAT(text, HasSubstr("batch  native graph    numpy  numpy is      95 %"));
  EXPECT_THAT(text, HasSubstr("    1       2.00 us  60.0 us  30.0x slower  [28.8, 30.9]  7/14  ######"));
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
  EXPECT_THAT(bar_of("30.0x slower"), StartsWith("##########"));
  EXPECT_LT(bar_of("20.7x slower").size(), bar_of("30.0x slower").size());
  EXPECT_THAT(bar_of("2.00x faster"), StartsWith("+"));
  EXPECT_THAT(bar_of("undecided"), Not(HasSubstr("#")));
}

TEST(PairTables, DrawNoBarsWhereItIsNarrow) {
  EXPECT_THAT(tables_of(sample_results(), {.columns = 62}), Not(HasSubstr("#")));
}

TEST(PairTables, ShowFlagsWhereItIsWide) {
  auto results = sample_results();
  results.blocks[0].flags = "neighbours";
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

TEST(PairTables, AreEmptyWithoutContrasts) { EXPECT_EQ(tables_of({}), ""); }

}  // namespace
}  // namespace regatta::report
