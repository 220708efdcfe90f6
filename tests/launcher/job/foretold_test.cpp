#include "job/foretold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two installations of frameworks, and the native engine beside them.
Job job_of_engines(const std::string& engines, const std::string& measure = "{}") {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "engine": )" + engines +
                                     R"(}, "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
    "environments": {"a": {"engine": "torch", "python": "/bin/sh"}, "b": {"engine": "jax", "python": "/bin/cat"}},
    "measure": )" + measure + "}",
                                 "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

/// The results of a run of this job whose processes take so long to start: one finished trial after the other.
results::Results run_of(const Job& job, double start_seconds, double end_wall_seconds) {
  results::Results results;
  results.envs = {{"a", "torch", "2.15"}};
  for (const sweep::Trial& trial : job.plan.trials) {
    results::TrialRow& row = results.trials.emplace_back();
    row.parameters = trial.parameters;
    row.env = 0;
    row.end_wall_seconds = end_wall_seconds;
    row.metrics = {
        {"cold_start", start_seconds + 2}, {"start_time", start_seconds}, {"prepare_time", 1.5}, {"first_step", 0.5}};
  }
  return results;
}

class ForetoldJob : public ::testing::Test {
 protected:
  [[nodiscard]] StartHistory history() const { return StartHistory(files_.path("cache")); }
  MachineTree files_;
};

TEST_F(ForetoldJob, NamesEnginesThatNobodyHasStartedYet) {
  const Job job = job_of_engines(R"(["native", "torch@a", "jax@b"])");
  const Foretold foretold = foretell(job, job.plan, history());
  EXPECT_THAT(foretold.unknown, ElementsAre("torch@a", "jax@b"));
  EXPECT_FALSE(foretold.forecast);
  EXPECT_EQ(
      line_of(job.sweep.measure, foretold),
      "how long torch@a, jax@b take to start is not known yet: the first run remembers it; until then --for 2m bounds "
      "the wall time");
}

TEST_F(ForetoldJob, KnowsWhatTheRunBeforeShowed) {
  const Job job = job_of_engines(R"(["native", "torch@a"])");
  StartHistory learning = history();
  remember_starts(job, run_of(job, 3, 100), 50, learning);
  const KnownStarts known = known_starts(job, job.plan, history());
  EXPECT_THAT(known.unknown, IsEmpty());
  ASSERT_TRUE(known.starts.of_trials.back());
  EXPECT_EQ(known.starts.of_trials.back()->start, 3);
  EXPECT_EQ(known.starts.of_trials.back()->prepare, 1.5);
  EXPECT_EQ(known.starts.of_trials.back()->first_step, 0.5);
  EXPECT_TRUE(foretell(job, job.plan, history()).forecast);
}

TEST_F(ForetoldJob, LearnsNothingFromRowsOfEarlierRunsOrWithoutAColdStart) {
  const Job job = job_of_engines(R"(["native", "torch@a"])");
  StartHistory learning = history();
  remember_starts(job, run_of(job, 3, 100), 101, learning);
  results::Results warm = run_of(job, 3, 100);
  for (results::TrialRow& row : warm.trials) row.metrics.erase("cold_start");
  remember_starts(job, warm, 50, learning);
  EXPECT_THAT(known_starts(job, job.plan, history()).unknown, ElementsAre("torch@a"));
}

TEST_F(ForetoldJob, TakesTheNativeEngineAndProgramsToStartAtOnce) {
  const Job job = job_of_engines(R"(["native"])");
  EXPECT_THAT(known_starts(job, job.plan, history()).unknown, IsEmpty());
  Job programs;
  programs.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"engine": "command", "command": "nap"},
    "commands": {"nap": {"argv": ["sleep", "1"]}}})",
                                      "s.json");
  programs.plan = sweep::make_plan(programs.sweep);
  EXPECT_THAT(known_starts(programs, programs.plan, history()).unknown, IsEmpty());
}

TEST_F(ForetoldJob, SaysWhatIsNotHereAndForetellsNothing) {
  Job job = job_of_engines(R"(["native", "torch@a"])");
  job.sweep.environments.at("a").python = "/no/such/python";
  const Foretold foretold = foretell(job, job.plan, history());
  EXPECT_FALSE(foretold.forecast);
  EXPECT_THAT(foretold.unknown, IsEmpty());
  EXPECT_THAT(
      missing_lines(foretold),
      ElementsAre("1 x '/no/such/python' of the environment a cannot be executed; create it, or correct its path"));
  EXPECT_EQ(line_of(job.sweep.measure, foretold), "");
}

TEST_F(ForetoldJob, ExpectsOfABlockWhatItsStartsTakeWithinItsShare) {
  Job job = job_of_engines(R"(["native", "torch@a"])", R"({"per_contrast": "5s"})");
  const sweep::Block& block = job.plan.blocks.front();
  const auto arms = static_cast<double>(block.arms.size());
  EXPECT_NEAR(expected_time(job, block).seconds, sweep::wanted_seconds(job.sweep, block) + 0.3 * arms, 1e-9)
      << "nothing is known yet";
  StartHistory learning = history();
  remember_starts(job, run_of(job, 3, 100), 50, learning);
  job.sharing.starts = known_starts(job, job.plan, history()).starts;
  const double expected = expected_time(job, block).seconds;
  EXPECT_GT(expected, 7 * 5) << "seven pairs, each of which has at least one process that takes 5 s to begin";
  job.sweep.measure.total_seconds = expected / 2;
  EXPECT_LE(expected_time(job, block).seconds, expected / 2);
}

std::string line_with(const sweep::Forecast& forecast, std::optional<double> total_seconds = {}) {
  sweep::Measure measure;
  measure.total_seconds = total_seconds;
  return line_of(measure, {forecast, {}});
}

TEST(ForetoldLine, SaysTheTimeWhereStartsAreShort) {
  EXPECT_EQ(line_with({.pairs = 100, .seconds = 37.4}), "at most about 37 s");
  EXPECT_EQ(line_with({.pairs = 100, .seconds = 260}), "at most about 4.3 min");
  EXPECT_EQ(line_with({.pairs = 5, .seconds = 1260, .is_cut = true}, 1260), "at most about 21 min");
}

TEST(ForetoldLine, SaysWhenTheFirstAnswersCome) {
  EXPECT_EQ(line_with({.pairs = 100, .first_seconds = 6, .seconds = 37.4}),
            "first answers after about 6 s, at most about 37 s");
  EXPECT_EQ(
      line_with(
          {.pairs = 3, .first_seconds = 42, .seconds = 170, .starts_slow = true, .is_cut = true, .enough_seconds = 540},
          180),
      "first answers after about 42 s, about 3 process pairs a contrast fit into 3m; 7 would take about 9m: "
      "\"total\": \"9m\"");
  EXPECT_EQ(line_with({.pairs = 2, .first_seconds = 30, .seconds = 32}), "at most about 32 s") << "hardly sooner";
}

TEST(ForetoldLine, SaysTheBoundOfWhatIsNotKnownYet) {
  sweep::Measure measure;
  Foretold unknown{{}, {"numpy@fit"}};
  EXPECT_NE(line_of(measure, unknown).find("--for 2m bounds the wall time"), std::string::npos);
  measure.total_seconds = 300;
  EXPECT_NE(line_of(measure, unknown).find("; at most about 5.0 min in all"), std::string::npos);
  Foretold programs{sweep::Forecast{.seconds = 65}, {}};
  programs.has_programs = true;
  EXPECT_EQ(line_of({}, programs), "at most about 65 s (all of the budget; --for 1m bounds it)");
  measure.slices = 1;
  EXPECT_NE(
      line_of(measure, programs).find("is not known before they ran; a fixed number of short runs is done sooner"),
      std::string::npos);
}

TEST(ForetoldLine, NamesDevicesOfWhichNoneIsSeen) {
  sweep::Plan plan;
  for (const char* device : {"cpu", "cuda", "cuda"})
    plan.trials.emplace_back().parameters.set(sweep::Param::device, std::string(device));
  const std::vector<std::string> lines = device_lines(plan, {"/nothing", "/nothing", "/nothing"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].substr(0, 50), "2 x needs a cuda device, and none is seen here: sk");
}

TEST(ForetoldLine, IsInUnitsThatAPersonWaitsIn) {
  EXPECT_EQ(wait_text(119), "119 s");
  EXPECT_EQ(wait_text(7199), "120 min");
  EXPECT_EQ(wait_text(9000), "2.5 h");
  EXPECT_EQ(wait_text(6553600), "76 days");
}

TEST(ForetoldLine, WarnsBeyondADay) {
  const auto warning = [](const std::optional<sweep::Forecast>& forecast, double measuring, int ranks) {
    return beyond_a_day({}, {forecast, {}}, measuring, ranks).value_or("");
  };
  EXPECT_EQ(warning(sweep::Forecast{.seconds = 86400}, 1e9, 1), "");
  EXPECT_EQ(warning(sweep::Forecast{.seconds = 200000}, 0, 1).substr(0, 34), "this may take about 2.3 days, more");
  EXPECT_EQ(warning({}, 172800, 2), "") << "nothing is known of starts: the measuring, over two ranks";
  EXPECT_NE(warning({}, 172802, 2), "");
  sweep::Measure bounded;
  bounded.total_seconds = 60;
  EXPECT_FALSE(beyond_a_day(bounded, {}, 1e9, 1));
}

TEST(ForetoldLine, SaysHowManyPairsThereWillBeWhereStartsAreLong) {
  EXPECT_EQ(line_with({.pairs = 7, .seconds = 100, .starts_slow = true}),
            "at most about 100 s: 7 process pairs a contrast");
  EXPECT_EQ(line_with({.pairs = 9, .seconds = 590, .starts_slow = true, .is_cut = true}, 600),
            "at most about 9.8 min: about 9 process pairs a contrast fit into 10m");
}

TEST(ForetoldLine, SaysWhatEnoughPairsWouldTake) {
  const sweep::Forecast cut{.pairs = 3, .seconds = 170, .starts_slow = true, .is_cut = true, .enough_seconds = 497};
  EXPECT_EQ(line_with(cut, 180),
            "about 3 process pairs a contrast fit into 3m; 7 would take about 9m: \"total\": \"9m\"");
  const sweep::Forecast one{.pairs = 1, .seconds = 24, .starts_slow = true, .is_cut = true, .enough_seconds = 92};
  EXPECT_EQ(line_with(one, 25),
            "about 1 process pair a contrast fits into 25s; 7 would take about 100s: \"total\": \"100s\"");
  EXPECT_EQ(line_with(one, 20),
            "1 process pair a contrast takes about 24 s, more than 20s; 7 would take about 100s: \"total\": \"100s\"");
}

}  // namespace
}  // namespace regatta::launcher
