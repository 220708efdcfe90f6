#include "regatta/sweep/processes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::sweep {
namespace {

/// Blocks by tour, of a sweep with these axes and what stands beside them.
std::map<std::uint32_t, std::vector<std::uint32_t>> tours(const std::string& axes, std::uint32_t agents = 1,
                                                          const std::string& beside = "") {
  const Sweep sweep =
      parse_sweep(R"({"regatta": 1, "name": "tours", "axes": {)" + axes +
                      R"(}, "compare": {"over": "engine", "baseline": {"engine": "numpy"}})" + beside + "}",
                  "tours.json");
  const Plan plan = make_plan(sweep);
  std::vector<TourCandidate> candidates;
  for (const Block& block : plan.blocks)
    if (!block.has_clone) candidates.push_back({block.index, block.demand.cores});  // clones have a pass of their own
  const std::vector<std::uint32_t> numbers = number_tours(sweep, plan, candidates, agents);
  std::map<std::uint32_t, std::vector<std::uint32_t>> tours;
  for (std::size_t at = 0; at < candidates.size(); ++at) tours[numbers[at]].push_back(candidates[at].block.value);
  return tours;
}

using Tours = std::map<std::uint32_t, std::vector<std::uint32_t>>;

const std::string three_batches = R"("model": ["digits-mlp"], "batch": [1, 32, 256], "engine": ["numpy", "native"])";

TEST(Tours, TakeBlocksTogetherThatDifferInBatchOrModel) {
  EXPECT_EQ(tours(three_batches), (Tours{{1, {0, 1, 2}}}));
  EXPECT_EQ(tours(R"("model": ["digits-mlp", "matmul-1000"], "batch": [1, 32], "engine": ["numpy", "native"])").size(),
            1U);
}

TEST(Tours, TakeABlockThatLacksTheLastArmsWithTheOthers) {
  const std::string axes = R"("model": ["digits-mlp"], "batch": [1, 32, 256], "engine": ["numpy", "native", "torch"])";
  const std::string last = R"(, "exclude": [{"engine": "torch", "batch": [1]}])";
  const std::string middle = R"(, "exclude": [{"engine": "native", "batch": [1]}])";
  EXPECT_EQ(tours(axes, 1, last).at(1), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(tours(axes, 1, middle).at(0), std::vector<std::uint32_t>{0}) << "its second arm is another engine";
}

TEST(Tours, LeaveBlocksApartWhoseProcessesDiffer) {
  const Tours found =
      tours(R"("model": ["digits-mlp"], "batch": [1, 32], "threads": [1, 2], "engine": ["native", "numpy"])");
  ASSERT_EQ(found.size(), 2U);
  for (const auto& [tour, blocks] : found) {
    EXPECT_GT(tour, 0U);
    EXPECT_EQ(blocks.size(), 2U);
  }
}

TEST(Tours, GiveEachAgentAPart) {
  EXPECT_EQ(tours(three_batches, 2), (Tours{{1, {0, 2}}, {2, {1}}}));
  EXPECT_EQ(tours(three_batches, 8), (Tours{{0, {0, 1, 2}}})) << "each goes by itself";
}

TEST(Tours, AreNoLargerThanOneAgentTakes) {
  std::string batches;
  for (int batch = 1; batch <= 150; ++batch) batches += (batch > 1 ? ", " : "") + std::to_string(batch);
  const Tours found = tours(R"("model": ["digits-mlp"], "batch": [)" + batches + R"(], "engine": ["numpy", "native"])");
  ASSERT_EQ(found.size(), 3U);
  for (const auto& [tour, blocks] : found) EXPECT_EQ(blocks.size(), 50U);
}

TEST(Tours, LeaveOutWhatIsNotMeasuredPairByPair) {
  EXPECT_EQ(tours(three_batches, 1, R"(, "measure": {"slices": 8})"), (Tours{{0, {0, 1, 2}}}));
  EXPECT_EQ(tours(three_batches, 1, R"(, "measure": {"metric": "peak_memory"})"), (Tours{{0, {0, 1, 2}}}))
      << "a process of its own tells it";
}

Parameters torch(const char* engine = "torch") {
  Parameters parameters;
  parameters.set(Param::engine, std::string(engine));
  parameters.set(Param::mode, std::string("graph"));
  parameters.set(Param::device, std::string("cpu"));
  parameters.set(Param::threads, std::int64_t{2});
  return parameters;
}

TEST(ProcessClass, IsEngineModeDeviceThreadsAndRanks) {
  EXPECT_EQ(process_class(torch()), "torch graph cpu, 2 threads, 1 ranks");
}

TEST(ProcessClass, TellsApartWhatScattersInItsOwnWay) {
  const std::vector<std::pair<Param, Value>> changes = {{Param::engine, std::string("jax")},
                                                        {Param::mode, std::string("eager")},
                                                        {Param::device, std::string("cuda")},
                                                        {Param::threads, std::int64_t{4}},
                                                        {Param::ranks, std::int64_t{2}}};
  for (const auto& [param, value] : changes) {
    Parameters other = torch();
    other.set(param, value);
    EXPECT_NE(process_class(other), process_class(torch())) << name_of(param);
  }
}

TEST(ProcessClass, IsTheSameForAllModelsBatchesAndEnvironments) {
  Parameters other = torch("torch@old");
  other.set(Param::model, std::string("mlp-10"));
  other.set(Param::batch, std::int64_t{32});
  EXPECT_EQ(process_class(other), process_class(torch()));
}

}  // namespace
}  // namespace regatta::sweep
