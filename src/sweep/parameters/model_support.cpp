#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/model/abilities.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/shipped_datasets.hpp"
#include "sweep/parameters/parameters.hpp"

namespace regatta::sweep {
namespace {

/// A cross-entropy needs a last dense layer with its activation, and softmax stands nowhere else.
std::optional<std::string> loss_mismatch(const EngineInfo& engine, const model::Network& network) {
  const model::LossInfo& loss = model::info(network.loss);
  if (!model::ends_as_loss_needs(network)) {
    return fmt::format("the engine {} computes {} only from a last dense layer with activation {}, which {} lacks",
                       engine.name, loss.name, model::name_of(loss.activation), network.name);
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const bool belongs_to_loss = loss.activation == model::Activation::softmax && i + 1 == network.layers.size();
    if (belongs_to_loss || model::activation_of(network.layers[i]) != model::Activation::softmax) continue;
    return fmt::format(
        "the engine {} has softmax only in the last layer, with sparse_categorical_crossentropy (layer {} of {})",
        engine.name, i, network.name);
  }
  return std::nullopt;
}

model::ComputedOn computed_on(const Parameters& parameters) {
  return is_level(parameters, Param::device, "cpu") ? model::ComputedOn::processor : model::ComputedOn::device;
}

bool is_rounded(const Parameters& parameters) { return is_level(parameters, Param::precision, "bf16"); }

/// Why the engine lacks a layer of the network, or nothing; the frameworks have all layers.
std::optional<std::string> missing_layer(const EngineInfo& engine, const Parameters& parameters,
                                         const model::Network& network) {
  const auto in_fp32 = is_rounded(parameters) && engine.has_kernels_of_ours
                           ? model::first_in_fp32(network, computed_on(parameters))
                           : std::nullopt;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const model::Layer& layer = network.layers[i];
    if (!engine.layers.empty() && !contains(engine.layers, model::info(layer).name)) {
      return fmt::format("the engine {} has no layer {} (layer {} of {})", engine.name, model::info(layer).name, i,
                         network.name);
    }
    if (!engine.has_kernels_of_ours) continue;
    if (in_fp32 == i) {
      return fmt::format("the engine {} has precision bf16 for {} layers only (layer {} of {} is {})", engine.name,
                         model::layers_in_bf16(computed_on(parameters)), i, network.name, model::info(layer).name);
    }
    if (model::inner_activation_of(layer) == model::Activation::softmax) {
      return fmt::format("the engine {} has no softmax inside a recurrent layer (layer {} of {})", engine.name, i,
                         network.name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> dataset_mismatch(const Parameters& parameters, const model::Network& network,
                                            const model::Shape& output) {
  const auto* name = std::get_if<std::string>(&parameters[Param::dataset]);
  const auto* dataset = name == nullptr ? nullptr : model::find_shipped_dataset(*name);
  if (dataset == nullptr || model::fits(*dataset, network, output)) return std::nullopt;
  return fmt::format("the dataset {} needs {}, which {} lacks", *name, model::needs_text(*dataset), network.name);
}

std::optional<std::string> network_reason(const EngineInfo& engine, const Parameters& parameters,
                                          const model::Network& network) {
  if (auto reason = missing_layer(engine, parameters, network)) return reason;
  if (auto reason = loss_mismatch(engine, network)) return reason;
  try {
    const model::Shape output = model::infer_shapes(network).back();
    return dataset_mismatch(parameters, network, output);
  } catch (const InputError& error) {
    return error.what();
  }
}

/// "torch, tensorflow and jax".
std::string engines_with_python_models() {
  EngineInfo::Names names;
  for (const EngineInfo& engine : engine_table()) {
    if (engine.has_python_models) names.push_back(engine.name);
  }
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// Functions are called by the worker of their framework; a loop is a worker itself.
std::optional<std::string> user_reason(const EngineInfo& engine, const Parameters& parameters,
                                       const model::UserModel& user) {
  if (!model::is_loop(user)) {
    if (engine.has_python_models) {
      if (parameters[Param::mode] != Value(std::string("v1-session"))) return std::nullopt;
      return fmt::format("mode v1-session builds its graph from layers ({} is Python); use eager, graph or xla",
                         user.name);
    }
    return fmt::format("the engine {} has no Python models ({} have; {} is one)", engine.name,
                       engines_with_python_models(), user.name);
  }
  if (!split_engine(text_of(parameters, Param::engine)).environment.empty()) return std::nullopt;
  return fmt::format("{} is a loop of its own (it runs in an environment with a \"program\"); write {}@ENVIRONMENT",
                     user.name, engine.name);
}

}  // namespace

std::vector<std::string_view> dataset_names() {
  std::vector<std::string_view> names = {"synthetic"};
  for (const auto& dataset : model::shipped_datasets()) names.push_back(dataset.name);
  return names;
}

std::optional<std::string> model_skip_reason(const EngineInfo& engine, const Parameters& parameters,
                                             const model::Model& model) {
  if (const auto* network = std::get_if<model::Network>(&model)) return network_reason(engine, parameters, *network);
  if (const auto* user = std::get_if<model::UserModel>(&model)) return user_reason(engine, parameters, *user);
  if (!engine.layers.empty() && !std::holds_alternative<model::Matmul>(model)) {
    return fmt::format("the engine {} has no {} (it has {} networks and matmul)", engine.name, model::name_of(model),
                       fmt::join(engine.layers, ", "));
  }
  const bool multiplies = std::holds_alternative<model::Matmul>(model) || std::holds_alternative<model::Noop>(model);
  if (engine.has_kernels_of_ours && !multiplies && !is_level(parameters, Param::precision, "fp32")) {
    return fmt::format("the engine {} has precision {} for products only ({} has none)", engine.name,
                       text_of(parameters, Param::precision), model::name_of(model));
  }
  return std::nullopt;
}

}  // namespace regatta::sweep
