// Random events against the rules in ledger.cpp. A failure prints its seed and options.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "ledger.hpp"

namespace regatta::schedule::testing {
namespace {

struct Scenario {
  std::uint32_t blocks = 60;
  std::uint32_t agents = 6;
  std::int64_t largest_group = 1;
  bool leaves = false;
  bool drains = false;
  bool is_short_of_time = false;
};

class RandomRun {
 public:
  RandomRun(std::uint64_t seed, const Scenario& scenario)
      : random_(seed),
        scenario_(scenario),
        options_(random_options()),
        jobs_(random_jobs()),
        scheduler_(jobs_, options_),
        ledger_(jobs_, options_) {}

  void go() {
    for (int step = 0; step < 20000 && !scheduler_.finished(); ++step) {
      if (::testing::Test::HasFailure()) return;
      one_step();
    }
    ASSERT_TRUE(scheduler_.finished()) << "no end in sight: waiting " << scheduler_.waiting();
    ledger_.check_end();
  }

 private:
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  Options random_options() {
    const std::uint32_t expected = one_in(2) ? scenario_.agents : 1;
    Options options{
        .attempts = 1 + below(3), .batch = one_in(2) ? 1U : 8U, .outstanding = below(4), .expected_agents = expected};
    options.longest_first = one_in(2);
    if (scenario_.is_short_of_time) options.end_seconds = below(100);
    return options;
  }

  std::vector<BlockRequest> random_jobs() {
    std::vector<BlockRequest> jobs;
    std::uint32_t index = 0;
    for (std::uint32_t i = 0; i < scenario_.blocks; ++i) {
      index += one_in(8) ? 3 : 1;  // gaps: a resumed sweep has only some of its blocks
      const std::int64_t ranks = one_in(4) ? 1 + below(static_cast<std::uint32_t>(scenario_.largest_group)) : 1;
      const auto device = one_in(6) ? sweep::DeviceKind::cuda : sweep::DeviceKind::cpu;
      const std::int64_t cores = one_in(3) ? 1 + below(4) : 1;
      const Estimate estimate{static_cast<double>(below(20)), 0.5 * below(3), below(3)};
      jobs.push_back({{index}, {ranks, cores, device}, 1 + below(4), estimate, static_cast<std::uint8_t>(below(2))});
    }
    return jobs;
  }

  void feed(const Event& event) {
    now_seconds_ += below(2);
    ledger_.check(event, now_seconds_, scheduler_.on(event, now_seconds_), scheduler_);
  }

  void join() {
    Slot slot{.agent = {next_agent_++}, .cores = 1 + below(4)};
    if (one_in(3)) slot.devices.push_back(sweep::DeviceKind::cuda);
    slot.node = {slot.agent.value / agents_per_node_};
    feed(AgentJoined{slot});
  }

  void one_step() {
    if (next_agent_ < scenario_.agents && one_in(4)) return join();
    if (scenario_.leaves && one_in(40)) return lose_an_agent();
    if (scenario_.drains && one_in(150)) return feed(DrainRequested{});
    if (!reports_.empty() && one_in(10)) return repeat_a_report();
    if (!report() && next_agent_ < scenario_.agents) join();
  }

  /// All agents went away before the end: somebody comes back, so that the run gets on.
  void lose_an_agent() {
    if (ledger_.agents.empty()) return;
    auto victim = ledger_.agents.begin();
    std::advance(victim, below(static_cast<std::uint32_t>(ledger_.agents.size())));
    const AgentId id = victim->first;
    const Slot slot = victim->second.slot;
    if (one_in(3)) return give_back(victim->second);
    if (one_in(2)) return lose_its_device(victim->second);
    feed(AgentLeft{id});
    EXPECT_TRUE(scheduler_.on(AgentLeft{id}, now_seconds_).empty());
    if (one_in(2)) feed(AgentJoined{slot});
  }

  void lose_its_device(const LedgerAgent& agent) {
    if (agent.dismissed) return;
    DeviceLost event{agent.slot.agent, sweep::DeviceKind::cuda, {}, "set aside"};
    for (BlockIndex block : agent.held) {
      if (ledger_.blocks.at(block).job.demand.device == sweep::DeviceKind::cuda) event.blocks.push_back(block);
    }
    feed(event);
  }

  void give_back(const LedgerAgent& agent) {
    BlocksGivenBack event{agent.slot.agent, {}};
    for (BlockIndex block : agent.held) {
      if (one_in(2)) event.blocks.push_back(block);
    }
    feed(event);
    expect_no_effect(event);
  }

  bool report() {
    std::vector<BlockIndex> running;
    for (const auto& [index, block] : ledger_.blocks) {
      if (block.state == LedgerBlock::State::running) running.push_back(index);
    }
    if (running.empty()) return false;
    const BlockIndex index = running[below(static_cast<std::uint32_t>(running.size()))];
    const LedgerBlock& block = ledger_.blocks.at(index);
    const bool can_die = block.dropped.size() < block.job.arms && one_in(5);
    const Event event =
        can_die ? failure_of(index, block) : Event(BlockDone{block.owners.front(), index, block.attempt});
    reports_.push_back(event);
    feed(event);
    expect_no_effect(event);
    return true;
  }

  Event failure_of(BlockIndex index, const LedgerBlock& block) {
    ArmIndex arm{below(block.job.arms)};
    while (std::ranges::count(block.dropped, arm) > 0) arm.value = (arm.value + 1) % block.job.arms;
    const AgentId speaker = block.owners[below(static_cast<std::uint32_t>(block.owners.size()))];
    return AttemptFailed{
        speaker, index, block.attempt, arm, {sweep::FailureKind::crashed, "killed by signal 11", one_in(2)}};
  }

  void repeat_a_report() { expect_no_effect(reports_[below(static_cast<std::uint32_t>(reports_.size()))]); }

  /// Repeats an earlier event: nothing may come of it.
  void expect_no_effect(const Event& event) {
    const std::array before = {scheduler_.waiting(), scheduler_.running(), scheduler_.concluded()};
    EXPECT_TRUE(scheduler_.on(event, now_seconds_).empty()) << "an action came of a repeated report";
    EXPECT_EQ(before, (std::array{scheduler_.waiting(), scheduler_.running(), scheduler_.concluded()}));
  }

  std::mt19937_64 random_;
  Scenario scenario_;
  Options options_;
  std::vector<BlockRequest> jobs_;
  Scheduler scheduler_;
  Ledger ledger_;
  std::vector<Event> reports_;
  std::uint32_t next_agent_ = 0;
  std::uint32_t agents_per_node_ = 1 + below(4);
  double now_seconds_ = 0;
};

void run_seeds(std::uint64_t first, std::uint64_t count, const Scenario& scenario) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun(seed, scenario).go();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RandomEvents, KeepTheRulesForSingleRanks) { run_seeds(1, 500, {}); }

TEST(RandomEvents, KeepTheRulesForGroups) { run_seeds(1000, 500, {.largest_group = 5}); }

TEST(RandomEvents, KeepTheRulesWhenAgentsComeAndGo) { run_seeds(2000, 500, {.leaves = true}); }

TEST(RandomEvents, KeepTheRulesWhenAgentsOfGroupsComeAndGo) {
  run_seeds(3000, 800, {.agents = 9, .largest_group = 4, .leaves = true});
}

TEST(RandomEvents, KeepTheRulesWhenTheJobDrains) {
  run_seeds(4000, 500, {.agents = 8, .largest_group = 3, .leaves = true, .drains = true});
}

TEST(RandomEvents, KeepTheRulesWhenTimeIsShort) {
  run_seeds(6000, 500, {.largest_group = 3, .leaves = true, .is_short_of_time = true});
}

TEST(RandomEvents, KeepTheRulesWithManyBlocksAndOneAgent) { run_seeds(5000, 30, {.blocks = 400, .agents = 1}); }

}  // namespace
}  // namespace regatta::schedule::testing
