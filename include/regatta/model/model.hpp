// A model as layers: plain data that every engine builds from. Shapes exclude the batch; channels last.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "regatta/model/user_model.hpp"

namespace regatta::model {

enum class Activation { none, relu, sigmoid, tanh, softmax };
enum class Padding { valid, same };

using Shape = std::vector<std::int64_t>;  ///< without the batch, channels last: (L, C), (H, W, C), (units)

struct Dense {
  std::int64_t units;
  Activation activation = Activation::none;
  bool operator==(const Dense&) const = default;
};
struct Conv1d {
  std::int64_t filters;
  std::int64_t kernel;  ///< taps
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
  bool operator==(const Conv1d&) const = default;
};
struct Conv2d {  ///< square kernels and strides
  std::int64_t filters;
  std::int64_t kernel;
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
  bool operator==(const Conv2d&) const = default;
};
struct Lstm {
  std::int64_t units;
  Activation activation = Activation::tanh;  ///< of candidate and output; the gates are sigmoid
  bool return_sequences = false;
  bool operator==(const Lstm&) const = default;
};
struct Bidirectional {
  Lstm inner;  ///< outputs of both directions are concatenated
  bool operator==(const Bidirectional&) const = default;
};
struct MaxPool {
  std::int64_t size;  ///< window and stride
  bool operator==(const MaxPool&) const = default;
};
struct AveragePool {
  std::int64_t size;
  bool operator==(const AveragePool&) const = default;
};
struct GlobalAveragePool {
  bool operator==(const GlobalAveragePool&) const = default;
};
struct Flatten {
  bool operator==(const Flatten&) const = default;
};
struct Dropout {
  double rate;
  bool operator==(const Dropout&) const = default;
};
struct BatchNorm {
  bool operator==(const BatchNorm&) const = default;
};
struct LayerNorm {
  bool operator==(const LayerNorm&) const = default;
};
struct Embedding {
  std::int64_t vocabulary;
  std::int64_t units;
  bool operator==(const Embedding&) const = default;
};

using Layer = std::variant<Dense, Conv1d, Conv2d, Lstm, Bidirectional, MaxPool, AveragePool, GlobalAveragePool, Flatten,
                           Dropout, BatchNorm, LayerNorm, Embedding>;

enum class Loss { mse, binary_crossentropy, sparse_categorical_crossentropy };

struct Sgd {
  double learning_rate;
  double momentum = 0;
  bool operator==(const Sgd&) const = default;
};
struct Adam {  ///< Kingma and Ba 2015, algorithm 1; epsilon is added to the root of the corrected moment
  double learning_rate;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  bool operator==(const Adam&) const = default;
};
using Optimizer = std::variant<Sgd, Adam>;

/// A network that is trained or run.
struct Network {
  std::string name;
  Shape input;
  std::vector<Layer> layers;
  Loss loss = Loss::mse;
  Optimizer optimizer = Sgd{0.01};
  bool operator==(const Network&) const = default;
};

/// C = A B with square fp32 matrices of `size` rows; one step is one product.
struct Matmul {
  std::string name;
  std::int64_t size;
  bool operator==(const Matmul&) const = default;
};

/// d(x^2)/dx at a fed scalar x; one step is one derivative.
struct ScalarGradient {
  std::string name;
  bool operator==(const ScalarGradient&) const = default;
};

/// Steps that do nothing: what the orchestration itself costs.
struct Noop {
  std::string name;
  bool operator==(const Noop&) const = default;
};

using Model = std::variant<Network, Matmul, ScalarGradient, Noop, UserModel>;

/// The name of any kind of model.
const std::string& name_of(const Model& model);

}  // namespace regatta::model
