// The kinds of layers. Each stands here once: its values, its keys in JSON, and what the native engine can do with it.
// Readers, plans and the engine ask here; a test holds the Python workers to it. A kind with something missing does not
// compile: its shapes, parameters and work stand in src/model/layer_rules.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <variant>

namespace regatta::model {

enum class Activation { none, relu, sigmoid, tanh, softmax };
inline constexpr std::array<std::string_view, 5> activation_names = {"none", "relu", "sigmoid", "tanh", "softmax"};
inline std::string_view name_of(Activation activation) {
  return activation_names.at(static_cast<std::size_t>(activation));
}

enum class Padding { valid, same };
inline constexpr std::array<std::string_view, 2> padding_names = {"valid", "same"};
inline std::string_view name_of(Padding padding) { return padding_names.at(static_cast<std::size_t>(padding)); }

/// The arithmetic that the native engine has for a layer's products.
enum class Products : std::uint8_t {
  none,            ///< the layer multiplies no matrices
  bf16_on_device,  ///< operands can be rounded to bf16 on a device that is not the processor
  fp32_or_bf16     ///< operands can be rounded to bf16
};

/// The properties of a kind of layer.
struct Kind {
  std::string_view name;  ///< the key that makes a JSON object this layer
  Products products = Products::none;
  bool is_recurrent = false;  ///< its activation stands inside the recurrence
};

/// Numbers of [low, high), as an error asks for them.
struct NumberRange {
  double low, high;
  std::string_view expected;
};
inline constexpr NumberRange share{0, 1, "a number of at least 0, below 1"};
inline constexpr NumberRange positive{std::numeric_limits<double>::denorm_min(), 1e300, "a number above 0"};

// Each kind of layer. `fields(layer, visit)` names its values in JSON, to write and to read: the value of the key that
// names the kind (main, or alone: that key has no value, and is written as true), keys that are needed, and keys that
// may be left out. A kind without any values is written as true, too.

struct Dense {
  std::int64_t units;
  Activation activation = Activation::none;
  bool operator==(const Dense&) const = default;

  static constexpr Kind kind{"dense", Products::fp32_or_bf16};
  static constexpr void fields(auto& layer, auto&& visit) {
    visit.main(layer.units);
    visit.may("activation", layer.activation);
  }
};

/// The fields of convolutions of all ranks.
constexpr void convolution_fields(auto& layer, auto&& visit) {
  visit.main(layer.filters);
  visit.need("kernel", layer.kernel);
  visit.may("stride", layer.stride);
  visit.may("padding", layer.padding);
  visit.may("activation", layer.activation);
}

struct Conv1d {
  std::int64_t filters;
  std::int64_t kernel;  ///< taps
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
  bool operator==(const Conv1d&) const = default;

  static constexpr Kind kind{"conv1d", Products::fp32_or_bf16};
  static constexpr void fields(auto& layer, auto&& visit) { convolution_fields(layer, visit); }
};

struct Conv2d {  ///< square kernels and strides
  std::int64_t filters;
  std::int64_t kernel;
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
  bool operator==(const Conv2d&) const = default;

  static constexpr Kind kind{"conv2d", Products::bf16_on_device};
  static constexpr void fields(auto& layer, auto&& visit) { convolution_fields(layer, visit); }
};

struct Lstm {
  std::int64_t units;
  Activation activation = Activation::tanh;  ///< for candidate and output; the gates are sigmoid
  bool return_sequences = false;
  bool operator==(const Lstm&) const = default;

  static constexpr Kind kind{"lstm", Products::bf16_on_device, true};
  static constexpr void fields(auto& layer, auto&& visit) {
    visit.main(layer.units);
    visit.may("activation", layer.activation);
    visit.may("return_sequences", layer.return_sequences);
  }
};

struct Bidirectional {
  Lstm inner;  ///< outputs of both directions are concatenated
  bool operator==(const Bidirectional&) const = default;

  static constexpr Kind kind{"bidirectional", Products::bf16_on_device, true};
  static constexpr void fields(auto& layer, auto&& visit) { visit.main(layer.inner); }
};

struct MaxPool {
  std::int64_t size;  ///< window and stride
  bool operator==(const MaxPool&) const = default;

  static constexpr Kind kind{"max_pool"};
  static constexpr void fields(auto& layer, auto&& visit) { visit.main(layer.size); }
};

struct AveragePool {
  std::int64_t size;
  bool operator==(const AveragePool&) const = default;

  static constexpr Kind kind{"average_pool"};
  static constexpr void fields(auto& layer, auto&& visit) { visit.main(layer.size); }
};

struct GlobalAveragePool {
  bool operator==(const GlobalAveragePool&) const = default;

  static constexpr Kind kind{"global_average_pool"};
};

struct Flatten {
  bool operator==(const Flatten&) const = default;

  static constexpr Kind kind{"flatten"};
};

struct Dropout {
  double rate;
  bool operator==(const Dropout&) const = default;

  static constexpr Kind kind{"dropout"};
  static constexpr void fields(auto& layer, auto&& visit) { visit.main(layer.rate, share); }
};

/// Values as in Keras. PyTorch's momentum is 1 minus this one.
struct BatchNorm {
  double momentum = 0.99;  ///< the share that moving moments keep of what they were, once so many steps are taken
  double epsilon = 1e-3;   ///< added to a variance
  bool operator==(const BatchNorm&) const = default;

  static constexpr Kind kind{"batch_norm"};
  static constexpr void fields(auto& layer, auto&& visit) {
    visit.alone();
    visit.may("momentum", layer.momentum, share);
    visit.may("epsilon", layer.epsilon, positive);
  }
};

struct LayerNorm {
  bool operator==(const LayerNorm&) const = default;

  static constexpr Kind kind{"layer_norm"};
};

struct Embedding {
  std::int64_t vocabulary;
  std::int64_t units;
  bool operator==(const Embedding&) const = default;

  static constexpr Kind kind{"embedding"};
  static constexpr void fields(auto& layer, auto&& visit) {
    visit.main(layer.units);
    visit.need("vocabulary", layer.vocabulary);
  }
};

using Layer = std::variant<Dense, Conv1d, Conv2d, Lstm, Bidirectional, MaxPool, AveragePool, GlobalAveragePool, Flatten,
                           Dropout, BatchNorm, LayerNorm, Embedding>;

/// One row of the table of layers.
struct LayerInfo : Kind {
  std::array<std::string_view, 4> options;  ///< its keys beside the name; unused places are empty
};

/// Notes the keys that a kind has beside its name.
struct OptionNames {
  std::array<std::string_view, 4> names{};
  std::size_t count = 0;

  constexpr void main(auto&... /*value*/) {}
  constexpr void alone() {}
  constexpr void need(std::string_view key, auto&... /*value*/) { names.at(count++) = key; }
  constexpr void may(std::string_view key, auto&... /*value*/) { names.at(count++) = key; }
};

template <class LayerKind>
constexpr LayerInfo layer_row(std::type_identity<LayerKind> /*layer*/) {
  OptionNames options;
  if constexpr (!std::is_empty_v<LayerKind>) {
    LayerKind layer{};
    LayerKind::fields(layer, options);
  }
  return {LayerKind::kind, options.names};
}

template <class... Kinds>
constexpr std::array<LayerInfo, sizeof...(Kinds)> layer_rows(std::type_identity<std::variant<Kinds...>> /*layers*/) {
  return {layer_row(std::type_identity<Kinds>{})...};
}

/// All rows, ordered as the alternatives of Layer.
inline constexpr auto layer_table = layer_rows(std::type_identity<Layer>{});

inline const LayerInfo& info(const Layer& layer) { return layer_table[layer.index()]; }

}  // namespace regatta::model
