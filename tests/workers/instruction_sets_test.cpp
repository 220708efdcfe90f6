// Workers whose kernels are of another instruction set, by REGATTA_ISA: which of them give the same bits, and what they
// tell of it.
#include <gmock/gmock.h>

#include "engine/cpu/cpu.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using ::testing::HasSubstr;

std::unique_ptr<WorkerProcess> start_on(const std::string& isa) { return start_native({"REGATTA_ISA=" + isa}); }

std::vector<std::string> supported_sets() {
  std::vector<std::string> names;
  for (const char* const name : {"baseline", "avx2", "avx512"})
    if (engine::cpu::supported(engine::cpu::isa_named(name))) names.emplace_back(name);
  return names;
}

std::string parameter_hash(const TrialSpec& spec, const std::string& isa) {
  const support::TemporaryFolder folder;
  const auto worker = start_on(isa);
  expect_reply<Prepared>(worker->ask(prepare_request(spec, folder.path())));
  return expect_reply<Checked>(worker->ask(Check{{0}, 3, true})).parameter_hash;
}

TEST(InstructionSets, IsTheOneThatTheEnvironmentNames) {
  for (const std::string& name : supported_sets())
    EXPECT_EQ(expect_reply<Ready>(start_on(name)->ask(Hello{})).details.at("isa"), name);
}

TEST(InstructionSets, OneThatThereIsNotIsRefused) {
  const auto reply = start_on("sse9")->ask(Hello{});
  ASSERT_TRUE(std::holds_alternative<Error>(reply));
  EXPECT_THAT(std::get<Error>(reply).message, HasSubstr("'sse9'; take avx512, avx2 or baseline"));
}

TEST(InstructionSets, ThoseWithFusedMultiplyAddLeaveTheSameParameters) {
  for (const char* const model : {"mlp-784", "conv1d-small"}) {
    const TrialSpec spec{.model = model};
    std::string first;
    for (const std::string& name : supported_sets()) {
      const std::string hash = parameter_hash(spec, name);
      EXPECT_EQ(hash.size(), 32U) << name;
      if (name == "baseline") {
        EXPECT_NE(hash, parameter_hash(spec, supported_sets().back())) << "nothing tells them apart";
        continue;
      }
      if (first.empty()) first = hash;
      EXPECT_EQ(hash, first) << model << " on " << name;
    }
  }
}

TEST(InstructionSets, OnlyTrainingHasAParameterHash) {
  EXPECT_EQ(parameter_hash({.model = "mlp-10", .work = "infer"}, "baseline"), "");
  EXPECT_EQ(parameter_hash({.model = "noop"}, "baseline"), "");
}

TEST(InstructionSets, ARankTellsItsArithmetic) {
  for (const std::string& name : supported_sets()) {
    const support::TemporaryFolder folder;
    Prepare request = prepare_request({.model = "mlp-784"}, folder.path());
    EXPECT_EQ(expect_reply<Prepared>(start_on(name)->ask(request)).arithmetic, "") << "it has no other rank";
    request.parameters[sweep::Param::ranks] = std::int64_t{2};
    request.parameters[sweep::Param::shards] = std::int64_t{8};
    request.rank = 1;
    const auto prepared = expect_reply<Prepared>(start_on(name)->ask(request));
    EXPECT_EQ(prepared.arithmetic, name == "baseline" ? "separate" : "fused");
  }
}

}  // namespace
}  // namespace regatta::testing
