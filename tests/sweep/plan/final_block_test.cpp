#include "regatta/sweep/final_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::sweep {
namespace {

/// Two settings of nine cells, each in two blocks; and what explains them.
Plan nine_cells(const std::string& measure = "{}") {
  return make_plan(parse_sweep(R"({"regatta": 1, "name": "n", "axes": {"model": ["mlp-10", "mlp-784"],
    "batch": [1, 2, 3, 4, 5, 6, 7, 8, 9], "threads": 2}, "compare": {"over": ["batch"], "baseline": {"batch": 1}},
    "measure": )" + measure + "}",
                               "n.json"));
}

/// The first cells of a setting beside its baseline.
std::vector<TrialIndex> first_cells(const Plan& plan, std::size_t count) {
  std::vector<TrialIndex> arms = {plan.blocks.at(0).arms.front()};
  for (const Block& block : plan.blocks) {
    if (!block.has_baseline || block.arms.front() != arms.front()) continue;
    for (std::size_t at = 1; at < block.distinct_arms() && arms.size() <= count; ++at) arms.push_back(block.arms[at]);
  }
  return arms;
}

TEST(FinalBlock, HoldsCellsOfSeveralBlocksWithAnIdentityOfItsOwn) {
  const Plan plan = nine_cells();
  ASSERT_EQ(plan.blocks.size() - clones_of(plan), 4U);
  const auto arms = first_cells(plan, 8);
  const std::vector<TrialIndex> chosen = {arms[0], arms[2], arms[7], arms[8]};
  const auto final = final_block(plan, chosen);
  ASSERT_TRUE(final);
  EXPECT_EQ(final->arms, chosen);
  EXPECT_TRUE(final->is_final && final->has_baseline && !final->has_clone);
  EXPECT_EQ(final->demand.cores, 2);
  const auto family = [&](TrialIndex arm) {
    for (const Block& block : plan.blocks) {
      for (std::size_t at = 1; at < block.distinct_arms(); ++at) {
        if (block.arms[at] == arm) return block.families.at(at - 1);
      }
    }
    return Family{};
  };
  EXPECT_EQ(final->families, (std::vector{family(chosen[1]), family(chosen[2]), family(chosen[3])}));
  Plan again = plan;
  const Block& first = plan.blocks[0];
  EXPECT_NE(final_block(again, {first.arms.begin(), first.arms.begin() + 6})->hash, first.hash);
  EXPECT_NE(final_block(again, {arms[0], arms[7], arms[2], arms[8]})->hash, final->hash);
}

TEST(FinalBlock, LeavesACellOutWithItsShareOfWhatMayErr) {
  const Plan plan = nine_cells();
  EXPECT_EQ(final_block(plan, first_cells(plan, 5))->exclusions, 2 * 5U) << "the first pass may err in the other half";
  EXPECT_EQ(final_block(plan, first_cells(plan, 8))->exclusions, 8U) << "nobody was left out before";
}

TEST(FinalBlock, IsNoneOfWhatIsNoCellBesideItsBaseline) {
  const Plan plan = nine_cells();
  const auto arms = first_cells(plan, 2);
  EXPECT_FALSE(final_block(plan, {arms[0]}));
  EXPECT_FALSE(final_block(plan, {arms[0], arms[1], arms[1]}));
  EXPECT_FALSE(final_block(plan, {arms[1], arms[0]})) << "its baseline stands first";
  EXPECT_FALSE(final_block(plan, {arms[0], plan.blocks[3].arms.back()})) << "of another setting";
}

TEST(WithFinals, StandBehindTheBlocksOfTrialsAndBeforeThoseThatExplain) {
  const Plan plan = nine_cells(R"({"explain": true})");
  const auto arms = first_cells(plan, 5);
  const Plan once = with_finals(plan, {*final_block(plan, arms)});
  ASSERT_EQ(once.blocks.size(), plan.blocks.size() + 1);
  EXPECT_TRUE(once.blocks[5].is_final);
  EXPECT_TRUE(once.blocks[6].is_intervention());
  for (std::size_t at = 0; at < once.blocks.size(); ++at) EXPECT_EQ(once.blocks[at].index.value, at);
  const auto other = *final_block(once, {arms[0], arms[1]});
  const Plan twice = with_finals(once, {other});
  EXPECT_EQ(std::ranges::count_if(twice.blocks, &Block::is_final), 1);
  EXPECT_EQ(twice.blocks[5].hash, other.hash);
  EXPECT_EQ(with_finals(twice, {}).blocks.size(), plan.blocks.size());
}

TEST(FinalsToCome, AreOneForEachSettingOfManyCells) {
  const Plan plan = nine_cells();
  const auto finals = finals_to_come(plan);
  ASSERT_EQ(finals.size(), 2U);
  for (const Block& final : finals) EXPECT_EQ(final.arms.size(), 6U);
  EXPECT_EQ(finals[0].arms, first_cells(plan, 5));
  EXPECT_TRUE(finals_to_come(with_finals(plan, {*final_block(plan, first_cells(plan, 5))})).size() == 2);
  const Plan few = make_plan(parse_sweep(R"({"regatta": 1, "name": "n", "axes": {"model": "mlp-10",
    "batch": [1, 2, 3, 4, 5]}, "compare": {"over": ["batch"], "baseline": {"batch": 1}}})",
                                         "n.json"));
  EXPECT_TRUE(finals_to_come(few).empty());
}

}  // namespace
}  // namespace regatta::sweep
