#include "regatta/sweep/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/fft_tiling.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/shipped_datasets.hpp"
#include "regatta/sweep/engines.hpp"
#include "sweep/parameters/parameters.hpp"

namespace regatta::sweep {
namespace {

const EngineInfo& engine_info(const Parameters& parameters) {
  const EngineInfo* engine = find_engine(engine_of(parameters));
  if (engine == nullptr) throw InternalError(fmt::format("engine '{}' was not checked", engine_of(parameters)));
  return *engine;
}

bool has_one_of(const Parameters& parameters, Param param, const EngineInfo::Names& levels) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  return text != nullptr && contains(levels, *text);
}

/// A named level that the engine lacks.
std::optional<std::string> missing_level(const EngineInfo& engine, const Parameters& parameters,
                                         const model::Model* model, Task task) {
  for (const ParamInfo& row : parameter_table()) {
    const auto* level = std::get_if<std::string>(&parameters[row.param]);
    if (row.engine_levels == nullptr || level == nullptr || !reads(parameters, model, row.param)) continue;
    const bool is_input_of_training = task == Task::train && row.param == Param::input;
    const EngineInfo::Names& levels = is_input_of_training ? engine.train_inputs : engine.*row.engine_levels;
    if (contains(levels, *level)) continue;
    return fmt::format("the engine {} has no {} {}{} (it has {})", engine.name, row.name, *level,
                       is_input_of_training ? " in training" : "", fmt::join(levels, ", "));
  }
  return std::nullopt;
}

bool reads_own_param(const EngineInfo& engine, const Parameters& parameters, const ParamInfo& row) {
  const EngineInfo::Own* const own = find_own(engine, row.name);
  return own != nullptr && (own->inputs.empty() || has_one_of(parameters, Param::input, own->inputs));
}

/// tf.compat.v1 holds no batches on a device, and Keras' loops take none from a pipeline there.
std::optional<std::string> v1_session_lacks(const Parameters& parameters, const model::Model* model) {
  if (!is_level(parameters, Param::mode, "v1-session")) return std::nullopt;
  if (!reads(parameters, model, Param::input) || is_level(parameters, Param::input, "array")) return std::nullopt;
  const bool own_loop = is_level(parameters, Param::loop, "custom");
  if (own_loop && has_one_of(parameters, Param::input, {"pipeline", "loader"})) return std::nullopt;
  return fmt::format("mode v1-session has no input {} in the loop {} (it has {})", text_of(parameters, Param::input),
                     text_of(parameters, Param::loop), own_loop ? "array, pipeline, loader" : "array");
}

/// torch.compile's mode replays CUDA graphs; on a processor it would be mode graph under another name.
std::optional<std::string> replays_nothing_here(const Parameters& parameters, const model::Model* model) {
  const bool is_asked = is_level(parameters, Param::mode, "reduce-overhead") && reads(parameters, model, Param::mode);
  if (!is_asked || is_level(parameters, Param::device, "cuda")) return std::nullopt;
  return "mode reduce-overhead replays CUDA graphs, with device cuda only (on a cpu it is mode graph)";
}

/// Why no engine of this version can run the trial, or nothing: no row can claim such a level.
std::optional<std::string> not_in_this_version(const Parameters& parameters, const model::Model* model) {
  const auto names = [&](Param param, std::string_view level) {
    return is_level(parameters, param, level) && reads(parameters, model, param);
  };
  if (names(Param::timing, "cold")) return "timing cold is not part of this version";
  if (names(Param::tail, "keep")) return "tail keep is not part of this version (the smaller last batch is dropped)";
  return std::nullopt;
}

bool is_tree_size(std::int64_t count) { return std::has_single_bit(static_cast<std::uint64_t>(count)) && count <= 64; }

/// Shards are equal parts of the batch, and leaves of a binary tree.
std::optional<std::string> shards_that_do_not_fit(const Parameters& parameters, const model::Model* model) {
  const std::int64_t shards = integer_or(parameters, Param::shards, 1);
  if (shards == 1 || !reads(parameters, model, Param::shards)) return std::nullopt;
  if (!is_tree_size(shards))
    return fmt::format("shards is {} (they are added in a binary tree); choose 1, 2, 4, ... 64", shards);
  const std::int64_t batch = integer_or(parameters, Param::batch, 1);
  if (batch % shards == 0) return std::nullopt;
  return fmt::format(
      "a batch of {} has no {} equal shards. Choose a multiple of {}, or other 'shards' ({} where a sweep has ranks "
      "above 1 and names none)",
      batch, shards, shards, usual_shards);
}

/// On cores several engines sum gradients between processes, on GPUs our kernels do, with NCCL.
bool has_ranks_on_its_device(const EngineInfo& engine, const Parameters& parameters) {
  if (!engine.has_ranks) return false;
  return is_level(parameters, Param::device, "cpu") ||
         (engine.has_kernels_of_ours && is_level(parameters, Param::device, "cuda"));
}

/// Ranks share training steps of networks of layers.
std::optional<std::string> ranks_that_cannot_be(const EngineInfo& engine, const Parameters& parameters,
                                                const model::Model* model) {
  const std::int64_t ranks = integer_or(parameters, Param::ranks, 1);
  if (ranks == 1 || !reads(parameters, model, Param::ranks)) return std::nullopt;
  if (engine.worker == WorkerKind::program) return std::nullopt;  // its processes are its own affair
  const bool is_network = model != nullptr && std::holds_alternative<model::Network>(*model);
  const bool is_training = std::holds_alternative<std::monostate>(parameters[Param::work]);  // to an end
  const bool is_own = model != nullptr && std::holds_alternative<model::UserModel>(*model);
  const bool has_share = is_network || (is_own && !is_training && engine.has_python_models);
  const bool has_steps = is_training ? engine.trains_in_ranks && is_level(parameters, Param::device, "cpu")
                                     : is_level(parameters, Param::work, "train");
  if (!has_ranks_on_its_device(engine, parameters) || !has_share || !has_steps) {
    const bool has_no_steps = !is_network && !is_own;
    const char* other = has_no_steps ? "a model that is no list of layers, " : is_training ? "a training, " : "";
    if (is_level(parameters, Param::work, "infer")) other = "work infer, ";
    return fmt::format(
        "ranks above 1 take training steps of models of layers, with the engines native and torch on device cpu, and "
        "native on device cuda. Steps of your own models take torch on device cpu. Trainings of layers take native on "
        "device cpu; loops and programs have any number (here {}engine {}, device {})",
        other, engine.name, text_of(parameters, Param::device));
  }
  if (!is_tree_size(ranks))
    return fmt::format("ranks is {} (they are added in a binary tree); choose 1, 2, 4, ... 64", ranks);
  const std::int64_t batch = integer_or(parameters, Param::batch, 1);
  if (batch % ranks != 0)
    return fmt::format("{} ranks have no equal shares of a batch of {}; choose a multiple of {}", ranks, batch, ranks);
  const std::int64_t shards = integer_or(parameters, Param::shards, 1);
  if (reads(parameters, model, Param::shards) && shards % ranks != 0)
    return fmt::format("{} ranks have no equal shares of {} shards; choose as many 'shards', or twice as many, ...",
                       ranks, shards);
  if (is_level(parameters, Param::input, "loader") && reads(parameters, model, Param::input))
    return "ranks above 1 have no input loader in this version";
  return std::nullopt;
}

/// Slices of an optimizer are those of sums in shared memory.
std::optional<std::string> optimizer_that_is_not_sharded(const EngineInfo& engine, const Parameters& parameters,
                                                         const model::Model* model) {
  if (!is_level(parameters, Param::optimizer_state, "sharded") || !reads(parameters, model, Param::optimizer_state))
    return std::nullopt;
  if (engine.has_kernels_of_ours && is_level(parameters, Param::device, "cpu")) return std::nullopt;
  return fmt::format(
      "optimizer_state sharded is there with the engine native on device cpu (here engine {}, device {}: each rank "
      "updates all parameters); take replicated",
      engine.name, text_of(parameters, Param::device));
}

/// Whether Fourier transforms save work in a network; also where its layers do not fit, which is a reason of its own.
bool saves_by_fft(const model::Network& network) {
  try {
    return model::has_fft_convolution(network);
  } catch (const InputError&) {
    return true;
  }
}

/// Fourier transforms are taken of the model as it is written, in fp32, and where they save work.
std::optional<std::string> not_with_fft(const Parameters& parameters, const model::Model* model) {
  if (!is_level(parameters, Param::algorithm, "fft") || !reads(parameters, model, Param::algorithm)) {
    return std::nullopt;
  }
  if (!is_level(parameters, Param::precision, "fp32")) return "algorithm fft computes in precision fp32 only";
  const bool is_rewritten = is_level(parameters, Param::rewrite, "algebraic");
  if (is_rewritten && reads(parameters, model, Param::rewrite)) return "algorithm fft is not taken with a rewrite";
  if (saves_by_fft(std::get<model::Network>(*model))) return std::nullopt;
  return fmt::format("algorithm fft saves no work in {} (its convolutions have few taps or positions)",
                     model::name_of(*model));
}

/// Why the engine cannot run the trial on this device, or nothing: it has a level on another device only.
std::optional<std::string> not_on_this_device(const EngineInfo& engine, const Parameters& parameters,
                                              const model::Model* model) {
  if (!engine.has_kernels_of_ours) return std::nullopt;
  const bool on_processor = is_level(parameters, Param::device, "cpu");
  if (on_processor && is_level(parameters, Param::precision, "tf32") && reads(parameters, model, Param::precision))
    return fmt::format("the engine {} has precision tf32 with device cuda only (a processor has no such arithmetic)",
                       engine.name);
  if (!on_processor && is_level(parameters, Param::algorithm, "fft") && reads(parameters, model, Param::algorithm))
    return fmt::format("the engine {} has algorithm fft with device cpu only", engine.name);
  const bool is_of_batch = is_level(parameters, Param::batch_statistics, "batch");
  if (!on_processor && is_of_batch && reads(parameters, model, Param::batch_statistics)) {
    return fmt::format(
        "the engine {} has batch_statistics batch with device cpu only (ranks on other devices normalize their parts "
        "of a batch by themselves)",
        engine.name);
  }
  return std::nullopt;
}

/// A loop that trains where the work is inference, or the other way round.
std::optional<std::string> loop_of_other_work(const Parameters& parameters, const model::Model* model) {
  const auto* loop = std::get_if<std::string>(&parameters[Param::loop]);
  const auto* work = std::get_if<std::string>(&parameters[Param::work]);
  if (loop == nullptr || work == nullptr || !reads(parameters, model, Param::loop)) return std::nullopt;
  const bool infers = *work == "infer";
  const EngineInfo::Names others =
      infers ? EngineInfo::Names{"train_on_batch", "fit"} : EngineInfo::Names{"predict_on_batch", "predict"};
  if (!contains(others, *loop)) return std::nullopt;
  return fmt::format("loop {} is for {}, not for work {}", *loop, infers ? "training" : "inference", *work);
}

std::optional<std::string> loop_that_does_not_accumulate(const Parameters& parameters) {
  const std::int64_t steps = integer_or(parameters, Param::accumulate, 1);
  const auto* loop = std::get_if<std::string>(&parameters[Param::loop]);
  if (steps == 1 || loop == nullptr || *loop == "custom") return std::nullopt;
  return fmt::format("loop {} updates in every step (accumulate is {}); take the loop custom", *loop, steps);
}

/// Samples that are no bytes, as far as that is known before their file is opened.
std::optional<std::string> samples_are_no_bytes(const Parameters& parameters, const model::Model* model) {
  if (!is_level(parameters, Param::host_dtype, "uint8") || !reads(parameters, model, Param::host_dtype))
    return std::nullopt;
  const auto* network = model == nullptr ? nullptr : std::get_if<model::Network>(model);
  if (network == nullptr) return "host_dtype uint8 is for datasets of bytes (the model makes its own samples)";
  if (!network->layers.empty() && std::holds_alternative<model::Embedding>(network->layers.front()))
    return fmt::format("host_dtype uint8 is for samples that are scaled ({} reads indices)", network->name);
  const auto* name = std::get_if<std::string>(&parameters[Param::dataset]);
  if (name == nullptr) return std::nullopt;
  const auto* shipped = model::find_shipped_dataset(*name);
  const bool are_floats = *name == "synthetic" || (shipped != nullptr && !shipped->holds_bytes);
  if (!are_floats) return std::nullopt;
  return fmt::format("host_dtype uint8 is for samples that are bytes (those of the dataset {} are not)", *name);
}

/// Why the trial takes no batches from Regatta's loader, or nothing.
std::optional<std::string> not_from_loader(const Parameters& parameters, const model::Model* model, Task task) {
  if (!is_level(parameters, Param::input, "loader") || !reads(parameters, model, Param::input)) return std::nullopt;
  if (model != nullptr && std::holds_alternative<model::UserModel>(*model))
    return "input loader reads the samples of a dataset (the model makes its own)";
  for (const std::string_view loop : {"fit", "predict"}) {
    if (task == Task::train || !is_level(parameters, Param::loop, loop)) continue;
    return fmt::format("loop {} takes no batch at a time (input is loader); take the loop custom or {}_on_batch", loop,
                       loop == "fit" ? "train" : loop);
  }
  return std::nullopt;
}

bool has_conv1d(const model::Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const auto& layer) { return std::holds_alternative<model::Conv1d>(layer); });
}

bool has_batch_norm(const model::Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const auto& layer) { return std::holds_alternative<model::BatchNorm>(layer); });
}

/// Whether a step is taken in several parts: by ranks, or by shards.
bool is_cut(const Parameters& parameters, const model::Model* model) {
  if (integer_or(parameters, Param::ranks, 1) > 1) return true;
  return integer_or(parameters, Param::shards, 1) > 1 && reads(parameters, model, Param::shards);
}

/// Whether a trial of this engine and model is one of the readers.
bool is_among(Readers readers, const EngineInfo& engine, const model::Model* model) {
  const auto* network = model != nullptr ? std::get_if<model::Network>(model) : nullptr;
  const bool has_steps = network != nullptr || (model != nullptr && std::holds_alternative<model::UserModel>(*model));
  const bool is_program = engine.worker == WorkerKind::program;
  if (readers == Readers::all) return true;
  if (readers == Readers::programs || is_program) return is_program && readers == Readers::programs;
  switch (readers) {
    case Readers::computing_models:
      return model == nullptr || !std::holds_alternative<model::Noop>(*model);
    case Readers::models_with_data:
      return has_steps || (model != nullptr && std::holds_alternative<model::Matmul>(*model));
    case Readers::products:
      return model != nullptr && std::holds_alternative<model::Matmul>(*model);
    case Readers::networks:
      return has_steps;
    case Readers::networks_of_layers:
      return network != nullptr;
    case Readers::networks_with_length:
      return has_steps && model::reads_length(model::name_of(*model));
    case Readers::networks_with_conv1d:
      return network != nullptr && has_conv1d(*network);
    case Readers::networks_with_batch_norm:
      return network != nullptr && has_batch_norm(*network);
    case Readers::networks_with_pooled_convolutions:
      return network != nullptr && model::pooled_convolutions(*network) > 0;
    default:
      return true;  // workers
  }
}

/// A loop of the user's own takes as many samples as it likes, unless it asks how many.
bool knows_no_batches(const model::Model* model) {
  const auto* user = model != nullptr ? std::get_if<model::UserModel>(model) : nullptr;
  return user != nullptr && !user->reads_batch;
}

}  // namespace

std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model, Task task) {
  const EngineInfo& engine = engine_info(parameters);
  if (auto reason = not_in_this_version(parameters, model)) return reason;
  if (auto reason = ranks_that_cannot_be(engine, parameters, model)) return reason;
  if (auto reason = missing_level(engine, parameters, model, task)) return reason;
  if (auto reason = loop_of_other_work(parameters, model)) return reason;
  if (auto reason = loop_that_does_not_accumulate(parameters)) return reason;
  if (auto reason = not_on_this_device(engine, parameters, model)) return reason;
  if (auto reason = not_with_fft(parameters, model)) return reason;
  if (auto reason = shards_that_do_not_fit(parameters, model)) return reason;
  if (auto reason = optimizer_that_is_not_sharded(engine, parameters, model)) return reason;
  if (auto reason = v1_session_lacks(parameters, model)) return reason;
  if (auto reason = replays_nothing_here(parameters, model)) return reason;
  if (auto reason = samples_are_no_bytes(parameters, model)) return reason;
  if (auto reason = not_from_loader(parameters, model, task)) return reason;
  return model != nullptr ? model_skip_reason(engine, parameters, *model) : std::nullopt;
}

bool reads(const Parameters& parameters, const model::Model* model, const Param& param) {
  const EngineInfo& engine = engine_info(parameters);
  const ParamInfo& row = info(param);
  const ReadBy& by = row.read_by;
  if (param == Param::batch && knows_no_batches(model)) return false;
  if (by.own && !reads_own_param(engine, parameters, row)) return false;
  if (by.choice && (engine.*row.engine_levels).size() < 2) return false;
  if (by.in_ranks && integer_or(parameters, Param::ranks, 1) == 1) return false;
  if (by.in_parts && !is_cut(parameters, model)) return false;
  const auto holds = [&](const ReadBy::Condition& where) {
    return has_one_of(parameters, where.param, where.levels) == where.has;
  };
  return std::ranges::all_of(by.where, holds) && is_among(by.readers, engine, model);
}

std::int64_t steps_per_call(const Parameters& parameters) { return integer_or(parameters, Param::steps_per_call, 1); }

std::int64_t threads_of(const Parameters& parameters) {
  return std::max<std::int64_t>(1, integer_or(parameters, Param::threads, 1));
}

bool hands_over_steps(const Sweep& sweep, const Parameters& parameters) {
  const EngineInfo& engine = engine_info(parameters);
  if (engine.hands_over_steps) return true;
  if (engine.worker == WorkerKind::python && is_level(parameters, Param::device, "cuda")) return true;
  const auto environment =
      sweep.environments.find(std::string(split_engine(text_of(parameters, Param::engine)).environment));
  return environment != sweep.environments.end() && !environment->second.program.empty();
}

Launch launch_of_loop(const Sweep& sweep, const Parameters& parameters) {
  const auto* engine = std::get_if<std::string>(&parameters[Param::engine]);
  if (engine == nullptr) return Launch::once;
  const auto found = sweep.environments.find(std::string(split_engine(*engine).environment));
  return found == sweep.environments.end() ? Launch::once : found->second.launch;
}

bool is_program(const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::engine]);
  return name != nullptr && has_worker(split_engine(*name).engine, WorkerKind::program);
}

Parameters without_ranks(Parameters parameters) {
  for (const Param param : {Param::ranks, Param::bucket_bytes, Param::optimizer_state}) parameters.set(param, {});
  return parameters;
}

TrainingParts training_parts(std::int64_t samples, double share, std::int64_t own) {
  constexpr double half = 0.5;
  TrainingParts parts;
  parts.validation = own > 0 ? own : static_cast<std::int64_t>(std::floor(static_cast<double>(samples) * share + half));
  parts.training = samples - parts.validation;
  return parts;
}

std::optional<std::string> no_step_reason(const TrainingParts& parts, std::int64_t batch) {
  if (batch <= parts.training) return std::nullopt;
  return fmt::format("batch is {}, the training part has {} samples (a step takes a whole batch); use a smaller one",
                     batch, parts.training);
}

std::optional<std::string> no_validation_reason(const TrainingParts& parts, double share) {
  if (share <= 0 || parts.validation > 0) return std::nullopt;
  return fmt::format(
      "validation is {:g}, of {} samples none is held out (nothing could choose); use a larger part, or 0 and the "
      "metric train_loss",
      share, parts.training);
}

}  // namespace regatta::sweep
