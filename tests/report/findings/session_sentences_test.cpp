#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/report/sessions.hpp"
#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using analysis::NotComparedReason;
using analysis::SessionCell;
using stats::Verdict;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::ResultsBuilder;

/// Two files with native graph at batch 1, 2, ..., and what was found of them.
struct Compared {
  ResultsBuilder before, after;
  analysis::Sessions sessions;

  Compared() {
    for (ResultsBuilder* made : {&before, &after}) made->results.hosts = {{"box", "CPU 9", 1, 2, 1, "6.1", ""}};
  }

  TrialIndex trial() {
    const auto values = arm("native", "graph", static_cast<std::int64_t>(before.results.trials.size()) + 1);
    before.trial(values);
    return after.trial(values);
  }

  SessionCell& cell(double ratio, Verdict verdict, bool judged = true) {
    SessionCell& made = sessions.cells.emplace_back();
    made.in_old = made.in_new = trial();
    made.old_value = 1e-6;
    made.new_value = ratio * 1e-6;
    made.ratio = ratio;
    made.low = ratio / 1.02;
    made.high = ratio * 1.02;
    made.margin = 0.01;
    made.session_floor = 0.05;
    made.verdict = verdict;
    made.judged = judged;
    return made;
  }

  analysis::NotCompared& not_compared(NotComparedReason why, bool is_of_new = true) {
    const TrialIndex both = trial();
    return sessions.not_compared.emplace_back(analysis::NotCompared{both, both, why, is_of_new});
  }

  [[nodiscard]] std::string headline() const { return session_headline(after.results, sessions); }
  [[nodiscard]] std::vector<std::string> notes() const {
    return session_notes(before.results, after.results, sessions);
  }
  [[nodiscard]] std::string why_not(std::size_t at) const {
    return not_compared_text(before.results, after.results, sessions, sessions.not_compared.at(at));
  }
  [[nodiscard]] std::string refusal() const {
    try {
      expect_comparable(before.results, after.results, sessions);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(SessionHeadline, NamesTheLargestDifferenceAndCountsTheRest) {
  Compared made;
  made.cell(1.136, Verdict::slower);
  EXPECT_EQ(made.headline(), "NEW is slower in 1 of 1 trial: 1.14x slower [1.11, 1.16] in native graph");
  made.cell(1.3, Verdict::slower);
  made.cell(0.5, Verdict::faster);
  made.cell(2, Verdict::slower, false);
  EXPECT_EQ(made.headline(),
            "NEW is slower in 2 of 3 trials, most: 1.30x slower [1.27, 1.33] in native graph batch 2; 1 faster");
}

TEST(SessionHeadline, SaysUpToWhatBothTakeTheSameTime) {
  Compared made;
  made.cell(1.15, Verdict::same).margin = 0.2;
  EXPECT_EQ(made.headline(), "NEW and OLD take the same time in the one trial, to within 20 %");
}

TEST(SessionHeadline, CountsWhatIsNotKnownYet) {
  Compared made;
  for (int i = 0; i < 8; ++i) made.cell(1.01, Verdict::undecided);
  EXPECT_EQ(made.headline(), "no difference shown in 8 trials; 8 not known yet");
}

TEST(SessionNotes, SayWhereTheFloorIsFrom) {
  Compared made;
  made.cell(1, Verdict::same);
  EXPECT_THAT(made.notes(), Contains(HasSubstr("floor between sessions unknown: assumed 5 %")));
  made.sessions.cells[0].floor_source = analysis::FloorSource::stored;
  EXPECT_THAT(made.notes(), Contains("floor between sessions 5 %, from earlier pairs of sessions here"));
  made.sessions.cells[0].floor_source = analysis::FloorSource::pair;
  EXPECT_THAT(made.notes(), Contains("floor between sessions 5 %, from identical code in these two"));
}

TEST(SessionNotes, SayWhatIdenticalCodeShowed) {
  Compared made;
  made.cell(1, Verdict::same);
  made.sessions.identical = {9, 0, 0};
  EXPECT_THAT(made.notes(), Contains("identical code: 9 same, 0 not known yet, 0 different"));
  EXPECT_THAT(made.notes(), Not(Contains(HasSubstr("came out different"))));
  made.sessions.identical = {2, 1, 2};
  EXPECT_THAT(made.notes(), Contains("identical code: 2 same, 1 not known yet, 2 different"));
  EXPECT_THAT(made.notes(), Contains(HasSubstr("code of the same version came out different")));
}

TEST(SessionNotes, SayThatARebuildCannotBeSeen) {
  Compared made;
  made.cell(1.3, Verdict::slower);
  made.sessions.all_same_version = true;
  EXPECT_THAT(made.notes(), Contains(HasSubstr("identical code cannot be told from a rebuild")));
  EXPECT_THAT(made.notes(), Not(Contains(HasSubstr("no floor learnt"))));
  made.sessions.pair_floor = 0.3;
  EXPECT_THAT(made.notes(), Contains(HasSubstr("no floor learnt")));
  made.sessions.across = true;
  EXPECT_THAT(made.notes(), Not(Contains(HasSubstr("cannot be told from a rebuild"))));
  EXPECT_THAT(made.notes(), Contains(HasSubstr("code and machine together")));
}

TEST(SessionNotes, NameWhatElseChanged) {
  Compared made;
  made.cell(1, Verdict::same);
  made.after.results.hosts[0].kernel = "6.5";
  made.after.results.provenance.versions["compiler"] = "14";
  made.before.results.provenance.created = "2026-02-01T00:00:00Z";
  made.after.results.provenance.created = "2026-01-01T00:00:00Z";
  EXPECT_THAT(made.notes(), Contains("also changed: compiler unknown -> 14; kernel 6.1 -> 6.5"));
  EXPECT_THAT(made.notes(), Contains(HasSubstr("OLD was measured after NEW")));
}

TEST(SessionSentence, GivesBothValuesAndTheRatio) {
  Compared made;
  made.cell(1.2, Verdict::slower);
  const auto sentence = [&] {
    return session_sentence(made.after.results, analysis::axes_of(made.after.results), made.sessions.cells[0]);
  };
  EXPECT_EQ(sentence(), "native graph: 1.00 us -> 1.20 us, 1.20x slower [1.18, 1.22]");
  made.sessions.cells[0].judged = false;
  EXPECT_THAT(sentence(), EndsWith("1.20x slower [1.18, 1.22] (same code)"));
}

TEST(NotComparedText, SaysWhatEachFileLacks) {
  Compared made;
  for (const bool is_of_new : {true, false}) {
    made.not_compared(NotComparedReason::not_finished, is_of_new);
    made.not_compared(NotComparedReason::other_work, is_of_new);
  }
  made.not_compared(NotComparedReason::one_measurement);
  made.not_compared(NotComparedReason::no_values);
  made.after.results.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  sweep::set(made.after.results.trials[1].facts, sweep::Fact::verified_detail, "losses differ");
  made.before.results.trials[2].outcome = sweep::Lost{};
  EXPECT_EQ(made.why_not(0), "failed in NEW: crashed: signal 11");
  EXPECT_EQ(made.why_not(1), "does not do the same work in NEW: losses differ");
  EXPECT_EQ(made.why_not(2), "open in OLD");
  EXPECT_THAT(made.why_not(3), HasSubstr("in OLD"));
  EXPECT_EQ(made.why_not(4), "both files hold the same measurement");
  EXPECT_EQ(made.why_not(5), "one of the files holds no scored time of it");
  made.sessions.metric = sweep::Metric::peak_memory;
  EXPECT_EQ(made.why_not(5), "one of the files holds no values of peak_memory: it was measured for another metric");
}

TEST(ExpectComparable, RefusesFilesWithoutACell) {
  Compared made;
  made.not_compared(NotComparedReason::not_finished);
  made.after.results.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_EQ(made.refusal(),
            "none of the 1 trials in both files can be compared (the first: failed in NEW: crashed: signal 11); run "
            "them again with --rerun failed");
  made.cell(1, Verdict::same);
  EXPECT_EQ(made.refusal(), "");
}

TEST(ExpectComparable, SendsToAnotherFolderWhereOneWasResumed) {
  Compared made;
  made.not_compared(NotComparedReason::one_measurement);
  EXPECT_THAT(made.refusal(), HasSubstr("run the sweep again with another --out"));
}

TEST(ExpectComparable, SendsBackToTheRunWhereTrialsAreOpen) {
  Compared made;
  made.not_compared(NotComparedReason::not_finished);
  made.not_compared(NotComparedReason::not_finished);
  made.after.results.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  made.after.results.trials[1].outcome = sweep::Lost{};
  EXPECT_THAT(made.refusal(), EndsWith("; trials are still open in NEW: run the same command again to finish them"));
  EXPECT_THAT(made.refusal(), Not(HasSubstr("--rerun failed")));
  std::swap(made.before.results.trials[1].outcome, made.after.results.trials[1].outcome);
  EXPECT_THAT(made.refusal(), HasSubstr("trials are still open in OLD"));
}

}  // namespace
}  // namespace regatta::report
