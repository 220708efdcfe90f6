#include "protocol/block_tasks.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "regatta/sweep/task_of.hpp"

namespace regatta::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The tasks of a sweep's first blocks, as a grant has them.
std::vector<sweep::BlockTask> tasks_of(const std::string& rest) {
  const auto sweep =
      sweep::parse_sweep(R"({"regatta": 1, "name": "n", )" + rest + "}", "n.json", sweep::any_environment());
  const auto plan = sweep::make_plan(sweep);
  std::vector<sweep::BlockTask> tasks;
  for (const sweep::Block& block : plan.blocks) {
    if (tasks.size() == largest_grant) break;
    tasks.push_back(sweep::task_of(sweep, plan, block, {}));
    tasks.back().block = {};
  }
  return tasks;
}

std::vector<sweep::BlockTask> back(const std::vector<sweep::BlockTask>& tasks) {
  return unpack_tasks(pack(tasks), static_cast<std::uint32_t>(tasks.size()));
}

TEST(BlockTasks, ComeBackWithEveryField) {
  const auto tasks = testing::some_tasks(3);
  EXPECT_EQ(back(tasks), tasks);
}

TEST(BlockTasks, OfEveryKindOfSweepComeBack) {
  for (const char* rest : {
           R"("axes": {"model": "noop"}, "repeats": 100)",
           R"("axes": {"model": ["mlp-10", "bilstm-question"], "mode": ["eager", "graph"], "batch": [1, 32]},
              "compare": {"over": ["mode"], "baseline": {"mode": "graph"}},
              "measure": {"total": "60s", "explain": true})",
           R"("axes": {"model": ["matmul-1000", "scalar-gradient"]}, "limits": {"memory": "1GiB"},
              "measure": {"slices": 3, "steps": 10})",
           R"("axes": {"engine": "command", "command": ["a", "b"]}, "commands": {"a": {"argv": ["true", "x"]},
              "b": {"argv": ["sleep", "1"], "metric": "json:t", "results": ["r", "e"],
              "folder": "kept", "launch": "srun"}},
              "measure": {"metric": {"result": "r", "goal": "higher"}})",
           R"("axes": {"model": [{"name": "mine", "input": [4], "layers": [{"dense": 3, "activation": "relu"},
              {"dense": 1}], "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.1}}}]})",
       }) {
    const auto tasks = tasks_of(rest);
    ASSERT_FALSE(tasks.empty()) << rest;
    EXPECT_EQ(back(tasks), tasks) << rest;
  }
}

TEST(BlockTasks, OfAFullBlockAndOfACloneComeBack) {
  auto tasks = tasks_of(R"("axes": {"model": "mlp-10", "batch": [1, 2, 3, 4, 5, 6]},
    "compare": {"over": ["batch"], "baseline": {"batch": 1}})");
  ASSERT_EQ(tasks.size(), 2U);
  ASSERT_EQ(tasks.front().arms.size(), sweep::max_distinct_arms);
  ASSERT_TRUE(tasks.back().has_clone);
  for (std::size_t arm = 1; arm < tasks.front().arms.size(); ++arm)
    tasks.front().spreads.emplace_back().add(0.01 * static_cast<double>(arm), 2, 1e-6);
  EXPECT_EQ(back(tasks), tasks) << "each arm but the baseline has a history of its own";
}

TEST(BlockTasks, WithMoreHistoriesThanContrastsAreRefused) {
  auto tasks = testing::some_tasks(1);
  tasks.front().spreads.resize(sweep::max_distinct_arms + 1);
  EXPECT_THAT([&] { back(tasks); }, ThrowsMessage<PeerLost>(HasSubstr("more contrasts than arms")));
}

TEST(BlockTasks, SayOnceWhatTheyShare) {
  const std::string bytes = pack(tasks_of(R"("axes": {"model": "mlp-10"}, "repeats": 64)"));
  EXPECT_EQ(bytes.find("\"layers\""), bytes.rfind("\"layers\""));
  EXPECT_NE(bytes.find("\"layers\""), std::string::npos);
  EXPECT_EQ(bytes.find("native"), bytes.rfind("native"));
}

TEST(BlockTasks, ThatAreCutOffAnywhereAreRefused) {
  const std::string bytes = pack(testing::some_tasks(2));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(unpack_tasks(bytes.substr(0, size), 2), PeerLost) << size;
  EXPECT_THROW(unpack_tasks(bytes + '\0', 2), PeerLost);
  EXPECT_THROW(unpack_tasks(bytes, 1), PeerLost);
  EXPECT_THROW(unpack_tasks(bytes, 3), PeerLost);
}

TEST(BlockTasks, ThatAreTooManyAreRefusedBeforeAnythingIsRead) {
  EXPECT_THAT([] { unpack_tasks("", 0); }, ThrowsMessage<PeerLost>(HasSubstr("0 blocks in a grant")));
  EXPECT_THAT([] { unpack_tasks("", 4000000000); }, ThrowsMessage<PeerLost>(HasSubstr("expected 1 to 64")));
}

TEST(BlockTasks, OfNoArmOrMoreThanABlockHoldsAreRefused) {
  for (const std::size_t arms : {0U, 7U}) {
    auto tasks = testing::some_tasks(1);
    tasks.front().arms.resize(arms);
    EXPECT_THAT([&] { back(tasks); }, ThrowsMessage<PeerLost>(HasSubstr("no arm, or more than fit"))) << arms;
  }
}

TEST(BlockTasks, WithAWrongByteAreOtherTasksOrRefused) {
  const std::string bytes = pack(testing::some_tasks(1));
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char wrong : {'\x00', '\x05', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = wrong;
      try {
        static_cast<void>(unpack_tasks(damaged, 1));
      } catch (const PeerLost&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace regatta::protocol
