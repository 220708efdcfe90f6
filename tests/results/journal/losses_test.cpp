#include <gmock/gmock.h>

#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"
#include "results/sample_sweep.hpp"

namespace regatta::results {
namespace {

/// A journal in which two blocks are handed out, and their results recorded.
std::vector<std::string> granted_pieces(const sweep::Plan& plan) {
  std::vector<std::string> texts = {opening_frame()};
  const auto add = [&](const Record& record) { texts.push_back(frame_of(record, texts.size())); };
  for (const sweep::Block& block : plan.blocks) add(to_record(GrantedRecord{block.hash, 1, 0}));
  for (const sweep::Block& block : plan.blocks) add(to_record(ResultRecord{finished_block(plan, block.index), {}}));
  return texts;
}

std::vector<Loss> losses_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return losses(pieces_of(all));
}

TEST(Losses, RecordWhoseHeadCanBeReadIsNamedWithItsBlock) {
  const SampleSweep sample = sample_sweep();
  auto texts = granted_pieces(sample.plan);
  texts[4][texts[4].size() - 2] ^= 1;
  const auto lost = losses_of(texts);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].kind, "result");
  EXPECT_EQ(lost[0].place.sequence, 4U);
  ASSERT_EQ(lost[0].blocks.size(), 1U);
  EXPECT_EQ(lost[0].blocks[0].block, sample.plan.blocks[1].hash);
}

TEST(Losses, RecordWithoutAHeadMayHaveBeenOfABlockThatHasNoResult) {
  const SampleSweep sample = sample_sweep();
  auto texts = granted_pieces(sample.plan);
  texts[4][0] = 'x';
  const auto lost = losses_of(texts);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].kind, "");
  ASSERT_EQ(lost[0].blocks.size(), 1U) << "the other one has its result";
  EXPECT_EQ(lost[0].blocks[0].block, sample.plan.blocks[1].hash);
}

TEST(Losses, NothingIsGuessedOfBlocksThatWereHandedOutLater) {
  const SampleSweep sample = sample_sweep();
  auto texts = granted_pieces(sample.plan);
  texts[1][0] = 'x';  // before anything is
  texts.pop_back();
  const auto lost = losses_of(texts);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].blocks.empty());
}

TEST(Losses, WhatStandsThereBesideAllThatShouldIsNoRecord) {
  const SampleSweep sample = sample_sweep();
  auto texts = granted_pieces(sample.plan);
  texts[2] += texts[1];
  texts.pop_back();  // a block without a result is there to be guessed
  const auto lost = losses_of(texts);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].records, 0U);
  EXPECT_TRUE(lost[0].blocks.empty());
}

TEST(Losses, TrialsOfABlockAreThoseOfThePlan) {
  const SampleSweep sample = sample_sweep();
  Salvaged salvaged;
  salvaged.lost = {{{}, 1, "result", {{sample.plan.blocks[1].hash}, {hash128("of another plan")}}, ""}};
  name_trials(salvaged, to_record(plan_record(sample.sweep, sample.plan), {}));
  const auto& blocks = salvaged.lost[0].blocks;
  ASSERT_EQ(blocks[0].trials.size(), 3U);
  EXPECT_EQ(blocks[0].trials[2], sample.plan.trials[sample.plan.blocks[1].arms[2].value].parameters);
  EXPECT_TRUE(blocks[1].trials.empty());
  EXPECT_EQ(salvaged.axes.size(), 4U);
}

}  // namespace
}  // namespace regatta::results
