#include "regatta/sweep/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

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

/// What no engine of this version does, so that no row can claim it.
std::optional<std::string> not_in_this_version(const EngineInfo& engine, const Parameters& parameters,
                                               const model::Model* model) {
  const auto names = [&](Param param, std::string_view level) {
    const auto* text = std::get_if<std::string>(&parameters[param]);
    return text != nullptr && *text == level && reads(parameters, model, param);
  };
  const auto* ranks = std::get_if<std::int64_t>(&parameters[Param::ranks]);
  if (!engine.available) return fmt::format("the engine {} is not part of this version", engine.name);
  if (ranks != nullptr && *ranks > 1 && reads(parameters, model, Param::ranks)) {
    return "data-parallel trials are not part of this version";
  }
  if (names(Param::timing, "cold")) return "timing cold is not part of this version";
  if (names(Param::tail, "keep")) return "tail keep is not part of this version (the smaller last batch is dropped)";
  if (names(Param::host_dtype, "float64"))
    return "host_dtype float64 is not part of this version (samples are float32)";
  return std::nullopt;
}

struct LayerName {
  std::string_view operator()(const model::Dense&) const { return "dense"; }
  std::string_view operator()(const model::Conv1d&) const { return "conv1d"; }
  std::string_view operator()(const model::Conv2d&) const { return "conv2d"; }
  std::string_view operator()(const model::Lstm&) const { return "lstm"; }
  std::string_view operator()(const model::Bidirectional&) const { return "bidirectional"; }
  std::string_view operator()(const model::MaxPool&) const { return "max_pool"; }
  std::string_view operator()(const model::AveragePool&) const { return "average_pool"; }
  std::string_view operator()(const model::GlobalAveragePool&) const { return "global_average_pool"; }
  std::string_view operator()(const model::Flatten&) const { return "flatten"; }
  std::string_view operator()(const model::Dropout&) const { return "dropout"; }
  std::string_view operator()(const model::BatchNorm&) const { return "batch_norm"; }
  std::string_view operator()(const model::LayerNorm&) const { return "layer_norm"; }
  std::string_view operator()(const model::Embedding&) const { return "embedding"; }
};

bool is_softmax(const model::Layer& layer) {
  const auto* dense = std::get_if<model::Dense>(&layer);
  const auto* conv = std::get_if<model::Conv1d>(&layer);
  return (dense != nullptr && dense->activation == model::Activation::softmax) ||
         (conv != nullptr && conv->activation == model::Activation::softmax);
}

/// The layers of a network that the engines of this version run.
std::optional<std::string> missing_layer(const EngineInfo& engine, const model::Network& network) {
  static const Names native_layers = {"dense", "conv1d", "global_average_pool", "flatten", "dropout"};
  static const Names numpy_layers = {"dense"};
  const Names& layers = engine.name == "numpy" ? numpy_layers : native_layers;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::string_view name = std::visit(LayerName{}, network.layers[i]);
    if (!contains(layers, name)) {
      return fmt::format("the engine {} has no layer {} (layer {} of {})", engine.name, name, i, network.name);
    }
    if (is_softmax(network.layers[i]) && i + 1 < network.layers.size()) {
      return fmt::format("the engine {} has softmax in the last layer only (layer {} of {})", engine.name, i,
                         network.name);
    }
  }
  return std::nullopt;
}

/// An image of the data set is 8 x 8 pixels with a class from 0 to 9.
std::optional<std::string> digits_mismatch(const model::Network& network, const model::Shape& output) {
  const bool fits = model::element_count(network.input) == 64 && model::element_count(output) >= 10 &&
                    network.loss == model::Loss::sparse_categorical_crossentropy;
  if (fits) return std::nullopt;
  return fmt::format(
      "the dataset digits has 64 values a sample and 10 classes (it needs a model with that input, at least 10 outputs "
      "and "
      "sparse_categorical_crossentropy), which {} does not fit",
      network.name);
}

std::optional<std::string> network_reason(const EngineInfo& engine, const Parameters& parameters,
                                          const model::Network& network) {
  if (auto reason = missing_layer(engine, network)) return reason;
  try {
    const model::Shape output = model::infer_shapes(network).back();
    const auto* dataset = std::get_if<std::string>(&parameters[Param::dataset]);
    return dataset != nullptr && *dataset == "digits" ? digits_mismatch(network, output) : std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

std::optional<std::string> model_reason(const EngineInfo& engine, const Parameters& parameters,
                                        const model::Model& model) {
  if (const auto* network = std::get_if<model::Network>(&model)) return network_reason(engine, parameters, *network);
  if (engine.name == "numpy" && !std::holds_alternative<model::Matmul>(model)) {
    return fmt::format("the engine numpy has no {} (it has dense networks and matmul)", model::name_of(model));
  }
  return std::nullopt;
}

std::vector<EngineInfo> make_engines() {
  const Names cpu = {"cpu"};
  const Names both = {"cpu", "cuda"};
  const Names all_inputs = {"array", "pipeline", "resident"};
  const Names all_precisions = {"fp32", "tf32", "bf16"};
  const Names compiled = {"eager", "graph"};
  const Names keras_loops = {"custom", "train_on_batch", "fit"};
  const Names apis = {"keras", "tf_keras", "raw"};
  return {
      {"native", compiled, cpu, {"custom"}, {}, {"array"}, {"fp32"}, true},
      {"torch", compiled, both, {"custom"}, {}, all_inputs, all_precisions, false},
      {"tensorflow", {"eager", "graph", "xla"}, both, keras_loops, apis, all_inputs, all_precisions, false},
      {"jax", compiled, both, {"custom"}, {}, all_inputs, all_precisions, false},
      {"numpy", {"eager"}, cpu, {"custom"}, {}, {"array"}, {"fp32"}, true},
      {"command", {}, {}, {}, {}, {}, {}, true},
  };
}

}  // namespace

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = make_engines();
  return table;
}

const EngineInfo* find_engine(std::string_view name) {
  const auto& table = engine_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const EngineInfo& engine) { return engine.name == name; });
  return row == table.end() ? nullptr : &*row;
}

std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model) {
  const EngineInfo& engine = engine_info(parameters);
  if (auto reason = not_in_this_version(engine, parameters, model)) return reason;
  if (auto reason = missing_level(engine, parameters, model)) return reason;
  return model != nullptr ? model_reason(engine, parameters, *model) : std::nullopt;
}

bool reads(const Parameters& parameters, const model::Model* model, Param param) {
  const EngineInfo& engine = engine_info(parameters);
  const bool is_command = engine.name == "command";
  const bool is_network = model != nullptr && std::holds_alternative<model::Network>(*model);
  const bool is_noop = model != nullptr && std::holds_alternative<model::Noop>(*model);
  const bool has_data = is_network || (model != nullptr && std::holds_alternative<model::Matmul>(*model));
  switch (param) {
    case Param::engine:
    case Param::repeat:
      return true;
    case Param::command:
      return is_command;
    case Param::api:  // an engine with one level has nothing to choose
    case Param::loop:
    case Param::mode:
      return levels_of(engine, param)->size() > 1;
    case Param::host_dtype:
    case Param::input:
      return is_network && !is_one_of(engine.name, {"native", "command"});
    case Param::length:
      return is_network && !is_command && model::reads_length(model::name_of(*model));
    case Param::batch:
    case Param::dataset:
    case Param::tail:
    case Param::work:
      return is_network && !is_command;
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
