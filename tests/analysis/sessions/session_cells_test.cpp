#include "regatta/analysis/session_cells.hpp"

#include <gtest/gtest.h>

namespace regatta::analysis {
namespace {

SessionCell cell(stats::Verdict verdict, bool judged) {
  SessionCell made;
  made.verdict = verdict;
  made.judged = judged;
  return made;
}

TEST(SessionCell, IsIndifferentToTheLargerOneOfMarginAndFloor) {
  SessionCell made;
  made.margin = 0.01;
  made.session_floor = 0.05;
  EXPECT_EQ(made.indifference(), 0.05);
  made.margin = 0.1;
  EXPECT_EQ(made.indifference(), 0.1);
}

TEST(Sessions, CountWhatIsJudged) {
  using stats::Verdict;
  Sessions sessions;
  sessions.cells = {cell(Verdict::slower, true), cell(Verdict::undecided, true), cell(Verdict::slower, false),
                    cell(Verdict::same, true)};
  EXPECT_EQ(sessions.count(Verdict::slower), 1U);
  EXPECT_TRUE(sessions.regressed());
  sessions.cells.erase(sessions.cells.begin());
  EXPECT_FALSE(sessions.regressed());
  EXPECT_EQ(verdict_text(sessions.cells.front()), "undecided");
}

TEST(SessionId, IsThatOfItsStartAndItsBlocks) {
  results::Results results;
  results.name = "nightly";
  results.provenance.created = "2024-05-01T12:00:00Z";
  const auto id = session_id(results);
  EXPECT_EQ(id.size(), 32U);
  auto copy = results;
  copy.trials.clear();
  EXPECT_EQ(session_id(copy), id);
  copy.provenance.created = "2024-05-02T12:00:00Z";
  EXPECT_NE(session_id(copy), id);
}

TEST(FloorSource, HasANameForEach) {
  EXPECT_EQ(floor_source_name(FloorSource::assumed), "assumed");
  EXPECT_EQ(floor_source_name(FloorSource::stored), "stored");
  EXPECT_EQ(floor_source_name(FloorSource::pair), "these sessions");
}

}  // namespace
}  // namespace regatta::analysis
