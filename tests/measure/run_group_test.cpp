#include "regatta/measure/run_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "measure/simulated_group.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

constexpr double one_margin = 1.5;  // the second arm takes half as long again: soon decided

std::vector<std::vector<SimulatedArm>> cells(double start) {
  std::vector<std::vector<SimulatedArm>> cells;
  for (const double step_seconds : {1e-4, 1e-3, 3e-3})
    cells.push_back({{.step_seconds = step_seconds, .start_seconds = start},
                     {.step_seconds = one_margin * step_seconds, .start_seconds = start}});
  return cells;
}

/// Three blocks of two arms, with steps of 0.1, 1 and 3 ms.
struct ThreeBlocks : SimulatedGroup {
  explicit ThreeBlocks(double start) : SimulatedGroup(cells(start)) {
    for (std::uint8_t at = 0; at < 3; ++at) {
      sweep::BlockTask& task = tasks.emplace_back(comparison(2, 60));
      task.block = {at};
      task.hash.bytes[0] = at;
    }
  }

  void share(double total_seconds) {
    for (sweep::BlockTask& task : tasks) {
      task.wall_seconds = total_seconds / static_cast<double>(tasks.size());
      task.measure.total_seconds = total_seconds;
    }
  }

  /// Blocks in the order of their visits: each begins with a first step of the baseline.
  [[nodiscard]] std::vector<std::size_t> visits() const {
    std::vector<std::size_t> blocks;
    for (const Asked& asked : machine.slices(0, Phase::first)) blocks.push_back(asked.block);
    return blocks;
  }

  /// Processes of the baseline that started.
  [[nodiscard]] std::size_t starts() const { return machine.count(Verb::renew, 0) + 1; }

  [[nodiscard]] const protocol::BlockResult& result(std::size_t block) const {
    return std::get<protocol::BlockResult>(ended.at(block).front());
  }
};

std::set<std::size_t> as_set(std::span<const std::size_t> blocks) { return {blocks.begin(), blocks.end()}; }

std::size_t pairs_of(std::span<const stats::Sample> samples) {
  return static_cast<std::size_t>(std::ranges::count_if(
      samples, [](const stats::Sample& sample) { return sample.arm == 0 && sample.phase == Phase::first; }));
}

TEST(Tours, MeasureAPairOfEachBlockBeforeAnyHasItsSecond) {
  for (const double start : {1.0, 10.0, 60.0}) {
    ThreeBlocks group(start);
    group.machine.noise = undecidable;
    group.share(15 * start + 60);
    group.run();
    const std::vector<std::size_t> order = group.visits();
    ASSERT_GE(order.size(), 6U) << start;
    EXPECT_EQ(std::vector(order.begin(), order.begin() + 3), (std::vector<std::size_t>{0, 1, 2})) << start;
    EXPECT_EQ(as_set(std::span(order).subspan(3, 3)), (std::set<std::size_t>{0, 1, 2})) << start;
    EXPECT_EQ(group.machine.broken_rules, std::vector<std::string>()) << start;
  }
}

TEST(Tours, StartTheirProcessesOnceForAllBlocks) {
  ThreeBlocks group(10);
  group.machine.noise = undecidable;
  group.share(400);
  group.run();
  const std::size_t tours = (group.visits().size() + 2) / 3;
  ASSERT_GE(tours, 3U);
  EXPECT_EQ(group.starts(), tours);
  const auto order = group.visits();
  for (std::size_t at = 0; at < 3; ++at) EXPECT_GE(std::ranges::count(order, at), std::ptrdiff_t(tours) - 1) << at;
}

TEST(Tours, EndABlockThatIsDecidedAndVisitTheOthersOn) {
  ThreeBlocks group(1);
  group.machine.noise = [&](const SimulatedSlice& slice) {
    return group.machine.block == 1 ? undecidable(slice) : Disturbed();
  };
  group.share(120);
  group.run();
  std::map<std::size_t, std::size_t> visits;
  for (const std::size_t block : group.visits()) ++visits[block];
  EXPECT_EQ(visits[0], visits[2]);
  EXPECT_GT(visits[1], visits[0] + 2) << "it has the time that they left";
  EXPECT_EQ(sweep::text_of(group.result(0).arms[1].facts, sweep::Fact::why_stopped), "decided");
  EXPECT_EQ(sweep::text_of(group.result(1).arms[1].facts, sweep::Fact::why_stopped), "wall time spent");
}

TEST(Tours, JudgeABlockByHowPairsOfTheOthersScatterInToursBefore) {
  const auto visits_of_the_first = [](double spread_of_others) {
    ThreeBlocks group(1);
    group.machine.noise = [&](const SimulatedSlice& slice) -> Disturbed {
      if (slice.arm == 0 || slice.phase != Phase::steady) return {};
      const double side = slice.process % 2 == 0 ? 1 : -1;
      if (group.machine.block == 0) return {.log_time = std::log(1.05 / one_margin) + 0.004 * side};
      return {.log_time = spread_of_others * side};
    };
    group.share(120);
    group.run();
    EXPECT_EQ(sweep::text_of(group.result(0).arms[1].facts, sweep::Fact::why_stopped), "decided");
    return std::ranges::count(group.visits(), std::size_t{0});
  };
  EXPECT_LT(visits_of_the_first(0.004), visits_of_the_first(0.3));
}

TEST(Tours, PilotAnArmOnceAndWarmItUpByAsManySteps) {
  ThreeBlocks group(1);
  group.machine.noise = undecidable;
  group.share(60);
  group.run();
  std::size_t warmups = 0;  // warm-ups of block 1 behind its first pair
  std::size_t pairs = 0;
  for (const Asked& asked : group.machine.asked) {
    if (asked.block != 1 || asked.arm != 0 || asked.verb != Verb::slice) continue;
    pairs += asked.phase == Phase::first ? 1 : 0;
    warmups += pairs > 1 && asked.phase == Phase::warmup ? 1 : 0;
  }
  ASSERT_GT(pairs, 2U);
  EXPECT_EQ(warmups, pairs - 1);
}

TEST(Tours, KeepToTheTimeOfAllBlocks) {
  for (const double start : {1.0, 10.0, 60.0}) {
    for (int more = 0; more < 10; ++more) {
      ThreeBlocks group(start);
      group.machine.noise = undecidable;
      const double total = 10 * start + 40 + 0.31 * start * more;
      group.share(total);
      group.run();
      EXPECT_LE(group.machine.now(), total + 1) << start << " s, " << more;
      EXPECT_GT(group.machine.now(), total - 2 * start - 10) << "and use it: " << start << " s";
      EXPECT_NEAR(group.budget.wall.unused_seconds, total - group.machine.now(), 1e-6);
    }
  }
}

TEST(Tours, VisitEveryBlockOnceWhateverTheTime) {
  ThreeBlocks group(10);
  group.share(5);
  group.run();
  for (std::size_t at = 0; at < 3; ++at) EXPECT_GE(pairs_of(group.result(at).samples), 1U) << at;
}

TEST(Tours, TellEachVisitAndAtTheEndWhatIsNew) {
  ThreeBlocks group(5);
  group.machine.noise = undecidable;
  group.share(200);
  group.run();
  std::map<std::size_t, std::size_t> pairs;
  for (const auto& [block, result] : group.visited) {
    pairs[block] += pairs_of(result.samples);
    std::uint32_t least_slice = 1000;
    std::uint16_t least_square = 1000;
    for (const stats::Sample& sample : result.samples) {
      least_slice = std::min(least_slice, sample.slice);
      if (sample.phase == Phase::steady) least_square = std::min(least_square, sample.square);
    }
    EXPECT_EQ(least_slice, 0U);
    EXPECT_EQ(least_square, 0U);
  }
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_GE(pairs[at], 3U);
    const auto visits = group.visits();
    EXPECT_EQ(pairs[at] + pairs_of(group.result(at).samples), static_cast<std::size_t>(std::ranges::count(visits, at)));
  }
}

TEST(Tours, DrainedBetweenVisitsLoseNothing) {
  ThreeBlocks group(5);
  group.machine.noise = undecidable;
  group.machine.drain = [&] { return group.visits().size() >= 5; };
  group.share(1000);
  group.run();
  std::map<std::size_t, std::set<std::uint32_t>> steady;  // scored slices that ran, by block
  std::map<std::size_t, std::size_t> told;
  for (const auto& [block, result] : group.visited)
    for (const stats::Sample& sample : result.samples) steady[block].insert(sample.slice);
  std::size_t pairs = 0;
  for (const auto& [block, result] : group.visited) pairs += pairs_of(result.samples);
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_TRUE(group.result(at).interrupted) << at;
    pairs += pairs_of(group.result(at).samples);
  }
  EXPECT_EQ(pairs, group.visits().size());
  EXPECT_EQ(group.visits().size(), 5U) << "nothing begins after the drain";
}

TEST(Tours, GiveBackWhatADrainLeftUnvisited) {
  ThreeBlocks group(5);
  group.machine.drain = [&] { return group.machine.slices(0, Phase::steady).size() > 2; };
  group.share(1000);
  group.run();
  EXPECT_TRUE(group.result(0).interrupted);
  for (std::size_t at = 1; at < 3; ++at)
    EXPECT_TRUE(std::holds_alternative<protocol::GivenBack>(group.ended.at(at).front())) << at;
}

TEST(Tours, LoseABlockWhoseProcessDiesAndNoOther) {
  ThreeBlocks group(5);
  group.machine.noise = undecidable;
  group.machine.before = [&](const Asked& asked) {
    const bool dies = asked == Asked{Verb::slice, 1, Phase::steady} && group.visits().size() == 5;
    if (dies && group.machine.block == group.visits().back()) {
      group.machine.asked.push_back({Verb::slice, 0, Phase::first});  // so that it dies once
      throw ArmDied{{1}, sweep::FailureKind::crashed, "killed"};
    }
  };
  group.share(200);
  group.run();
  std::size_t failed = 0;
  for (const auto& [block, outcomes] : group.ended) {
    ASSERT_EQ(outcomes.size(), 1U);
    failed += std::holds_alternative<protocol::AttemptFailed>(outcomes.front()) ? 1 : 0;
  }
  EXPECT_EQ(failed, 1U);
}

TEST(Tours, CountTheSharedStartAsPartOfHowEachBlockBegan) {
  ThreeBlocks group(4);
  group.machine.noise = undecidable;
  group.share(100);
  group.run();
  for (std::size_t at = 0; at < 3; ++at) {
    const protocol::BlockResult& first = std::ranges::find(group.visited, at, &SimulatedGroup::Visited::block)->result;
    std::vector<double> starts;
    for (const stats::Sample& sample : first.samples)
      if (sample.arm == 1 && sample.phase == Phase::start) starts.push_back(sample.seconds);
    EXPECT_EQ(starts, std::vector<double>{2}) << at;
  }
}

TEST(Tours, FreeACellBeforeTheNextOneIsBuilt) {
  ThreeBlocks group(1);
  group.share(60);
  group.run();
  std::map<std::uint32_t, std::optional<std::size_t>> held;  // by arm: the block whose model its process holds
  for (const Asked& asked : group.machine.asked) {
    if (asked.verb == Verb::clear) held[asked.arm].reset();
    if (asked.verb != Verb::prepare && asked.verb != Verb::renew) continue;
    EXPECT_FALSE(held[asked.arm]) << "arm " << asked.arm << " of block " << asked.block;
    held[asked.arm] = asked.block;
  }
}

TEST(Tours, KeepDifferencesThatAreFoundForTheBlocksThatFollow) {
  ThreeBlocks group(1);
  for (sweep::BlockTask& task : group.tasks) {
    task.contrasts = 3;
    task.families = {{1, 3}};
  }
  group.share(120);
  group.run();
  EXPECT_EQ(group.budget.discoveries.all(), 3U);
}

}  // namespace
}  // namespace regatta::measure
