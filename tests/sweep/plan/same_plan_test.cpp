// Plans stay as they are, to the byte: a run resumes by the identities of trials and by the order of blocks. A digest
// here changes where identities do (an engine comes to read a parameter), or where a reason for a skip names more.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// All that a plan says, one line for each trial, block and reason.
std::string text_of(const Plan& plan) {
  std::string text = std::to_string(plan.points) + " " + std::to_string(plan.merged) + "\n";
  for (const Trial& trial : plan.trials) {
    text += std::to_string(trial.index.value) + " " + to_string(trial.hash) + " " + trial.canonical() + " " +
            to_json(trial.parameters) + " " + trial.skip_reason.value_or("runs") + "\n";
  }
  for (const Block& block : plan.blocks) {
    text += std::to_string(block.index.value) + " " + to_string(block.hash) + (block.has_baseline ? "*" : "");
    for (const TrialIndex arm : block.arms) text += " " + std::to_string(arm.value);
    for (const Intervention& intervention : block.interventions) text += " " + text_of(intervention);
    text += (block.has_clone ? " cloned " : " ") + std::to_string(block.demand.ranks) + " " +
            std::to_string(block.demand.cores) + " " + std::to_string(static_cast<int>(block.demand.device)) + "\n";
  }
  for (const NoContrast& line : plan.no_contrasts) {
    text += line.reason;
    for (const TrialIndex trial : line.trials) text += " " + std::to_string(trial.value);
    text += "\n";
  }
  return text;
}

struct Known {
  const char* keys;
  const char* digest;
};

class SamePlan : public ::testing::TestWithParam<Known> {};

TEST_P(SamePlan, AsEver) {
  const Plan plan = plan_with(GetParam().keys);
  EXPECT_EQ(to_string(hash128(text_of(plan))), GetParam().digest) << text_of(plan);
}

constexpr Known plans[] = {
    {R"("axes": {"model": ["noop", "mlp-10"], "batch": {"linear": [1, 12]}}, "repeats": 40)",
     "c2fe3577af183da857efd7cef74fa91f"},
    {R"("axes": {"engine": ["native", "torch", "numpy", "tensorflow"], "model": ["mlp-10", "conv1d-small", "noop"],
      "mode": ["eager", "graph", "xla"], "batch": [1, 8, 64], "threads": [1, 2]}, "repeats": 2,
      "exclude": [{"engine": "native", "mode": "eager", "batch": [1, 8]}, {"model": "noop", "threads": 2}],
      "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "eager"}})",
     "c04a51e83ed0c0af346f4364411c658b"},
    {R"("axes": {"engine": ["native", "tensorflow", "torch?"], "model": "mlp-10", "batch": [1, 2], "threads": [1, 4]},
      "zip": ["batch", "threads"], "include": [{"batch": 9}, {"seed": [1, 2]}],
      "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": ["fit", "train_on_batch"], "input": ["array", "pipeline"]}},
               {"if": {"loop": "fit"}, "axes": {"steps_per_call": [1, 10]}}],
      "compare": {"over": "engine", "baseline": {"engine": "native"}})",
     "c637286258aa79ea7b3ed128419b4429"},
    {R"("axes": {"engine": ["native", "torch", "numpy"], "mode": ["eager", "graph"], "model": ["mlp-10", "matmul-1000"]},
      "compare": {"over": ["engine", "mode"], "pairs": "all", "baseline": {"engine": "torch", "mode": "graph"}})",
     "ecccfa46ebdb92f1e2d273a52aadc95b"},
    {R"("axes": {"engine": ["native", "torch", "numpy"], "mode": ["eager", "graph"], "batch": [1, 2, 4], "model": "mlp-10"},
      "compare": {"over": ["engine", "mode", "batch"], "pairs": "one-factor"})",
     "7328bf977a989e37daed3f210b455687"},
    {R"("axes": {"model": ["conv1d-medium", {"name": "mine", "matmul": 7}], "algorithm": ["direct", "fft"],
      "rewrite": ["none", "algebraic"]}, "compare": {"over": "rewrite", "baseline": {"rewrite": "none"}},
      "measure": {"explain": true})",
     "67851ea4f0f48fbbb44b07a8c78b8dec"},
    {R"("axes": {"engine": ["command", "native"], "command": ["a", "b"], "model": "mlp-10"},
      "commands": {"a": {"argv": ["./run.sh", "x"]}, "b": {"argv": ["true"], "metric": "json:t"}},
      "compare": {"over": ["engine", "command"], "baseline": {"engine": "command", "command": "b"}})",
     "1d6036b6ed144a1d7d536d9490de75a4"},
};

INSTANTIATE_TEST_SUITE_P(Sweeps, SamePlan, ::testing::ValuesIn(plans));

}  // namespace
}  // namespace regatta::sweep
