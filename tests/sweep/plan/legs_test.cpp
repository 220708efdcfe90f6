#include <gtest/gtest.h>

#include <set>

#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/task_of.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Legs, EachRungIsSoManyTimesAsLongAsTheOneBefore) {
  const Search search{.halves = true, .rungs = 4, .factor = 3, .at_most = 8};
  EXPECT_DOUBLE_EQ(end_of_rung(search, 0), 1.0 / 27);
  EXPECT_DOUBLE_EQ(end_of_rung(search, 2), 1.0 / 3);
  EXPECT_EQ(end_of_rung(search, 3), 1);
}

TEST(Legs, ALoneRungIsTheHorizon) {
  EXPECT_EQ(end_of_rung({.halves = true, .rungs = 1, .factor = 3, .at_most = 8}, 0), 1);
  EXPECT_EQ(end_of_rung({.halves = false, .rungs = 4, .factor = 3, .at_most = 8}, 0), 1);
}

TEST(Legs, RungsBeyondTheLastAreAMistake) {
  EXPECT_THROW(end_of_rung({.halves = true, .rungs = 2, .factor = 3, .at_most = 8}, 2), InternalError);
  EXPECT_THROW(end_of_rung({.halves = false, .rungs = 4, .factor = 3, .at_most = 8}, 1), InternalError);
}

Sweep training(const std::string& train, const std::string& more = "") {
  return parse_sweep(file_with(R"("task": "train", "axes": {"model": "mlp-10", "learning_rate": [0.1, 0.2]},
    "train": )" + train + more),
                     "s.json", any_environment());
}

constexpr const char* search = R"(, "objective": {"metric": "validation_accuracy"}, "search": {"kind": "halving"})";

TEST(Legs, WithoutASearchAreAllSeedsOfAllConfigurations) {
  const Plan plan = make_plan(training(R"({"epochs": 1, "seeds": 3, "repeat": false})"));
  ASSERT_EQ(plan.blocks.size(), 6U);
  for (const Block& block : plan.blocks) {
    EXPECT_EQ(block.arms.size(), 1U);
    EXPECT_EQ(block.leg->purpose, Purpose::plain);
    EXPECT_EQ(block.leg->to, 1);
  }
}

TEST(Legs, OfASearchHaveOneNumberOfRanksForEachConfiguration) {
  const auto error = [](const std::string& axes, const std::string& more) {
    return error_with(R"("task": "train", "train": {"epochs": 1, "seeds": 3}, "axes": {"model": "mlp-784", )" + axes +
                      "},\n" + more.substr(2));
  };
  EXPECT_EQ(
      error(R"("learning_rate": [0.1, 0.2], "ranks": [1, 2])", search),
      "s.json:3: /search: found a search over \"ranks\": one configuration with 1 and with 2 of them, expected one "
      "number of ranks for each configuration: it decides how long a training takes, not what is learned. A sweep "
      "without \"search\" times several");
  EXPECT_EQ(error(R"("learning_rate": [0.1, 0.2], "ranks": [2])", search), "no error");
  EXPECT_EQ(
      error(
          R"("learning_rate": [0.1, 0.2], "ranks": [1, 2]}, "zip": ["learning_rate", "ranks"], "limits": {"attempts": 1)",
          search),
      "no error");
  EXPECT_EQ(
      error(R"("learning_rate": [0.1, 0.2], "ranks": [1, 2])", R"(, "objective": {"metric": "validation_accuracy"})"),
      "no error");
}

TEST(Legs, OfASearchAreAllThatItMayAskFor) {
  const Sweep sweep = training(R"({"epochs": 1, "seeds": 3})", search);
  const std::vector<Leg> legs = possible_legs(*sweep.training, sweep.search);
  ASSERT_EQ(legs.size(), 3U + 3 + 3 + 3 + 1);
  EXPECT_EQ(legs[0].from, 0);
  EXPECT_EQ(legs[1].from, legs[0].to);
  EXPECT_EQ(legs[2].to, 1);
  EXPECT_EQ(legs[11].purpose, Purpose::test);
  EXPECT_EQ(legs[11].seed, first_fresh_seed + 2);
  EXPECT_EQ(legs.back(), (Leg{Purpose::again, first_fresh_seed, 0, 0, 1}));
  const Plan plan = make_plan(sweep);
  ASSERT_EQ(plan.blocks.size(), 2 * legs.size());
  EXPECT_EQ(plan.blocks[legs.size() - 1].leg->purpose, Purpose::search) << "of the second configuration";
  EXPECT_EQ(plan.blocks.back().leg->purpose, Purpose::again);
}

TEST(Legs, HaveIdentitiesOfTheirOwnThatMoreSeedsDoNotChange) {
  std::set<Hash128> few;
  for (const Block& block : make_plan(training(R"({"epochs": 1, "seeds": 2})")).blocks) few.insert(block.hash);
  EXPECT_EQ(few.size(), 4U + 2) << "and a repeat of each";
  std::set<Hash128> more;
  for (const Block& block : make_plan(training(R"({"epochs": 1, "seeds": 3})")).blocks) more.insert(block.hash);
  EXPECT_EQ(more.size(), 6U + 2);
  for (const Hash128& hash : few) EXPECT_TRUE(more.contains(hash));
}

TEST(Legs, AreOthersWhereARunIsAnother) {
  const auto first = [](const std::string& train) { return make_plan(training(train)).blocks.front().hash; };
  const Hash128 hash = first(R"({"epochs": 1})");
  EXPECT_NE(first(R"({"epochs": 2})"), hash);
  EXPECT_NE(first(R"({"steps": 1})"), hash);
  EXPECT_NE(first(R"({"epochs": 1, "validation": 0.3})"), hash);
  EXPECT_NE(first(R"({"epochs": 1, "early_stop": {}})"), hash);
  EXPECT_EQ(first(R"({"epochs": 1, "keep_weights": true})"), hash);
  EXPECT_EQ(first(R"({"epochs": 1, "repeat": false})"), hash);
}

TEST(Legs, ARepeatIsWantedForEachEngineOnce) {
  const auto wants = [](const std::string& train, const std::string& more) {
    const Sweep sweep = training(train, more);
    return wants_repeats(sweep, make_plan(sweep));
  };
  EXPECT_FALSE(wants(R"({"epochs": 1, "seeds": 4})", "")) << "one of nine trainings";
  EXPECT_TRUE(wants(R"({"epochs": 1, "seeds": 5})", ""));
  EXPECT_TRUE(wants(R"({"epochs": 1, "seeds": 4, "repeat": true})", ""));
  EXPECT_TRUE(wants(R"({"epochs": 1, "seeds": 4})", search));
  EXPECT_FALSE(wants(R"({"epochs": 1, "seeds": 4, "repeat": false})", search));
}

TEST(Legs, AreOnlyTrainedOfWhatLearns) {
  const Sweep sweep = parse_sweep(file_with(R"("task": "train", "axes": {"model": ["mlp-10", "noop", "matmul-1000"]},
    "train": {"epochs": 1, "seeds": 2, "repeat": false})"),
                                  "s.json", any_environment());
  const Plan plan = make_plan(sweep);
  ASSERT_EQ(plan.trials.size(), 3U);
  EXPECT_EQ(plan.blocks.size(), 2U);
  EXPECT_FALSE(plan.trials[0].skip_reason);
  EXPECT_EQ(plan.trials[1].skip_reason,
            "it has nothing to train; name a network of layers or a user's own model, and its engine");
}

TEST(Legs, ATaskHasTheSeedOfItsLeg) {
  const Sweep sweep = training(R"({"epochs": 1, "seeds": 3})");
  const Plan plan = make_plan(sweep);
  EXPECT_EQ(plan.trials.front().parameters[Param::seed], Value());
  const BlockTask task = task_of(sweep, plan, plan.blocks[2], {});
  EXPECT_EQ(task.arms.front().parameters[Param::seed], Value(std::int64_t{2}));
  EXPECT_EQ(task.leg, plan.blocks[2].leg);
  EXPECT_EQ(task.training.epochs, 1);
}

}  // namespace
}  // namespace regatta::sweep
