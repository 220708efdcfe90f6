// The rows of parameters, with who reads them.
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/slot.hpp"
#include "sweep/parameters/parameters.hpp"

namespace regatta::sweep {
namespace {

using Levels = std::vector<std::string_view>;

constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;
constexpr std::int64_t exact_in_json = (std::int64_t{1} << 53) - 1;  ///< largest integer that every JSON reader keeps
constexpr std::int64_t most_loader_depth = 65536;
constexpr std::int64_t most_loader_workers = 256;
constexpr std::int64_t most_steps_per_call = 1'000'000;
constexpr std::int64_t most_accumulated = 1'000'000;
constexpr std::int64_t most_shards = 64;
constexpr std::int64_t bucket_bytes = 25 << 20;  ///< bucket size of PyTorch's DistributedDataParallel
constexpr std::int64_t most_bucket_bytes = std::int64_t{1} << 40;

Levels engine_names() {
  Levels names;
  for (const EngineInfo& engine : engine_table()) names.push_back(engine.name);
  return names;
}

/// A row whose levels are texts.
ParamInfo text_row(ParamInfo row, Levels levels, const char* fallback) {
  row.levels = std::move(levels);
  row.fallback = std::string(fallback);
  return row;
}

struct Range {
  std::int64_t minimum;
  std::int64_t maximum;
};

/// A row whose levels are whole numbers.
ParamInfo integer_row(ParamInfo row, std::string_view unit, Range range, std::int64_t fallback) {
  row.type = ParamType::integer;
  row.unit = unit;
  row.minimum = range.minimum;
  row.maximum = range.maximum;
  row.fallback = fallback;
  return row;
}

struct RealRange {
  double least;
  double most;
};

/// A row of task `train` whose levels are numbers.
ParamInfo hyperparameter(ParamInfo row, RealRange range, Value fallback) {
  row.type = ParamType::real;
  row.least = range.least;
  row.most = range.most;
  row.fallback = std::move(fallback);
  row.read_by = {.readers = Readers::networks};
  row.in_task = InTask::train;
  return row;
}

constexpr double largest_rate = 1000;
constexpr double largest_norm = 1e9;

/// Training steps on a processor.
std::vector<ReadBy::Condition> training_on_cores() {
  return {{.param = Param::work, .levels = {"infer"}, .has = false},
          {.param = Param::device, .levels = {"cuda"}, .has = false}};
}
/// The condition for parameters of a device that is not the processor.
ReadBy::Condition on_a_device() { return {.param = Param::device, .levels = {"cpu"}, .has = false}; }

/// In the order of Param::Known.
std::vector<ParamInfo> rows() {
  return {
      integer_row({.param = Param::accumulate,
                   .name = "accumulate",
                   .description = "steps whose gradients make one update, by their mean",
                   .read_by = {.readers = Readers::networks},
                   .may_skip = true,
                   .in_task = InTask::train},
                  "steps", {1, most_accumulated}, 1),
      text_row(
          {.param = Param::algorithm,
           .name = "algorithm",
           .description = "of 1-D convolutions of many taps: sums as they stand, or products of Fourier transforms",
           .read_by = {.readers = Readers::networks_with_conv1d, .own = true},
           .may_skip = true},
          {"direct", "fft"}, "direct"),
      text_row({.param = Param::api,
                .name = "api",
                .description = "the Keras: package keras, or tf_keras, which is tf.keras up to TensorFlow 2.15",
                .read_by = {.readers = Readers::networks,
                            .choice = true,
                            .where = {{.param = Param::mode, .levels = {"v1-session"}, .has = false}}},
                .engine_levels = &EngineInfo::apis},
               {"keras", "tf_keras"}, "keras"),
      integer_row({.param = Param::batch,
                   .name = "batch",
                   .description = "samples of one step, over all ranks together",
                   .read_by = {.readers = Readers::networks},
                   .may_skip = true},
                  "samples", {1, exact_in_float}, 32),
      text_row({.param = Param::batch_statistics,
                .name = "batch_statistics",
                .description = "moments of batch normalization in steps of several shards or ranks: of each by itself, "
                               "or of the whole batch (the default of trainings)",
                .read_by = {.readers = Readers::networks_with_batch_norm,
                            .own = true,
                            .in_parts = true,
                            .where = {{.param = Param::work, .levels = {"infer"}, .has = false}}},
                .engine_levels = &EngineInfo::batch_statistics,
                .may_skip = true},
               {"shard", "batch"}, "shard"),
      integer_row({.param = Param::bucket_bytes,
                   .name = "bucket_bytes",
                   .description = "gradients that ranks exchange at once, the first time at most 1 MiB; 0: each tensor "
                                  "by itself",
                   .read_by = {.readers = Readers::networks,
                               .own = true,
                               .in_ranks = true,
                               .where = {{.param = Param::work, .levels = {"infer"}, .has = false}}}},
                  "bytes", {0, most_bucket_bytes}, bucket_bytes),
      hyperparameter(
          {.param = Param::clip_norm,
           .name = "clip_norm",
           .description = "largest L2 norm of all gradients together, larger ones are scaled to it; 0: none"},
          {0, largest_norm}, 0.0),
      {.param = Param::command,
       .name = "command",
       .description = "name of an entry of `commands`",
       .read_by = {.readers = Readers::programs}},
      text_row({.param = Param::dataset,
                .name = "dataset",
                .description = "where the samples come from; also an entry of `datasets`",
                .read_by = {.readers = Readers::networks_of_layers},
                .may_skip = true},
               dataset_names(), "synthetic"),
      text_row({.param = Param::deterministic,
                .name = "deterministic",
                .description = "whether a device takes only kernels that give the same bits each time",
                .read_by = {.readers = Readers::computing_models, .own = true, .where = {on_a_device()}}},
               {"on", "off"}, "on"),
      text_row({.param = Param::device,
                .name = "device",
                .description = "what computes",
                .read_by = {.readers = Readers::workers},
                .engine_levels = &EngineInfo::devices},
               {device_names.begin(), device_names.end()}, "cpu"),
      text_row({.param = Param::engine,
                .name = "engine",
                .description = "the engine that executes the model; `engine@environment` picks an installation",
                .may_skip = true},
               engine_names(), "native"),
      text_row({.param = Param::host_dtype,
                .name = "host_dtype",
                .description = "type of the samples in host memory",
                .read_by = {.readers = Readers::networks, .own = true},
                .may_skip = true},
               {"float32", "float64", "uint8"}, "float32"),
      text_row({.param = Param::input,
                .name = "input",
                .description = "how samples reach the engine",
                .read_by = {.readers = Readers::networks, .own = true},
                .engine_levels = &EngineInfo::inputs},
               {"array", "pipeline", "resident", "headspace", "loader"}, "array"),
      hyperparameter({.param = Param::learning_rate,
                      .name = "learning_rate",
                      .description = "learning rate of the optimizer, before its schedule"},
                     {0, largest_rate}, Value()),
      integer_row({.param = Param::length,
                   .name = "length",
                   .description = "length of a sequence model's input",
                   .read_by = {.readers = Readers::networks_with_length},
                   .may_skip = true},
                  "positions", {1, exact_in_float}, 140),
      integer_row({.param = Param::loader_depth,
                   .name = "loader_depth",
                   .description = "batches that Regatta's loader makes ahead; 0: as many as 4 MiB hold, 4 to 1024",
                   .read_by = {.readers = Readers::networks, .own = true}},
                  "batches", {0, most_loader_depth}, 0),
      integer_row(
          {.param = Param::loader_workers,
           .name = "loader_workers",
           .description =
               "processes of torch's DataLoader, threads of Regatta's loader; 0: a batch is made when it is asked for",
           .read_by = {.readers = Readers::networks, .own = true}},
          "workers", {0, most_loader_workers}, 0),
      text_row({.param = Param::loop,
                .name = "loop",
                .description = "the loop that drives the steps",
                .read_by = {.readers = Readers::networks, .choice = true},
                .engine_levels = &EngineInfo::loops},
               {"custom", "train_on_batch", "fit", "predict_on_batch", "predict"}, "custom"),
      text_row({.param = Param::map_threads,
                .name = "map_threads",
                .description = "threads of tf.data's map, which casts the samples",
                .read_by = {.readers = Readers::networks, .own = true}},
               {"1", "2", "auto"}, "1"),
      text_row({.param = Param::memory,
                .name = "memory",
                .description = "of a device: taken as it is needed, or an eighth of all at the start",
                .read_by = {.readers = Readers::computing_models, .own = true, .where = {on_a_device()}}},
               {"grow", "preallocate"}, "grow"),
      text_row({.param = Param::mode,
                .name = "mode",
                .description = "operation by operation, or planned ahead",
                .read_by = {.readers = Readers::workers, .choice = true},
                .engine_levels = &EngineInfo::modes},
               {"eager", "graph", "xla", "v1-session", "reduce-overhead"}, "graph"),
      {.param = Param::model,
       .name = "model",
       .description = "a named model, or one written out",
       .read_by = {.readers = Readers::workers},
       .may_skip = true},
      text_row(
          {.param = Param::operands,
           .name = "operands",
           .description = "of a product: made before the first step, fed from host memory, or constants of the graph",
           .read_by = {.readers = Readers::products, .own = true}},
          {"resident", "fed", "constant"}, "resident"),
      text_row({.param = Param::optimizer_state,
                .name = "optimizer_state",
                .description = "the update with the gradients of several ranks, and its moments: each rank all "
                               "parameters, or its part of them (ZeRO stage 1)",
                .read_by = {.readers = Readers::networks_of_layers,
                            .in_ranks = true,
                            .where = {{.param = Param::work, .levels = {"infer"}, .has = false}}},
                .may_skip = true},
               {"replicated", "sharded"}, "replicated"),
      text_row({.param = Param::precision,
                .name = "precision",
                .description = "arithmetic of the products",
                .read_by = {.readers = Readers::computing_models},
                .engine_levels = &EngineInfo::precisions},
               {"fp32", "tf32", "bf16"}, "fp32"),
      text_row({.param = Param::prefetch,
                .name = "prefetch",
                .description = "batches that tf.data makes ahead of the step",
                .read_by = {.readers = Readers::networks, .own = true}},
               {"0", "1", "auto"}, "auto"),
      integer_row({.param = Param::ranks,
                   .name = "ranks",
                   .description = "processes of a data-parallel trial, or of a program; each takes a slot",
                   .read_by = {.readers = Readers::all},
                   .may_skip = true},
                  "processes", {1, 65536}, 1),
      integer_row({.param = Param::repeat, .name = "repeat", .description = "number of the repetition, from `repeats`"},
                  "", {0, 999'999}, 0),
      text_row({.param = Param::rewrite,
                .name = "rewrite",
                .description = "of the mathematics: pooling goes in front of the convolutions that it commutes with",
                .read_by = {.readers = Readers::networks_with_pooled_convolutions, .own = true},
                .may_skip = true},
               {"none", "algebraic"}, "none"),
      text_row({.param = Param::schedule,
                .name = "schedule",
                .description = "the learning rate after the warm-up: to zero along half a cosine or a line; step: a "
                               "tenth from the half on, a hundredth from three quarters on",
                .read_by = {.readers = Readers::networks},
                .in_task = InTask::train},
               {"constant", "cosine", "linear", "step"}, "constant"),
      integer_row({.param = Param::seed,
                   .name = "seed",
                   .description = "of weights, data and order",
                   .read_by = {.readers = Readers::models_with_data}},
                  "", {0, exact_in_json}, 0),
      integer_row({.param = Param::shards,
                   .name = "shards",
                   .description = "equal parts of a step's batch, over all ranks together, whose gradients are summed "
                                  "in one order: the result does not depend on how many ranks share them. 8 where a "
                                  "sweep has ranks above 1",
                   .read_by = {.readers = Readers::networks_of_layers, .own = true, .where = training_on_cores()},
                   .may_skip = true},
                  "shards", {1, most_shards}, 1),
      integer_row({.param = Param::steps_per_call,
                   .name = "steps_per_call",
                   .description = "of one call of `fit`",
                   .read_by = {.readers = Readers::networks,
                               .own = true,
                               .where = {{.param = Param::loop, .levels = {"fit"}}}}},
                  "steps", {1, most_steps_per_call}, 1),
      text_row({.param = Param::tail,
                .name = "tail",
                .description = "the last, smaller batch of an epoch",
                .read_by = {.readers = Readers::networks},
                .may_skip = true},
               {"drop", "keep"}, "drop"),
      integer_row({.param = Param::threads,
                   .name = "threads",
                   .description = "compute threads of the engine; cores that a command may use",
                   .read_by = {.readers = Readers::all}},
                  "threads", {1, 4096}, 1),
      text_row({.param = Param::timing,
                .name = "timing",
                .description = "steps in steady state, or the first one",
                .read_by = {.readers = Readers::workers},
                .may_skip = true},
               {"steady", "cold"}, "steady"),
      text_row({.param = Param::transfers,
                .name = "transfers",
                .description = "how batches reach a device: through pinned memory, from the pages where they lie, or "
                               "through pinned memory beside the step before",
                .read_by = {.readers = Readers::networks, .own = true, .where = {on_a_device()}}},
               {"pinned", "pageable", "overlapped"}, "pinned"),
      {.param = Param::transform,
       .name = "transform",
       .description = "where samples of another type become float32; if not named: in tf.data's map and in Regatta's "
                      "loader, with torch's DataLoader in the step",
       .levels = {"step", "pipeline"},
       .read_by = {.readers = Readers::networks,
                   .own = true,
                   .where = {{.param = Param::host_dtype, .levels = {"float32"}, .has = false}}}},
      hyperparameter({.param = Param::warmup,
                      .name = "warmup",
                      .description = "part of the horizon over which the learning rate grows from zero"},
                     {0, 1}, 0.0),
      hyperparameter({.param = Param::weight_decay,
                      .name = "weight_decay",
                      .description = "of all parameters, beside the optimizer's step (decoupled)"},
                     {0, largest_rate}, 0.0),
      text_row({.param = Param::work,
                .name = "work",
                .description = "training steps or inference steps",
                .read_by = {.readers = Readers::networks},
                .may_skip = true},
               {"train", "infer"}, "train"),
  };
}

/// Parameters that a training run does not have: its seeds are the plan's.
constexpr Param of_benchmarks[] = {Param::algorithm, Param::host_dtype, Param::map_threads, Param::operands,
                                   Param::prefetch,  Param::rewrite,    Param::seed,        Param::steps_per_call,
                                   Param::tail,      Param::timing,     Param::transform,   Param::work};

std::vector<ParamInfo> make_table() {
  std::vector<ParamInfo> table = rows();
  for (const Param param : of_benchmarks) table[static_cast<std::size_t>(param.known())].in_task = InTask::benchmark;
  return table;
}

}  // namespace

const std::vector<ParamInfo>& parameter_table() {
  static const std::vector<ParamInfo> table = make_table();
  return table;
}

}  // namespace regatta::sweep
