// A model as layers: plain data that every engine builds from. Shapes exclude the batch; channels last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regatta/model/layers.hpp"
#include "regatta/model/user_model.hpp"

namespace regatta::model {

using Shape = std::vector<std::int64_t>;  ///< without the batch, channels last: (L, C), (H, W, C), (units)

enum class Loss { mse, binary_crossentropy, sparse_categorical_crossentropy };

struct LossInfo {
  std::string_view name;
  /// The activation that the loss brings itself: it is computed from what stands in front of it, where that is stable.
  Activation activation;
};
inline constexpr std::array<LossInfo, 3> loss_table = {{{"mse", Activation::none},
                                                        {"binary_crossentropy", Activation::sigmoid},
                                                        {"sparse_categorical_crossentropy", Activation::softmax}}};
inline const LossInfo& info(Loss loss) { return loss_table.at(static_cast<std::size_t>(loss)); }

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
