// tests/process/passes_test.py shows that passes are taken.
#include "job/passes.hpp"

#include <gtest/gtest.h>

#include "regatta/results/store.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "report/sample_results.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

Job job_with(const std::string& measure,
             const std::string& compare = R"("compare": {"over": ["mode"], "baseline": {"mode": "graph"}},)") {
  Job job;
  job.sweep =
      sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, )" +
                             compare + R"("measure": )" + measure + "}",
                         "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

TEST(FurtherPasses, AreTakenOfWhatIsComparedUnlessAskedFor) {
  EXPECT_TRUE(takes_passes(job_with(R"({"total": "10s"})")));
  EXPECT_TRUE(takes_passes(job_with("{}")));
  EXPECT_FALSE(takes_passes(job_with("{}", ""))) << "nothing is compared";
  EXPECT_FALSE(takes_passes(job_with(R"({"again": false})")));
  EXPECT_TRUE(takes_passes(job_with(R"({"again": false, "total": "10s"})")));
  Job asked = job_with("{}");
  asked.options.rerun = Rerun::failed;
  EXPECT_FALSE(takes_passes(asked)) << "who names what is run again gets that alone";
}

TEST(FurtherPasses, MeasureWhatTheySayInTheTimeThatIsLeft) {
  const Job job = job_with(R"({"total": "10s"})");
  const Job again = job_of(job, {Rerun::fastest, 2.5, ""});
  EXPECT_EQ(again.options.rerun, Rerun::fastest);
  EXPECT_EQ(again.sweep.measure.total_seconds, 2.5);
  EXPECT_EQ(again.options.time, "2.500s");
  EXPECT_EQ(job_of(job, {Rerun::fastest, {}, ""}).sweep.measure.total_seconds, 10);
}

/// Squares of two arms, one for each pair of processes, whose times have these ratios.
std::vector<stats::Sample> squares(const std::vector<double>& ratios) {
  constexpr double seconds_per_step = 0.001;
  testing_support::ResultsBuilder made;
  const auto arm = [&](const char* mode) { return made.trial({{sweep::Param::mode, std::string(mode)}}); };
  const BlockIndex block = made.block({arm("graph"), arm("eager")});
  std::vector<double> of_eager;
  for (const double ratio : ratios) of_eager.push_back(ratio * seconds_per_step);
  made.slices_of_arm(block, 0, std::vector<double>(ratios.size(), seconds_per_step));
  made.slices_of_arm(block, 1, of_eager);
  std::vector<stats::Sample> samples;
  for (const results::SampleRow& row : made.results.samples) samples.push_back(row.sample);
  return samples;
}

/// A run of one comparison, which one square does not decide, within 10 s.
class PassesOfAJob : public testing::Test {
 protected:
  support::TemporaryFolder folder;
  Job job = job_with(R"({"total": "10s", "again": false})");

  void SetUp() override { job.options.out = folder / "results"; }

  results::StoreWriter session() const { return {job.folder(), job.sweep, job.plan, {}, 0.05}; }

  /// A session with one square of arms that do not differ, which tells nothing, or with others.
  void measure(double wall_seconds, const results::SessionEndRecord& end, bool again = false,
               const std::vector<double>& ratios = {1}) const {
    results::StoreWriter writer = session();
    results::BlockRecord record;
    record.block = job.plan.blocks.at(0).hash;
    record.measured_again = again;
    record.end_wall_seconds = record.own_seconds = wall_seconds;
    for (const TrialIndex trial : {job.plan.blocks[0].arms[0], job.plan.blocks[0].arms[1]}) {
      record.arms.emplace_back().trial = job.plan.trials[trial.value].hash;
      record.arms.back().outcome = sweep::Finished{};
    }
    writer.result(record, squares(ratios));
    writer.end_session(end);
  }

  results::Scan journal() const { return results::read_store(job.folder()); }
  Passes passes() const { return {job, journal(), open_blocks(job, journal())}; }
};

TEST_F(PassesOfAJob, AreNoneWhileBlocksAreMissingAndThenDue) {
  EXPECT_FALSE(passes_due(job, journal())) << "nothing was begun";
  Passes first = passes();
  EXPECT_FALSE(first.next(false));
  EXPECT_TRUE(first.session_end().passes_due);
}

TEST_F(PassesOfAJob, CountOnceTheyEnded) {
  Passes first = passes();
  measure(1, {true});
  ASSERT_TRUE(first.next(true));
  EXPECT_EQ(first.session_end().taken.on, 0);
  const auto on = first.next(false);
  ASSERT_TRUE(on);
  EXPECT_EQ(first.session_end().taken.on, 0) << "it was left";
  EXPECT_EQ(on->number.number, 2U) << "the first measured everything";
  EXPECT_EQ(on->number.at_most, 5U) << "three go on with the undecided, and one with early answers";
  for (int taken = 1; taken < 3; ++taken) ASSERT_TRUE(first.next(true)) << taken;
  EXPECT_TRUE(first.session_end().passes_due);
  EXPECT_FALSE(first.next(true)) << "three are enough";
  EXPECT_FALSE(first.session_end().passes_due);
}

TEST_F(PassesOfAJob, AreThoseThatAnEarlierSessionLeft) {
  measure(1, {true});
  measure(2, {true, {1, 2, true}}, true);
  Passes resumed = passes();
  EXPECT_EQ(resumed.session_end().taken.again, 1);
  const auto pass = resumed.next(true);
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->rerun, Rerun::cut_short);
  EXPECT_EQ(pass->number.number, 5U);
  EXPECT_EQ(pass->number.at_most, 6U) << "it is the last but that of early answers";
  EXPECT_EQ(pass->open.continued, std::set<Hash128>{job.plan.blocks[0].hash});
  EXPECT_NEAR(pass->seconds.value_or(0), 10 - 1 - 2, 1e-9);
  EXPECT_FALSE(resumed.next(true)) << "it was the third";
}

TEST_F(PassesOfAJob, AreNoneWhereTheTimeLeftWouldNotHoldOne) {
  measure(6, {true});
  EXPECT_FALSE(passes().next(true)) << "a pair of processes took 6 s, and 4 are left";
}

TEST_F(PassesOfAJob, ConfirmEarlyAnswersOnceTheyAreAll) {
  measure(1, {true}, false, {3.0, 3.01, 2.99});
  Passes all = passes();
  const auto early = all.next(true);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->rerun, Rerun::early);
  EXPECT_EQ(early->number.number, 2U);
  EXPECT_EQ(early->number.at_most, 2U);
  EXPECT_EQ(early->open.continued, std::set<Hash128>{job.plan.blocks[0].hash});
  EXPECT_FALSE(all.next(true)) << "one is enough";
  EXPECT_EQ(all.session_end().taken.early, 1);
}

TEST_F(PassesOfAJob, LeaveConfirmedAnswersAsTheyAre) {
  measure(1, {true}, false, {3.0, 3.01, 2.99, 3.0, 3.01, 2.99, 3.0});
  EXPECT_FALSE(passes().next(true));
}

TEST_F(PassesOfAJob, MeasureTheSameCodeTwiceLast) {
  job = job_with(R"({"total": "100s"})");
  job.options.out = folder / "results";
  measure(1, {true});
  Passes all = passes();
  for (int taken = 0; taken < 3; ++taken) {
    const auto on = all.next(true);
    ASSERT_TRUE(on);
    EXPECT_EQ(on->rerun, Rerun::cut_short);
    EXPECT_EQ(on->number.at_most, 6U);
    EXPECT_TRUE(on->open.finished.contains(job.plan.blocks.back().hash)) << "not before";
  }
  const auto clones = all.next(true);
  ASSERT_TRUE(clones);
  EXPECT_EQ(clones->rerun, Rerun::clones);
  EXPECT_EQ(clones->number.number, 5U);
  EXPECT_EQ(clones->number.at_most, 5U);
  ASSERT_EQ(sweep::clones_of(job.plan), 2U);
  for (const sweep::Block& block : job.plan.blocks)
    EXPECT_EQ(clones->open.finished.contains(block.hash), !block.has_clone);
  EXPECT_FALSE(all.next(true)) << "what did not fit into the time is left";
  EXPECT_FALSE(all.session_end().passes_due);
}

TEST_F(PassesOfAJob, MeasureNoCodeTwiceWithoutTime) {
  job = job_with(R"({"total": "10s"})");
  job.options.out = folder / "results";
  measure(9.9, {true});
  EXPECT_FALSE(blocks_missing(job, journal())) << "nobody waits for clones";
  EXPECT_FALSE(passes().next(true));
}

TEST_F(PassesOfAJob, MeasureOnlyTheClonesForWhichThereIsTime) {
  job = job_with(R"({"total": "100s"})");
  std::set<Hash128> clones;
  double least_seconds = 0;
  for (const sweep::Block& block : job.plan.blocks) {
    if (!block.has_clone) continue;
    clones.insert(block.hash);
    least_seconds = sweep::need_of_slots(job.sweep, job.plan, block, job.sharing.starts).least;
  }
  ASSERT_EQ(clones.size(), 2U);
  results::Results measured;
  measured.trials.resize(job.plan.trials.size());
  const auto fit = [&](std::optional<double> left_seconds) {
    return clones_that_fit(job, measured, clones, left_seconds);
  };
  EXPECT_EQ(fit({}), clones);
  EXPECT_EQ(fit(2.1 * least_seconds), clones);
  EXPECT_EQ(fit(1.9 * least_seconds).size(), 1U);
  EXPECT_TRUE(fit(0.9 * least_seconds).empty());
  results::BlockRow& slow = measured.blocks.emplace_back();  // two pairs of all arms
  slow.own_seconds = 1000;
  for (std::uint32_t trial = 0; trial < measured.trials.size(); ++trial) slow.arms.push_back({trial});
  const results::SampleRow first{{0}, {0}, {.arm = 0, .phase = stats::Phase::first}};
  measured.samples = {first, first};
  EXPECT_TRUE(fit(2.1 * least_seconds).empty()) << "its arms took longer than was planned";
  EXPECT_EQ(fit(2100), clones);
}

TEST_F(PassesOfAJob, StayDueWhereSomethingElseIsAskedFor) {
  measure(1, {true, {0, 2, true}});
  job.options.rerun = Rerun::failed;
  Passes asked = passes();
  EXPECT_FALSE(asked.next(true));
  EXPECT_TRUE(asked.session_end().passes_due);
  EXPECT_EQ(asked.session_end().taken.on, 2);
  measure(1, {});
  EXPECT_FALSE(passes().session_end().passes_due);
}

}  // namespace
}  // namespace regatta::launcher
