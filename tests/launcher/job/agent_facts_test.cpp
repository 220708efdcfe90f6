#include "job/agent_facts.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

Job some_job() {
  Job job;
  job.options.out = "results";
  job.options.one_by_one = true;
  job.sweep.name = "s";
  job.sweep.limits = {.trial_timeout_seconds = 12.5, .attempts = 2, .memory_bytes = std::uint64_t{1} << 40};
  job.sweep.environments["ours"] = {"ours", "torch", "/o/bin/python", {}, {{"KEY", "a b"}}};
  job.environments["mine"] = {"mine", "numpy", "", {"/m/worker", "--x"}, {}};
  return job;
}

TEST(AgentFacts, TravelToRanksThatHaveNoneOfTheFiles) {
  const AgentFacts facts = parse_agent_facts(to_text(agent_facts(some_job())));
  EXPECT_EQ(facts.folder, "results/s.regatta");
  EXPECT_EQ(facts.limits, some_job().sweep.limits);
  EXPECT_TRUE(facts.one_by_one);
  EXPECT_FALSE(facts.keeps_processes);
  EXPECT_EQ(facts.devices, (std::set<sweep::DeviceKind>{}));
  ASSERT_EQ(facts.from_sweep.size(), 1U);
  EXPECT_EQ(facts.from_sweep.at("ours").name, "ours");
  EXPECT_EQ(facts.from_sweep.at("ours").engine, "torch");
  EXPECT_EQ(facts.from_sweep.at("ours").python, "/o/bin/python");
  EXPECT_EQ(facts.from_sweep.at("ours").variables.at("KEY"), "a b");
  ASSERT_EQ(facts.from_file.size(), 1U);
  EXPECT_EQ(facts.from_file.at("mine").program, (std::vector<std::string>{"/m/worker", "--x"}));
}

TEST(AgentFacts, NameTheDevicesThatTrialsAskFor) {
  Job job = some_job();
  job.plan.trials.resize(3);
  job.plan.trials[1].parameters[sweep::Param::device] = std::string("cuda");
  EXPECT_EQ(parse_agent_facts(to_text(agent_facts(job))).devices,
            (std::set<sweep::DeviceKind>{sweep::DeviceKind::cuda}));
}

TEST(AgentFacts, TellWhetherProcessesAreKept) {
  Job job = some_job();
  job.sweep.training = sweep::Training{.epochs = 1, .steps = {}, .early_stop = {}, .keeps_processes = true};
  EXPECT_TRUE(parse_agent_facts(to_text(agent_facts(job))).keeps_processes);
}

TEST(AgentFacts, WithoutAMemoryLimitHaveNone) {
  Job job = some_job();
  job.sweep.limits.memory_bytes.reset();
  EXPECT_EQ(parse_agent_facts(to_text(agent_facts(job))).limits.memory_bytes, std::nullopt);
}

TEST(AgentFacts, DoNotGrowWithTheSweep) {
  Job job = some_job();
  const std::size_t size = to_text(agent_facts(job)).size();
  job.sweep.text = std::string(10000, ' ');
  job.plan.trials.resize(1000);
  EXPECT_EQ(to_text(agent_facts(job)).size(), size);
}

TEST(AgentFacts, ThatAreDamagedAreRefused) {
  const std::string text = to_text(agent_facts(some_job()));
  for (const std::string& damaged : {text.substr(0, text.size() / 2), std::string("{}"), std::string("[]")})
    EXPECT_THROW(parse_agent_facts(damaged), PeerLost) << damaged;
}

}  // namespace
}  // namespace regatta::launcher
