// The table of layers and losses: their names, their keys in JSON, and what the native engine can do with them.
// Readers, plans and the engine ask here; a test holds the Python workers to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// The arithmetic that the native engine has for a layer's products.
enum class Products : std::uint8_t {
  none,         ///< the layer multiplies no matrices
  fp32,         ///< fp32 alone
  fp32_or_bf16  ///< operands can be rounded to bf16
};

/// One row.
struct LayerInfo {
  std::string_view name;                    ///< the key that makes a JSON object this layer
  std::array<std::string_view, 4> options;  ///< its other keys; unused places are empty
  Products products = Products::none;
  bool is_recurrent = false;  ///< its activation stands inside the recurrence
};

template <class Kind>
using Row = std::type_identity<Kind>;

// The rows. A kind of layer without one does not compile.
constexpr LayerInfo layer_row(Row<Dense>) { return {"dense", {"activation"}, Products::fp32_or_bf16}; }
constexpr LayerInfo layer_row(Row<Conv1d>) {
  return {"conv1d", {"kernel", "stride", "padding", "activation"}, Products::fp32_or_bf16};
}
constexpr LayerInfo layer_row(Row<Conv2d>) {
  return {"conv2d", {"kernel", "stride", "padding", "activation"}, Products::fp32};
}
constexpr LayerInfo layer_row(Row<Lstm>) { return {"lstm", {"activation", "return_sequences"}, Products::fp32, true}; }
constexpr LayerInfo layer_row(Row<Bidirectional>) { return {"bidirectional", {}, Products::fp32, true}; }
constexpr LayerInfo layer_row(Row<MaxPool>) { return {"max_pool", {}}; }
constexpr LayerInfo layer_row(Row<AveragePool>) { return {"average_pool", {}}; }
constexpr LayerInfo layer_row(Row<GlobalAveragePool>) { return {"global_average_pool", {}}; }
constexpr LayerInfo layer_row(Row<Flatten>) { return {"flatten", {}}; }
constexpr LayerInfo layer_row(Row<Dropout>) { return {"dropout", {}}; }
constexpr LayerInfo layer_row(Row<BatchNorm>) { return {"batch_norm", {}}; }
constexpr LayerInfo layer_row(Row<LayerNorm>) { return {"layer_norm", {}}; }
constexpr LayerInfo layer_row(Row<Embedding>) { return {"embedding", {"vocabulary"}}; }

template <class... Kinds>
constexpr std::array<LayerInfo, sizeof...(Kinds)> layer_rows(Row<std::variant<Kinds...>> /*layers*/) {
  return {layer_row(Row<Kinds>{})...};
}

/// All rows, ordered as the alternatives of Layer.
inline constexpr auto layer_table = layer_rows(Row<Layer>{});

inline const LayerInfo& info(const Layer& layer) { return layer_table[layer.index()]; }

inline constexpr std::array<std::string_view, 5> activation_names = {"none", "relu", "sigmoid", "tanh", "softmax"};
inline std::string_view name_of(Activation activation) {
  return activation_names.at(static_cast<std::size_t>(activation));
}

struct LossInfo {
  std::string_view name;
  /// The activation that the loss brings itself: it is computed from what stands in front of it, where that is stable.
  Activation activation;
};
inline constexpr std::array<LossInfo, 3> loss_table = {{{"mse", Activation::none},
                                                        {"binary_crossentropy", Activation::sigmoid},
                                                        {"sparse_categorical_crossentropy", Activation::softmax}}};
inline const LossInfo& info(Loss loss) { return loss_table.at(static_cast<std::size_t>(loss)); }

/// The activation behind a layer's products; nothing for layers without one and for recurrent ones.
std::optional<Activation> activation_of(const Layer& layer);

/// The activation inside a recurrent layer.
std::optional<Activation> inner_activation_of(const Layer& layer);

/// Whether the last layer is the dense one, with its activation, that native and numpy compute the loss from. Losses
/// without an activation of their own take any.
bool ends_as_loss_needs(const Network& network);

/// The first layer whose products the native engine has in fp32 alone.
std::optional<std::size_t> first_in_fp32(const Network& network);

/// "dense and conv1d": the layers whose products the native engine has in bf16.
std::string layers_in_bf16();

}  // namespace regatta::model
