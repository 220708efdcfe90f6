#include "report/findings/measure_on.hpp"

#include <gtest/gtest.h>

namespace regatta::report {
namespace {

analysis::Contrast needing(std::uint32_t block, double seconds) {
  analysis::Contrast contrast;
  contrast.block = BlockIndex{block};
  contrast.outlook = analysis::Contrast::Outlook{0.1, 3, seconds};
  return contrast;
}

TEST(MeasureOn, GivesTheTimeThatAllUndecidedNeedAndThoseOfABlockTogether) {
  results::Results results;
  results.provenance.sweep_file = "s.json";
  analysis::Contrasts contrasts;
  EXPECT_EQ(measure_on(results, contrasts), "regatta run s.json --rerun undecided --for 5m") << "nothing tells";
  contrasts.contrasts = {needing(0, 100), needing(0, 130), needing(1, 50)};
  EXPECT_EQ(measure_on(results, contrasts), "regatta run s.json --rerun undecided --for 3m");
  contrasts.contrasts[1].verdict = stats::Verdict::faster;
  contrasts.contrasts[2].verdict = stats::Verdict::same;
  EXPECT_EQ(measure_on(results, contrasts), "regatta run s.json --rerun undecided --for 2m");
  contrasts.contrasts[1].precise = false;
  contrasts.contrasts[2].precise = false;
  EXPECT_EQ(measure_on(results, contrasts), "regatta run s.json --rerun undecided --for 2m") << "answers come first";
  contrasts.contrasts[0].verdict = stats::Verdict::slower;
  EXPECT_EQ(measure_on(results, contrasts), "regatta run s.json --rerun undecided --for 3m") << "then precision";
}

TEST(AboutTime, IsSecondsOrMinutes) {
  EXPECT_EQ(about_time(0.2), "1 s");
  EXPECT_EQ(about_time(40), "40 s");
  EXPECT_EQ(about_time(125), "2 min");
}

TEST(RanksOfACommand, AreRaisedWhereItNamesFewer) {
  EXPECT_EQ(with_ranks("regatta run s.json --ranks 2 --out x", 4), "regatta run s.json --ranks 4 --out x");
  EXPECT_EQ(with_ranks("regatta run s.json --ranks 2", 16), "regatta run s.json --ranks 16");
  for (const char* as_it_is : {"regatta run s.json --ranks 8", "regatta run s.json", "mpirun -n 2 regatta run s.json"})
    EXPECT_EQ(with_ranks(as_it_is, 8), as_it_is);
}

TEST(RunCommand, IsTheOneThatWasGivenWhereAShellReadsNothingButWords) {
  results::Provenance provenance;
  EXPECT_EQ(run_command(provenance), "regatta run SWEEP");
  provenance.sweep_file = "a b.json";
  EXPECT_EQ(run_command(provenance), "regatta run 'a b.json'");
  provenance.command_line = "build/bin/regatta run s.json --out mine --set batch=32,64 --only mode=graph --ranks 2";
  EXPECT_EQ(run_command(provenance), provenance.command_line);
  provenance.command_line = "regatta run s.json --rerun failed --for 5m --out mine --for=2h";
  EXPECT_EQ(run_command(provenance), "regatta run s.json --out mine");
  for (const char* quoted : {"regatta run mini.json --out 'my results' --ranks 1", "regatta run 'it'\\''s.json'",
                             "regatta run s.json --set 'command=a b' --only 'mode=x;y'"}) {
    provenance.command_line = quoted;
    EXPECT_EQ(run_command(provenance), quoted);
  }
  provenance.command_line = "regatta run 's.json' --for '5 m' --out 'x y'";
  EXPECT_EQ(run_command(provenance), "regatta run s.json --out 'x y'");
  for (const char* other : {"regatta run s.json; rm -rf x", "rm run s.json", "regatta duel a b", "rm x regatta run s",
                            "regatta run 'a\033[2Jb'", "regatta run \"$(id)\""}) {
    provenance.command_line = other;
    EXPECT_EQ(run_command(provenance), "regatta run 'a b.json'") << other;
  }
}

}  // namespace
}  // namespace regatta::report
