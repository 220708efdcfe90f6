// A model as layers: plain data that every engine builds from. Shapes exclude the batch; channels last.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace regatta::model {

enum class Activation { none, relu, sigmoid, tanh, softmax };
enum class Padding { valid, same };

using Shape = std::vector<std::int64_t>;  ///< without the batch, channels last: (L, C), (H, W, C), (units)

struct Dense {
  std::int64_t units;
  Activation activation = Activation::none;
};
struct Conv1d {
  std::int64_t filters;
  std::int64_t kernel;  ///< taps
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
};
struct Conv2d {  ///< square kernels and strides
  std::int64_t filters;
  std::int64_t kernel;
  std::int64_t stride = 1;
  Padding padding = Padding::valid;
  Activation activation = Activation::none;
};
struct Lstm {
  std::int64_t units;
  Activation activation = Activation::tanh;  ///< of candidate and output; the gates are sigmoid
  bool return_sequences = false;
};
struct Bidirectional {
  Lstm inner;  ///< outputs of both directions are concatenated
};
struct MaxPool {
  std::int64_t size;  ///< window and stride
};
struct AveragePool {
  std::int64_t size;
};
struct GlobalAveragePool {};
struct Flatten {};
struct Dropout {
  double rate;
};
struct BatchNorm {};
struct LayerNorm {};
struct Embedding {
  std::int64_t vocabulary;
  std::int64_t units;
};

using Layer = std::variant<Dense, Conv1d, Conv2d, Lstm, Bidirectional, MaxPool, AveragePool, GlobalAveragePool, Flatten,
                           Dropout, BatchNorm, LayerNorm, Embedding>;

enum class Loss { mse, binary_crossentropy, sparse_categorical_crossentropy };

struct Sgd {
  double learning_rate;
  double momentum = 0;
};
struct Adam {  ///< Kingma and Ba 2015, algorithm 1; epsilon is added to the root of the corrected moment
  double learning_rate;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
};
using Optimizer = std::variant<Sgd, Adam>;

/// A network that is trained or run.
struct Network {
  std::string name;
  Shape input;
  std::vector<Layer> layers;
  Loss loss = Loss::mse;
  Optimizer optimizer = Sgd{0.01};
};

/// C = A B with square fp32 matrices of `size` rows; one step is one product.
struct Matmul {
  std::string name;
  std::int64_t size;
};

/// d(x^2)/dx at a fed scalar x; one step is one derivative.
struct ScalarGradient {
  std::string name;
};

/// Steps that do nothing: what the orchestration itself costs.
struct Noop {
  std::string name;
};

using Model = std::variant<Network, Matmul, ScalarGradient, Noop>;

/// The name of any kind of model.
const std::string& name_of(const Model& model);

}  // namespace regatta::model
