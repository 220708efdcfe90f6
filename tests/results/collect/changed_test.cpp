#include "regatta/results/changed.hpp"

#include <gmock/gmock.h>

#include "regatta/results/open_work.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string numpy_part = "the version of numpy";

sweep::Origins with_numpy(const std::string& number) {
  return {{"native", {{"the contents of w", "1"}}},
          {"numpy", {{numpy_part, number}}},
          {"limits", {{"limits.attempts", "3"}}}};
}

/// Two blocks of three arms: native eager and graph, and numpy.
class Changed : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();

  StoreWriter session(const sweep::Origins& origins, bool keeps_changed = false) {
    Provenance provenance = sample_provenance(sample.sweep.text);
    provenance.origins = origins;
    provenance.keeps_changed = keeps_changed;
    return {folder, sample.sweep, sample.plan, provenance, 0.05};
  }
  void measure(const sweep::Origins& origins, std::uint32_t block, sweep::Outcome of_first = sweep::Finished{}) {
    StoreWriter writer = session(origins);
    BlockRecord record = finished_block(sample.plan, {block});
    record.arms[0].outcome = std::move(of_first);
    writer.result(record, block_samples(sample.plan, {block}));
    writer.end_session();
  }
  ChangedBlocks changed(const sweep::Origins& now) { return changed_blocks(read_store(folder), sample.plan, now); }
};

TEST_F(Changed, BlocksAreThoseWithAnArmOfAnotherOrigin) {
  measure(with_numpy("1"), 0);
  measure(with_numpy("2"), 1);
  EXPECT_THAT(changed(with_numpy("2")), SizeIs(1));
  const ChangedArms arms = changed(with_numpy("2")).at(sample.plan.blocks[0].hash);
  EXPECT_THAT(arms, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(numpy_part + " (1 then, 2 now)")));
  measure(with_numpy("2"), 0);
  EXPECT_THAT(changed(with_numpy("2")), IsEmpty()) << "it was measured again";
}

TEST_F(Changed, NothingIsThatNoSessionTold) {
  measure({}, 0);
  EXPECT_THAT(changed(with_numpy("2")), IsEmpty()) << "an earlier version measured it";
  measure({{"native", {{"the contents of w", "1"}}}}, 1);
  EXPECT_THAT(changed(with_numpy("2")), IsEmpty());
}

TEST_F(Changed, LimitsDecideWhatFailed) {
  sweep::Origins now = with_numpy("1");
  now["limits"]["limits.attempts"] = "5";
  measure(with_numpy("1"), 0);
  EXPECT_THAT(changed(now), IsEmpty());
  measure(with_numpy("1"), 1, sweep::Failed{sweep::FailureKind::timed_out, "slow"});
  EXPECT_THAT(changed(now).at(sample.plan.blocks[1].hash)[0], ElementsAre("limits.attempts (3 then, 5 now)"));
}

TEST_F(Changed, RowsAreOpenUntilTheyAreMeasuredAgain) {
  measure(with_numpy("1"), 0);
  measure(with_numpy("1"), 1);
  EXPECT_TRUE(collect(folder).complete);
  { session(with_numpy("2")); }  // killed before it recorded anything
  const Results results = collect(folder);
  EXPECT_FALSE(results.complete);
  for (const BlockRow& block : results.blocks) EXPECT_EQ(block.attempt, 0);
  EXPECT_THAT(open_work(folder).blocks, SizeIs(2));
  measure(with_numpy("2"), 0);
  EXPECT_THAT(open_work(folder).blocks, SizeIs(1));
}

TEST_F(Changed, RowsThatAreKeptAreMarked) {
  measure(with_numpy("1"), 0);
  measure(with_numpy("1"), 1);
  { session(with_numpy("2"), true).end_session(); }
  const Results results = collect(folder);
  EXPECT_TRUE(results.complete);
  EXPECT_THAT(open_work(folder).blocks, IsEmpty());
  std::size_t marked = 0;
  for (const TrialRow& row : results.trials) {
    const std::string mark = sweep::text_of(row.facts, sweep::Fact::changed_since);
    if (sweep::text_of(row.parameters, sweep::Param::engine) == "numpy") {
      EXPECT_EQ(mark, numpy_part + " (1 then, 2 now)");
      ++marked;
    } else {
      EXPECT_EQ(mark, "");
    }
  }
  EXPECT_EQ(marked, 2U);
  for (const BlockRow& block : results.blocks)
    EXPECT_EQ(block.flags, (stats::Flags{stats::Flag::changed_since, stats::Flag::neighbours}));
  EXPECT_EQ(last_origins(read_store(folder)).origins, with_numpy("2"));
  EXPECT_TRUE(last_origins(read_store(folder)).keeps_changed);
}

SampleSweep commands(const std::string& argument, const std::string& metric = "json:s") {
  SampleSweep sample;
  sample.sweep =
      sweep::parse_sweep(R"({"regatta": 1, "name": "small", "axes": {"engine": "command", "command": ["a", "b"]},
    "commands": {"a": {"argv": ["x", ")" +
                             argument + R"("], "metric": ")" + metric + R"("}, "b": {"argv": ["y"]}}})",
                         "/somewhere/small.json");
  sample.plan = sweep::make_plan(sample.sweep);
  return sample;
}

TEST_F(Changed, WordsOfTheSweepAreToldByWhatTheyAreOf) {
  sample = commands("--slow");
  const auto what = [&](const SampleSweep& now) {
    std::vector<std::string> all;
    for (const OtherWords& other : other_words(folder, read_store(folder), now.sweep, now.plan)) {
      all.push_back(other.what);
      EXPECT_THAT(other.trials, ElementsAre(TrialIndex{0}));
    }
    return all;
  };
  EXPECT_THAT(what(sample), IsEmpty()) << "nothing was recorded";
  { session({}); }
  EXPECT_THAT(what(sample), IsEmpty());
  EXPECT_THAT(what(commands("--fast")), ElementsAre("the arguments of the command a"));
  EXPECT_THAT(what(commands("--slow", "json:t")), ElementsAre("the metric of the command a"));
}

SampleSweep training(const std::string& train) {
  SampleSweep sample;
  sample.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "small", "task": "train", "axes": {"model": "mlp-10"},
    "train": )" + train + "}",
                                    "/somewhere/small.json");
  sample.plan = sweep::make_plan(sample.sweep);
  return sample;
}

TEST_F(Changed, ATrainingIsToldByWhatIsOtherOfIt) {
  sample = training(R"({"epochs": 2})");
  { session({}); }
  const auto what = [&](const std::string& train) {
    const SampleSweep now = training(train);
    std::vector<std::string> all;
    for (const OtherWords& other : other_words(folder, read_store(folder), now.sweep, now.plan))
      all.push_back(other.what);
    return all;
  };
  EXPECT_THAT(what(R"({"epochs": 2, "seeds": 3})"), IsEmpty()) << "more runs are the same trial";
  EXPECT_THAT(what(R"({"epochs": 3})"), ElementsAre("the training (epochs)"));
  EXPECT_THAT(what(R"({"steps": 3, "evaluations": 4})"), ElementsAre("the training (epochs, steps, evaluations)"));
}

}  // namespace
}  // namespace regatta::results
