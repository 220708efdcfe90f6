#include "regatta/sweep/capabilities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/sweep/engines.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(EngineTable, HasARowForEveryEngineAndOnlyKnownLevels) {
  const auto within = [](const std::vector<std::string_view>& levels, Param param) {
    const auto& known = info(param).levels;
    return std::all_of(levels.begin(), levels.end(),
                       [&](auto level) { return std::count(known.begin(), known.end(), level) == 1; });
  };
  std::vector<std::string_view> names;
  for (const EngineInfo& engine : engine_table()) {
    names.push_back(engine.name);
    EXPECT_EQ(find_engine(engine.name), &engine);
    EXPECT_TRUE(within(engine.modes, Param::mode) && within(engine.devices, Param::device) &&
                within(engine.loops, Param::loop) && within(engine.apis, Param::api) &&
                within(engine.inputs, Param::input) && within(engine.precisions, Param::precision))
        << engine.name;
  }
  EXPECT_EQ(names, info(Param::engine).levels);
  EXPECT_EQ(find_engine("caffe"), nullptr);
}

/// The one trial of this engine and model.
Trial trial_of(const std::string& engine, const std::string& model, const std::string& more = "") {
  Plan plan = plan_with("\"axes\": {\"engine\": \"" + engine + "\", \"model\": " + model + more + "}");
  EXPECT_EQ(plan.trials.size(), 1U);
  return plan.trials.at(0);
}

std::string reason(const std::string& engine, const std::string& model, const std::string& more = "") {
  return trial_of(engine, '"' + model + '"', more).skip_reason.value_or("runs");
}

std::string read_by(const std::string& engine, const std::string& model) {
  const Trial trial = trial_of(engine, '"' + model + '"');
  std::string names;
  for (const ParamInfo& row : parameter_table()) {
    if (!std::holds_alternative<std::monostate>(trial.parameters[row.param])) names += std::string(row.name) + " ";
  }
  return names;
}

TEST(Capabilities, RanksAreThereWhereShardsOfAStepAreSummed) {
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 2)"), "runs");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 16, "batch": 64)"), "runs") << "with 16 shards";
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 3)"),
            "ranks is 3 (they are added in a binary tree); choose 1, 2, 4, ... 64");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 4, "shards": 2)"),
            "4 ranks have no equal shares of 2 shards; choose as many 'shards', or twice as many, ...");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 2, "batch": 12)"),
            "a batch of 12 has no 8 equal shards. Choose a multiple of 8, or other 'shards' (8 where a sweep has ranks "
            "above 1 and names none)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "shards": 6)"),
            "shards is 6 (they are added in a binary tree); choose 1, 2, 4, ... 64");
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "ranks": 2, "batch": 12)"), "runs") << "it has no shards";
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "ranks": 2, "batch": 9)"),
            "2 ranks have no equal shares of a batch of 9; choose a multiple of 2");
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "ranks": 2, "input": "loader")"),
            "ranks above 1 have no input loader in this version");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 2, "bucket_bytes": 0)"), "runs");
  EXPECT_THAT(reason("native", "mlp-10", R"(, "ranks": 2, "work": "infer")"),
              testing::EndsWith("(here work infer, engine native, device cpu)"));
  EXPECT_THAT(reason("numpy", "mlp-10", R"(, "ranks": 2)"), testing::EndsWith("(here engine numpy, device cpu)"));
  EXPECT_THAT(reason("native", "matmul-1000", R"(, "ranks": 2)"),
              testing::EndsWith("(here a model that is no list of layers, engine native, device cpu)"));
}

TEST(Capabilities, BatchStatisticsAreReadWhereABatchThatIsNormalizedIsCut) {
  const std::string normed =
      R"({"name": "normed", "input": [8], "layers": [{"dense": 4}, {"batch_norm": true}, {"dense": 1}], )"
      R"("loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  const auto level = [&](const char* engine, const std::string& model, const std::string& more) {
    return to_text(
        trial_of(engine, model, R"(, "batch_statistics": "shard")" + more).parameters[Param::batch_statistics]);
  };
  const std::string none = to_text(Value());
  EXPECT_EQ(level("native", normed, R"(, "shards": 8)"), "shard");
  EXPECT_EQ(level("native", normed, R"(, "ranks": 2)"), "shard");
  EXPECT_EQ(level("native", normed, R"(, "ranks": 2, "device": "cuda")"), "shard");
  EXPECT_EQ(level("torch", normed, R"(, "ranks": 2)"), "shard");
  EXPECT_EQ(level("native", normed, ""), none) << "the batch is one shard";
  EXPECT_EQ(level("native", normed, R"(, "shards": 8, "device": "cuda")"), none) << "it has no shards there";
  EXPECT_EQ(level("native", normed, R"(, "shards": 8, "work": "infer")"), none);
  EXPECT_EQ(level("torch", normed, ""), none);
  EXPECT_EQ(level("native", R"("mlp-10")", R"(, "ranks": 2)"), none) << "it has no batch normalization";
  const auto skip = [&](const char* engine, const std::string& more) {
    return trial_of(engine, normed, R"(, "batch_statistics": "batch")" + more).skip_reason.value_or("runs");
  };
  EXPECT_EQ(skip("native", R"(, "ranks": 2)"), "runs");
  EXPECT_EQ(skip("torch", ""), "runs") << "one rank has the whole batch";
  EXPECT_EQ(skip("torch", R"(, "ranks": 2)"), "the engine torch has no batch_statistics batch (it has shard)");
  EXPECT_THAT(skip("native", R"(, "ranks": 2, "device": "cuda")"),
              testing::StartsWith("the engine native has batch_statistics batch with device cpu only"));
}

TEST(Capabilities, RanksOnGpusAreOfTheEngineThatHasKernelsThere) {
  EXPECT_EQ(reason("native", "mlp-10", R"(, "device": "cuda", "ranks": 2)"), "runs");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "device": "cuda", "ranks": 2, "batch": 12)"), "runs") << "without shards";
  EXPECT_EQ(reason("native", "mlp-10", R"(, "device": "cuda", "ranks": 2, "batch": 9)"),
            "2 ranks have no equal shares of a batch of 9; choose a multiple of 2");
  EXPECT_THAT(reason("native", "mlp-10", R"(, "device": "cuda", "ranks": 2, "work": "infer")"),
              testing::StartsWith("ranks above 1 take "));
  EXPECT_THAT(reason("torch", "mlp-10", R"(, "device": "cuda", "ranks": 2)"),
              testing::EndsWith("(here engine torch, device cuda)"));
}

TEST(Capabilities, ProgramsHaveAnyNumberOfRanks) {
  const Plan plan = plan_with(R"("axes": {"engine": "command", "command": "x", "ranks": [1, 3, 7], "threads": 2},
    "commands": {"x": {"argv": ["ls"], "launch": "env"}})");
  ASSERT_EQ(plan.trials.size(), 3U);
  for (const Trial& trial : plan.trials) EXPECT_EQ(trial.skip_reason.value_or("runs"), "runs");
  EXPECT_EQ(plan.blocks.back().demand.ranks, 7);
  EXPECT_EQ(plan.blocks.back().demand.cores, 2);
}

TEST(Capabilities, OptimizersAreShardedWhereOurKernelsShareMemory) {
  const std::string sharded = R"(, "ranks": 2, "optimizer_state": "sharded")";
  EXPECT_EQ(reason("native", "mlp-10", sharded), "runs");
  EXPECT_THAT(reason("torch", "mlp-10", sharded),
              testing::StartsWith("optimizer_state sharded is there with the engine native on device cpu (here engine "
                                  "torch, device cpu"));
  EXPECT_THAT(reason("native", "mlp-10", sharded + R"(, "device": "cuda")"), testing::EndsWith("take replicated"));
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "ranks": 2, "optimizer_state": "replicated")"), "runs");
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "optimizer_state": "sharded")"), "runs") << "one rank reads none";
}

TEST(Capabilities, WhatIsNotReadIsNull) {
  EXPECT_EQ(read_by("native", "conv1d-small"),
            "algorithm batch dataset device engine host_dtype input length mode model precision ranks repeat rewrite "
            "seed shards tail threads timing work ");
  EXPECT_EQ(read_by("native", "conv1d-large"),
            "algorithm batch dataset device engine host_dtype input length mode model precision ranks repeat seed "
            "shards tail threads timing work ");
  EXPECT_EQ(read_by("native", "mlp-10"),
            "batch dataset device engine host_dtype input mode model precision ranks repeat seed shards tail threads "
            "timing work ");
  EXPECT_EQ(read_by("native", "matmul-1000"), "device engine mode model precision ranks repeat seed threads timing ");
  EXPECT_EQ(read_by("torch", "matmul-1000"),
            "device engine mode model operands precision ranks repeat seed threads timing ");
  EXPECT_EQ(read_by("native", "scalar-gradient"), "device engine mode model precision ranks repeat threads timing ");
  EXPECT_EQ(read_by("native", "noop"), "device engine mode model ranks repeat threads timing ");
  EXPECT_EQ(read_by("numpy", "mlp-10"),
            "batch dataset device engine host_dtype input model precision ranks repeat seed tail threads timing work ");
  EXPECT_EQ(read_by("tensorflow", "mlp-10"),
            "api batch dataset device engine host_dtype input loop mode model precision ranks repeat seed tail threads "
            "timing work ");
}

TEST(Capabilities, CommandsReadTheirNameAndHowManyCoresAndRanksTheyMayUse) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a", "model": "mlp-10", "batch": [1, 2]}, "commands": {"a": {"argv": ["true"]}})");
  ASSERT_EQ(plan.trials.size(), 1U);
  EXPECT_EQ(plan.merged, 1);
  EXPECT_FALSE(plan.trials[0].skip_reason);
  for (const ParamInfo& row : parameter_table()) {
    const bool read = row.param == Param::command || row.param == Param::engine || row.param == Param::repeat ||
                      row.param == Param::ranks || row.param == Param::threads;
    EXPECT_EQ(std::holds_alternative<std::monostate>(plan.trials[0].parameters[row.param]), !read) << row.name;
  }
}

TEST(Capabilities, LevelsThatAnEngineLacksAreSkipped) {
  EXPECT_EQ(reason("native", "mlp-10", R"(, "mode": "xla")"),
            "the engine native has no mode xla (it has eager, graph)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "device": "cuda")"), "runs");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "device": "cuda")"), "the engine numpy has no device cuda (it has cpu)");
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "precision": "tf32")"),
            "the engine torch has no precision tf32 (it has fp32)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "precision": "bf16")"), "runs");
  EXPECT_EQ(reason("native", "cnn-28", R"(, "precision": "bf16")"),
            "the engine native has precision bf16 for dense and conv1d layers only (layer 0 of cnn-28 is conv2d)");
  EXPECT_EQ(reason("native", "scalar-gradient", R"(, "precision": "bf16")"),
            "the engine native has precision bf16 for products only (scalar-gradient has none)");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "input": "pipeline")"),
            "the engine numpy has no input pipeline (it has array, loader)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "timing": "cold")"), "timing cold is not part of this version");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "tail": "keep")"),
            "tail keep is not part of this version (the smaller last batch is dropped)");
  for (const std::string engine : {"torch", "tensorflow", "jax"}) {
    EXPECT_EQ(reason(engine, "mlp-10"), "runs");
    EXPECT_EQ(reason(engine, "bilstm-question"), "runs");
    EXPECT_EQ(reason(engine, "mlp-10", R"(, "device": "cuda")"), "runs");
  }
}

/// "loader_workers 0 ": the parameters of engines of their own that a trial reads, but for types and ways of input.
std::string options_read(const std::string& engine, const std::string& more) {
  const Trial trial = trial_of(engine, "\"mlp-10\"", more);
  EXPECT_EQ(trial.skip_reason.value_or("runs"), "runs");
  std::string text;
  for (const ParamInfo& row : parameter_table()) {
    const bool is_read = !std::holds_alternative<std::monostate>(trial.parameters[row.param]);
    const bool is_input = row.param == Param::input || row.param == Param::host_dtype;
    if (row.read_by.own && !is_input && is_read)
      text += std::string(row.name) + " " + to_text(trial.parameters[row.param]) + " ";
  }
  return text;
}

TEST(Capabilities, ADeviceHasArithmeticOfItsOwn) {
  const std::string cuda = R"(, "device": "cuda")";
  const std::string tf32 = R"(, "precision": "tf32")";
  const std::string bf16 = R"(, "precision": "bf16")";
  EXPECT_EQ(reason("native", "mlp-10", tf32),
            "the engine native has precision tf32 with device cuda only (a processor has no such arithmetic)");
  EXPECT_EQ(reason("native", "bilstm-question", cuda + tf32), "runs");
  EXPECT_EQ(reason("native", "noop", tf32), "runs") << "nobody reads it";
  EXPECT_EQ(reason("native", "scalar-gradient", cuda + tf32),
            "the engine native has precision tf32 for products only (scalar-gradient has none)");
  EXPECT_EQ(reason("native", "cnn-28", cuda + bf16), "runs");
  EXPECT_EQ(reason("native", "bilstm-question", cuda + bf16), "runs");
  EXPECT_EQ(reason("native", "bilstm-question", bf16),
            "the engine native has precision bf16 for dense and conv1d layers only (layer 0 of bilstm-question is "
            "bidirectional)");
  EXPECT_EQ(reason("native", "conv1d-medium", cuda + R"(, "algorithm": "fft")"),
            "the engine native has algorithm fft with device cpu only");
  EXPECT_EQ(reason("native", "conv1d-medium", cuda + R"(, "rewrite": "algebraic")"), "runs");
}

TEST(Capabilities, WhatADeviceAloneHasIsReadThere) {
  const std::string cuda = R"(, "device": "cuda")";
  const std::string others = R"(, "memory": "preallocate", "transfers": "overlapped", "deterministic": "off")";
  EXPECT_EQ(options_read("native", others), "shards 1 ") << "the processor";
  EXPECT_EQ(options_read("native", cuda), "deterministic on memory grow transfers pinned ");
  EXPECT_EQ(options_read("native", cuda + others), "deterministic off memory preallocate transfers overlapped ");
  EXPECT_EQ(trial_of("native", "\"mlp-10\"", others).canonical().find("memory"), std::string::npos);
  EXPECT_NE(trial_of("native", "\"mlp-10\"", cuda + others).canonical().find(R"("memory":"preallocate")"),
            std::string::npos);
  const Plan plan = plan_with(R"("axes": {"engine": "native", "model": ["matmul-1000", "noop"],
    "device": ["cpu", "cuda"], "memory": ["grow", "preallocate"], "transfers": ["pinned", "pageable"]})");
  EXPECT_EQ(plan.trials.size(), 3U + 2U) << "a product has no batches to transfer, no-op no memory";
}

TEST(Capabilities, FourierTransformsAreOfTheModelAsItIsWrittenAndInFp32) {
  const std::string fft = R"(, "algorithm": "fft")";
  EXPECT_EQ(reason("native", "conv1d-medium", fft), "runs");
  EXPECT_EQ(reason("native", "conv1d-medium", fft + R"(, "precision": "bf16")"),
            "algorithm fft computes in precision fp32 only");
  EXPECT_EQ(reason("native", "conv1d-medium", fft + R"(, "rewrite": "algebraic")"),
            "algorithm fft is not taken with a rewrite");
  EXPECT_EQ(reason("native", "conv1d-question", fft + R"(, "rewrite": "algebraic")"), "runs") << "it has no rewrite";
  EXPECT_EQ(reason("native", "conv1d-small", fft + R"(, "length": 8)"),
            "algorithm fft saves no work in conv1d-small (its convolutions have few taps or positions)");
}

TEST(Capabilities, ALoopBelongsToTrainingOrToInference) {
  EXPECT_EQ(reason("tensorflow", "mlp-10", R"(, "loop": "fit")"), "runs");
  EXPECT_EQ(reason("tensorflow", "mlp-10", R"(, "loop": "fit", "work": "infer")"),
            "loop fit is for training, not for work infer");
  EXPECT_EQ(reason("tensorflow", "mlp-10", R"(, "loop": "predict")"),
            "loop predict is for inference, not for work train");
  EXPECT_EQ(reason("tensorflow", "mlp-10", R"(, "loop": "predict_on_batch", "work": "infer")"), "runs");
  EXPECT_EQ(reason("tensorflow", "matmul-1000", R"(, "loop": "predict")"), "runs");
  EXPECT_EQ(reason("torch", "mlp-10", R"(, "loop": "predict")"), "runs");
}

TEST(Capabilities, APipelineReadsWhatItsFrameworkHas) {
  EXPECT_EQ(options_read("torch", R"(, "input": "pipeline")"), "loader_workers 0 ");
  EXPECT_EQ(options_read("torch", R"(, "input": "pipeline", "loader_workers": 2, "prefetch": 1)"), "loader_workers 2 ");
  EXPECT_EQ(options_read("native", R"(, "input": "pipeline", "loader_workers": 2, "prefetch": 1)"),
            "loader_depth 0 loader_workers 2 shards 1 ");
  EXPECT_EQ(options_read("tensorflow", R"(, "input": "pipeline")"), "map_threads 1 prefetch auto ");
  EXPECT_EQ(options_read("tensorflow", R"(, "input": "pipeline", "prefetch": 0, "map_threads": "auto")"),
            "map_threads auto prefetch 0 ");
  const std::string others = R"(, "prefetch": 0, "map_threads": 2, "loader_workers": 1, "steps_per_call": 9)";
  for (const std::string engine : {"torch", "tensorflow", "jax"}) EXPECT_EQ(options_read(engine, others), "");
  EXPECT_EQ(options_read("native", others), "shards 1 ");
  EXPECT_EQ(reason("jax", "mlp-10", R"(, "input": "pipeline")"),
            "the engine jax has no input pipeline (it has array, resident, loader)");
  EXPECT_EQ(reason("torch", "matmul-1000", R"(, "input": "pipeline")"), "runs");
}

TEST(Capabilities, RegattasLoaderFeedsPythonsEnginesToo) {
  const std::string loaded = R"(, "input": "loader", "loader_workers": 1, "prefetch": 0)";
  for (const std::string engine : {"torch", "tensorflow", "jax", "numpy"})
    EXPECT_EQ(options_read(engine, loaded), "loader_depth 0 loader_workers 1 ");
  EXPECT_EQ(options_read("torch", R"(, "input": "pipeline", "loader_depth": 9)"), "loader_workers 0 ")
      << "DataLoader's";
  EXPECT_EQ(options_read("tensorflow", R"(, "input": "pipeline", "loader_workers": 9)"),
            "map_threads 1 prefetch auto ");
  EXPECT_EQ(reason("native", "mlp-10", loaded),
            "the engine native has no input loader (it has array, pipeline, headspace)");
  EXPECT_EQ(reason("tensorflow", "mlp-10", loaded + R"(, "loop": "fit")"),
            "loop fit takes no batch at a time (input is loader); take the loop custom or train_on_batch");
  EXPECT_EQ(reason("tensorflow", "mlp-10", loaded + R"(, "mode": "v1-session")"), "runs");
  EXPECT_EQ(reason("tensorflow", "mlp-10", loaded + R"(, "mode": "v1-session", "loop": "train_on_batch")"),
            "mode v1-session has no input loader in the loop train_on_batch (it has array)");
}

TEST(Capabilities, ATransformHasAPlaceOnlyWhereSamplesAreNoFloats) {
  const std::string bytes = R"(, "dataset": "digits", "host_dtype": "uint8")";
  const std::string model = "\"digits-mlp\"";
  const auto transform = [&](const std::string& engine, const std::string& more) {
    const Trial trial = trial_of(engine, model, more);
    EXPECT_EQ(trial.skip_reason.value_or("runs"), "runs");
    return to_text(trial.parameters[Param::transform]);
  };
  const std::string in_step = R"(, "transform": "step")";
  EXPECT_EQ(transform("native", bytes + R"(, "input": "pipeline")" + in_step), "step");
  EXPECT_EQ(transform("torch", R"(, "host_dtype": "float64", "input": "loader")" + in_step), "step");
  const std::string none = to_text(Value());
  EXPECT_EQ(transform("native", bytes + in_step), none) << "an array is converted in the step";
  EXPECT_EQ(transform("native", R"(, "input": "pipeline")" + in_step), none) << "nothing to convert";
  EXPECT_EQ(transform("native", bytes + R"(, "input": "pipeline")"), none) << "the loader does it";
}

TEST(Capabilities, BytesAreHeldOnlyOfDatasetsThatHoldSome) {
  const std::string bytes = R"(, "host_dtype": "uint8")";
  EXPECT_EQ(reason("native", "digits-mlp", bytes + R"(, "dataset": "digits")"), "runs");
  EXPECT_EQ(reason("native", "digits-mlp", bytes),
            "host_dtype uint8 is for samples that are bytes (those of the dataset synthetic are not)");
  EXPECT_EQ(reason("native", "matmul-1000", bytes), "runs") << "a product reads none";
}

TEST(Capabilities, PointsThatDifferInAPipelineThatIsNotThereAreOneTrial) {
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "torch", "tensorflow"], "model": "mlp-10",
    "input": ["array", "pipeline"], "prefetch": [0, "auto"], "loader_workers": [0, 1]})");
  EXPECT_EQ(plan.points, 24);
  EXPECT_EQ(plan.trials.size(), 3U + 3U + 3U);  // an array, and a pipeline with two levels
}

TEST(Capabilities, FitTakesSeveralStepsInACall) {
  EXPECT_EQ(options_read("tensorflow", R"(, "loop": "fit")"), "steps_per_call 1 ");
  EXPECT_EQ(options_read("tensorflow", R"(, "loop": "fit", "steps_per_call": 50)"), "steps_per_call 50 ");
  EXPECT_EQ(options_read("tensorflow", R"(, "loop": "train_on_batch", "steps_per_call": 50)"), "");
}

TEST(Capabilities, AV1SessionHasInputsAndLayersOfItsOwn) {
  const std::string v1 = R"(, "mode": "v1-session")";
  EXPECT_EQ(reason("tensorflow", "mlp-10", v1), "runs");
  EXPECT_EQ(reason("tensorflow", "mlp-10", v1 + R"(, "input": "pipeline", "work": "infer")"), "runs");
  EXPECT_EQ(reason("tensorflow", "matmul-1000", v1 + R"(, "input": "resident", "loop": "fit")"), "runs");
  EXPECT_EQ(reason("tensorflow", "mlp-10", v1 + R"(, "input": "resident")"),
            "mode v1-session has no input resident in the loop custom (it has array, pipeline, loader)");
  EXPECT_EQ(reason("tensorflow", "mlp-10", v1 + R"(, "loop": "fit")"), "runs");
  EXPECT_EQ(reason("tensorflow", "mlp-10", v1 + R"(, "loop": "fit", "input": "pipeline")"),
            "mode v1-session has no input pipeline in the loop fit (it has array)");
  EXPECT_EQ(reason("torch", "mlp-10", v1),
            "the engine torch has no mode v1-session (it has eager, graph, reduce-overhead)");
  const Trial trial = trial_of("tensorflow", "\"mlp-10\"", v1 + R"(, "api": "tf_keras")");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(trial.parameters[Param::api]));
}

TEST(Capabilities, CudaGraphsAreReplayedOnAGpuOnly) {
  const std::string replayed = R"(, "mode": "reduce-overhead")";
  EXPECT_EQ(reason("torch", "mlp-10", replayed),
            "mode reduce-overhead replays CUDA graphs, with device cuda only (on a cpu it is mode graph)");
  EXPECT_EQ(reason("torch", "mlp-10", replayed + R"(, "device": "cuda")"), "runs");
}

TEST(Capabilities, LevelsOfWhatIsNotReadAreNoReasonToSkip) {
  EXPECT_EQ(
      reason("native", "mlp-10", R"(, "loop": "fit", "api": "tf_keras", "input": "pipeline", "host_dtype": "float64")"),
      "runs");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "mode": "xla")"), "runs");
  EXPECT_EQ(reason("native", "noop", R"(, "precision": "bf16", "tail": "keep", "dataset": "digits")"), "runs");
}

TEST(Capabilities, KnowWhoseStepsMayReturnBeforeTheyAreDone) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": ["native", "numpy@own", "numpy@old", "jax"], "model": "mlp-10"},
    "environments": {"own": {"engine": "numpy", "program": ["./my_worker"]},
                     "old": {"engine": "numpy", "python": "venvs/old/bin/python"}})");
  const auto hands_over = [&](const char* engine, const char* device = "cpu") {
    Parameters parameters;
    parameters[Param::engine] = std::string(engine);
    parameters[Param::device] = std::string(device);
    return hands_over_steps(sweep, parameters);
  };
  EXPECT_FALSE(hands_over("native"));
  EXPECT_FALSE(hands_over("numpy@old"));
  EXPECT_FALSE(hands_over("torch"));
  EXPECT_TRUE(hands_over("torch", "cuda"));
  EXPECT_TRUE(hands_over("jax"));
  EXPECT_TRUE(hands_over("numpy@own")) << "nobody here knows that worker";
}

TEST(TrainingParts, AreAllSamples) {
  for (const std::int64_t samples : {1, 4, 7, 1400}) {
    for (const double share : {0.0, 0.001, 0.25, 0.9}) {
      const TrainingParts parts = training_parts(samples, share);
      EXPECT_EQ(parts.training + parts.validation, samples);
      EXPECT_NEAR(static_cast<double>(parts.validation), static_cast<double>(samples) * share, 0.5);
    }
  }
}

TEST(TrainingParts, HoldAWholeBatch) {
  const TrainingParts parts = training_parts(80, 0.25);
  EXPECT_EQ(no_step_reason(parts, 60), std::nullopt);
  EXPECT_THAT(no_step_reason(parts, 61).value_or(""),
              testing::HasSubstr("batch is 61, the training part has 60 samples"));
}

TEST(TrainingParts, HaveAValidationPartIfOneIsAskedFor) {
  EXPECT_EQ(training_parts(80, 0.25, 7).validation, 7) << "the data bring their own";
  EXPECT_EQ(training_parts(80, 0.25, 7).training, 73);
  EXPECT_EQ(no_validation_reason(training_parts(80, 0), 0), std::nullopt);
  EXPECT_EQ(no_validation_reason(training_parts(80, 0.25), 0.25), std::nullopt);
  EXPECT_THAT(no_validation_reason(training_parts(80, 0.001), 0.001).value_or(""),
              testing::HasSubstr("validation is 0.001, of 80 samples none"));
}

}  // namespace
}  // namespace regatta::sweep
