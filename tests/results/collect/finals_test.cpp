#include "regatta/results/finals.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "regatta/results/store.hpp"
#include "regatta/sweep/final_block.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two settings of three cells: native eager (the baseline) and graph, and numpy. All blocks of the plan are recorded.
class RecordedFinals : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();
  sweep::Origins origins = {{"native", {{"the contents of w", "1"}}}, {"numpy", {{"the version of numpy", "1"}}}};

  void SetUp() override { write_whole_store(folder, sample); }

  /// The final of the baseline of a block of the plan and others of its arms.
  sweep::Block final_of(std::uint32_t block, std::vector<std::size_t> others) const {
    const auto& arms = sample.plan.blocks.at(block).arms;
    std::vector<TrialIndex> chosen = {arms.front()};
    for (const std::size_t other : others) chosen.push_back(arms.at(other));
    return *sweep::final_block(sample.plan, chosen);
  }

  /// A session that measures a final, whose steps take `steady` samples.
  void measure(const sweep::Block& final, std::uint32_t steady = 5,
               const std::function<void(BlockRecord&)>& change = {}, bool keeps_changed = false) const {
    const sweep::Plan plan = sweep::with_finals(sample.plan, {final});
    Provenance provenance = sample_provenance(sample.sweep.text);
    provenance.origins = origins;
    provenance.keeps_changed = keeps_changed;
    StoreWriter writer(folder, sample.sweep, plan, provenance, 0.05);
    writer.agent(sample_agent());
    const BlockIndex index{static_cast<std::uint32_t>(plan.blocks.size() - 1)};
    BlockRecord record = finished_block(plan, index);
    record.measured_again = true;
    if (change) change(record);
    writer.result(record, block_samples(plan, index, steady));
    writer.end_session();
  }

  Finals finals() const { return recorded_finals(read_store(folder), sample.plan, origins, false); }
  static std::vector<Hash128> hashes(const Finals& finals) {
    std::vector<Hash128> hashes;
    for (const sweep::Block& block : finals.blocks) hashes.push_back(block.hash);
    return hashes;
  }
};

TEST_F(RecordedFinals, AreBlocksOfTheResultsBehindThoseOfThePlan) {
  EXPECT_THAT(finals().blocks, IsEmpty());
  const sweep::Block final = final_of(0, {2});
  measure(final);
  const Results results = collect(folder);
  ASSERT_EQ(results.blocks.size(), sample.plan.blocks.size() + 1);
  EXPECT_EQ(results.blocks.back().hash, final.hash);
  EXPECT_EQ(results.blocks.back().arms, final.arms);
  EXPECT_TRUE(results.blocks.back().measured_again && results.blocks.back().has_baseline);
  EXPECT_FALSE(results.blocks.front().measured_again);
  EXPECT_EQ(results.trials[final.arms[1].value].metrics.at("n"), 5) << "what was measured again is its figure";
  EXPECT_EQ(results.trials[sample.plan.blocks[0].arms[1].value].metrics.at("n"), 3) << "others keep theirs";
  EXPECT_EQ(results.other_blocks, 0);
  EXPECT_TRUE(results.complete);
}

TEST_F(RecordedFinals, ThatCountAreTheLastOfEachSetting) {
  measure(final_of(0, {1}));
  measure(final_of(1, {1}));
  measure(final_of(0, {2}));
  EXPECT_THAT(hashes(finals()), ElementsAre(final_of(0, {2}).hash, final_of(1, {1}).hash));
  EXPECT_THAT(finals().others, ElementsAre(final_of(0, {1}).hash));
  EXPECT_EQ(collect(folder).blocks.size(), sample.plan.blocks.size() + 2);
  EXPECT_EQ(collect(folder).other_blocks, 0);
}

TEST_F(RecordedFinals, CountOnceTheyWereMeasuredToTheirEnd) {
  const sweep::Block final = final_of(0, {2});
  measure(final, 5, [](BlockRecord& record) { record.interrupted = true; });
  EXPECT_THAT(finals().blocks, IsEmpty());
  EXPECT_EQ(collect(folder).trials[final.arms[1].value].metrics.at("n"), 3) << "the first figures stand until then";
  EXPECT_EQ(collect(folder).other_blocks, 0);
  measure(final, 5, [](BlockRecord& record) { record.continues = true; });
  EXPECT_THAT(hashes(finals()), ElementsAre(final.hash));
  EXPECT_EQ(collect(folder).trials[final.arms[1].value].metrics.at("n"), 10) << "it went on";
  measure(final, 5, [](BlockRecord& record) { record.continues = record.interrupted = true; });
  EXPECT_THAT(hashes(finals()), ElementsAre(final.hash)) << "what is measured on stands";
}

TEST_F(RecordedFinals, CountNoMoreOnceAnArmHasChanged) {
  const sweep::Block final = final_of(0, {2});
  measure(final);
  measure(final_of(1, {1}));
  origins["numpy"]["the version of numpy"] = "2";
  EXPECT_THAT(hashes(finals()), ElementsAre(final_of(1, {1}).hash));
  EXPECT_THAT(finals().others, ElementsAre(final.hash));
  EXPECT_EQ(recorded_finals(read_store(folder), sample.plan, origins, true).blocks.size(), 2U) << "it is kept";
}

TEST_F(RecordedFinals, AreThoseThatTheirArmsMakeThem) {
  const sweep::Block final = final_of(0, {2});
  measure(final, 5, [](BlockRecord& record) { record.block = hash128("forged"); });
  measure(final, 5, [](BlockRecord& record) { record.arms[1].trial = hash128("left the sweep"); });
  EXPECT_THAT(finals().blocks, IsEmpty());
  EXPECT_THAT(finals().others, IsEmpty());
  EXPECT_EQ(collect(folder).other_blocks, 2);
}

TEST_F(RecordedFinals, LeaveTheFirstFigureToACellThatFailedInThem) {
  const sweep::Block final = final_of(0, {1, 2});
  measure(final, 5, [](BlockRecord& record) {
    record.arms[2].outcome = sweep::Failed{sweep::FailureKind::crashed, "this time"};
  });
  const Results results = collect(folder);
  const TrialRow& row = results.trials[final.arms[2].value];
  EXPECT_STREQ(sweep::status_of(row.outcome), "finished");
  EXPECT_EQ(row.metrics.at("n"), 3);
  for (const SampleRow& sample_row : results.samples)
    EXPECT_FALSE(sample_row.trial == final.arms[2] && sample_row.block.value + 1 == results.blocks.size());
}

}  // namespace
}  // namespace regatta::results
