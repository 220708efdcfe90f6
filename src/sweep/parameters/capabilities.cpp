#include "regatta/sweep/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/fft_tiling.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/sweep/engines.hpp"
#include "sweep/parameters/model_support.hpp"

namespace regatta::sweep {
namespace {

using Names = std::vector<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_one_of(std::string_view engine, std::initializer_list<std::string_view> names) {
  return contains(Names(names), engine);
}

std::string_view engine_of(const Parameters& parameters) {
  return split_engine(text_of(parameters, Param::engine)).engine;
}

const EngineInfo& engine_info(const Parameters& parameters) {
  const EngineInfo* engine = find_engine(engine_of(parameters));
  if (engine == nullptr) throw InternalError(fmt::format("engine '{}' was not checked", engine_of(parameters)));
  return *engine;
}

/// The levels of `param` that the engine has, if the table lists them.
const Names* levels_of(const EngineInfo& engine, Param param) {
  switch (param) {
    case Param::api:
      return &engine.apis;
    case Param::device:
      return &engine.devices;
    case Param::input:
      return &engine.inputs;
    case Param::loop:
      return &engine.loops;
    case Param::mode:
      return &engine.modes;
    case Param::precision:
      return &engine.precisions;
    default:
      return nullptr;
  }
}

/// A named level that the engine lacks.
std::optional<std::string> missing_level(const EngineInfo& engine, const Parameters& parameters,
                                         const model::Model* model) {
  for (const ParamInfo& row : parameter_table()) {
    const Names* levels = levels_of(engine, row.param);
    const auto* level = std::get_if<std::string>(&parameters[row.param]);
    if (levels == nullptr || level == nullptr || !reads(parameters, model, row.param) || contains(*levels, *level))
      continue;
    if (row.param == Param::device)
      return fmt::format("device {} is not built yet for the engine {}", *level, engine.name);
    return fmt::format("the engine {} has no {} {} (it has {})", engine.name, row.name, *level,
                       fmt::join(*levels, ", "));
  }
  return std::nullopt;
}

bool has_level(const Parameters& parameters, Param param, std::string_view level) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  return text != nullptr && *text == level;
}

/// tf.compat.v1 holds no batches on a device, and Keras' loops take none from a pipeline there.
std::optional<std::string> v1_session_lacks(const Parameters& parameters, const model::Model* model) {
  if (!has_level(parameters, Param::mode, "v1-session")) return std::nullopt;
  if (!reads(parameters, model, Param::input) || has_level(parameters, Param::input, "array")) return std::nullopt;
  const bool own_loop = has_level(parameters, Param::loop, "custom");
  if (own_loop && has_level(parameters, Param::input, "pipeline")) return std::nullopt;
  return fmt::format("mode v1-session has no input {} in the loop {} (it has {})", text_of(parameters, Param::input),
                     text_of(parameters, Param::loop), own_loop ? "array, pipeline" : "array");
}

/// What no engine of this version does, so that no row can claim it.
std::optional<std::string> not_in_this_version(const Parameters& parameters, const model::Model* model) {
  const auto names = [&](Param param, std::string_view level) {
    return has_level(parameters, param, level) && reads(parameters, model, param);
  };
  const auto* ranks = std::get_if<std::int64_t>(&parameters[Param::ranks]);
  if (ranks != nullptr && *ranks > 1 && reads(parameters, model, Param::ranks)) {
    return "data-parallel trials are not part of this version";
  }
  if (names(Param::timing, "cold")) return "timing cold is not part of this version";
  if (names(Param::tail, "keep")) return "tail keep is not part of this version (the smaller last batch is dropped)";
  return std::nullopt;
}

bool has_conv1d(const model::Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const auto& layer) { return std::holds_alternative<model::Conv1d>(layer); });
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
  if (!has_level(parameters, Param::algorithm, "fft") || !reads(parameters, model, Param::algorithm)) {
    return std::nullopt;
  }
  if (!has_level(parameters, Param::precision, "fp32")) return "algorithm fft computes in precision fp32 only";
  const bool is_rewritten = has_level(parameters, Param::rewrite, "algebraic");
  if (is_rewritten && reads(parameters, model, Param::rewrite)) return "algorithm fft is not taken with a rewrite";
  if (saves_by_fft(std::get<model::Network>(*model))) return std::nullopt;
  return fmt::format("algorithm fft saves no work in {} (its convolutions have few taps or positions)",
                     model::name_of(*model));
}

/// A loop that trains where the work is inference, or the other way round.
std::optional<std::string> loop_of_other_work(const Parameters& parameters, const model::Model* model) {
  const auto* loop = std::get_if<std::string>(&parameters[Param::loop]);
  const auto* work = std::get_if<std::string>(&parameters[Param::work]);
  if (loop == nullptr || work == nullptr || !reads(parameters, model, Param::loop)) return std::nullopt;
  const bool infers = *work == "infer";
  const Names others = infers ? Names{"train_on_batch", "fit"} : Names{"predict_on_batch", "predict"};
  if (!contains(others, *loop)) return std::nullopt;
  return fmt::format("loop {} is for {}, not for work {}", *loop, infers ? "training" : "inference", *work);
}

}  // namespace

std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model) {
  const EngineInfo& engine = engine_info(parameters);
  if (auto reason = not_in_this_version(parameters, model)) return reason;
  if (auto reason = missing_level(engine, parameters, model)) return reason;
  if (auto reason = loop_of_other_work(parameters, model)) return reason;
  if (auto reason = not_with_fft(parameters, model)) return reason;
  if (auto reason = v1_session_lacks(parameters, model)) return reason;
  return model != nullptr ? model_skip_reason(engine, parameters, *model) : std::nullopt;
}

bool reads(const Parameters& parameters, const model::Model* model, Param param) {
  const EngineInfo& engine = engine_info(parameters);
  const bool is_command = engine.name == "command";
  const bool has_layers = model != nullptr && std::holds_alternative<model::Network>(*model);
  const bool is_network = has_layers || (model != nullptr && std::holds_alternative<model::UserModel>(*model));
  const bool is_noop = model != nullptr && std::holds_alternative<model::Noop>(*model);
  const bool is_piped = is_network && has_level(parameters, Param::input, "pipeline");
  const bool has_data = is_network || (model != nullptr && std::holds_alternative<model::Matmul>(*model));
  switch (param) {
    case Param::engine:
    case Param::repeat:
      return true;
    case Param::command:
      return is_command;
    case Param::api:  // an engine with one level has nothing to choose
      return is_network && engine.apis.size() > 1 && !has_level(parameters, Param::mode, "v1-session");
    case Param::loop:
      return is_network && engine.loops.size() > 1;
    case Param::loader_workers:
      return is_piped && engine.name == "torch";
    case Param::map_threads:
    case Param::prefetch:
      return is_piped && engine.name == "tensorflow";
    case Param::steps_per_call:
      return is_network && engine.name == "tensorflow" && has_level(parameters, Param::loop, "fit");
    case Param::mode:
      return levels_of(engine, param)->size() > 1;
    case Param::host_dtype:
    case Param::input:
      return is_network && !is_one_of(engine.name, {"native", "command"});
    case Param::length:
      return is_network && !is_command && model::reads_length(model::name_of(*model));
    case Param::dataset:  // a user's own model makes its batches
      return has_layers && !is_command;
    case Param::batch:
    case Param::tail:
    case Param::work:
      return is_network && !is_command;
    case Param::algorithm:
      return engine.name == "native" && has_layers && has_conv1d(std::get<model::Network>(*model));
    case Param::rewrite:
      return engine.name == "native" && has_layers && model::pooled_convolutions(std::get<model::Network>(*model)) > 0;
    case Param::seed:
      return has_data && !is_command;
    case Param::precision:
      return !is_noop && !is_command;
    case Param::device:
    case Param::model:
    case Param::ranks:
    case Param::threads:
    case Param::timing:
      return !is_command;
  }
  throw InternalError("unknown parameter");
}

}  // namespace regatta::sweep
