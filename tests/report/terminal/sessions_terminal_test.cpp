#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/report/sessions.hpp"
#include "report/two_sessions.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::TwoSessions;

std::string shown_sessions(const TwoSessions& two, const TerminalOptions& options = {}) {
  return terminal_sessions(two.before, two.after, two.compared, options);
}

TEST(SessionsTerminal, AnswersFirstAndSaysWhatItRestsOn) {
  EXPECT_EQ(shown_sessions({}), R"(NEW is faster in 1 of 1 trial: 1.25x faster [1.25, 1.25] in numpy batch 1

OLD sample, 2026-01-02T03:04:05Z
NEW sample, 2026-01-09T03:04:05Z

trial                         old -> new  NEW is          95 %
numpy batch 1         60.0 us -> 48.0 us  1.25x faster    [1.25, 1.25]
native graph batch 1  2.00 us -> 2.40 us  (1.20x slower)  [1.20, 1.20]
native eager batch 1  4.00 us -> 4.04 us  (1.010x, same)  [1.010, 1.010]
NEW is: by its time; 95 %: interval; in round brackets: checks of the same code
floor between sessions unknown: assumed 5 %; compare two runs of the same
version once to learn it
identical code: 1 same, 0 not known yet, 1 different
code of the same version came out different, so differences below three times
the floor are not known yet. If it was rebuilt in between, compare it alone
only in OLD: native graph batch 8
only in NEW: native graph batch 16
)");
}

TEST(SessionsTerminal, PutsRegressionsFirst) {
  TwoSessions two;
  two.after = testing_support::session_of(2e-6, 5e-6, 60e-6, "1.24", 2);
  two.compared = analysis::compare_sessions(two.before, two.after);
  const std::string text = shown_sessions(two);
  EXPECT_LT(text.find("\nnative eager batch 1  "), text.find("\nnative graph batch 1  ")) << text;
}

TEST(SessionsTerminal, CountsTheRowsItLeavesOut) {
  EXPECT_THAT(shown_sessions({}, {.most_rows = 1}), HasSubstr("... 2 more trials"));
}

TEST(SessionsTerminal, PassesNoEscapeSequenceThrough) {
  TwoSessions two;
  two.before.name = "evil\x1b[2J";
  two.after.hosts[0].kernel = "\x1b]0;owned\x07";
  EXPECT_THAT(shown_sessions(two), Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown_sessions(two, {.colour = true}), HasSubstr("\x1b[1m"));
}

}  // namespace
}  // namespace regatta::report
