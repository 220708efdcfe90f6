// Facts that follow from a layer and the shape it reads: its output's shape, its parameters, its work.
#pragma once

#include <cstdint>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/model/sizes.hpp"

namespace regatta::model {

/// A layer's place in its network, for errors, and the shape that it reads.
struct Site {
  const Network& network;
  std::size_t index;
  const Shape& input;
};

/// Throws InputError naming the layer if its values or its input are wrong.
Shape output_of(const Layer& layer, const Site& site);

/// Named as within the layer: "kernel", "forward.kernel".
std::vector<Parameter> parameters_of(const Layer& layer, const Shape& input);

/// One layer, one sample. Multiply-adds of the weight gradient equal those of the forward pass.
struct LayerWork {
  double multiply_adds = 0;                 ///< forward
  double input_gradient_multiply_adds = 0;  ///< products in the backward pass that are no weight gradients
  std::int64_t eager_forward = 0;
  std::int64_t eager_backward = 0;
  std::int64_t fused_forward = 0;
  std::int64_t fused_backward = 0;
};

/// The facts that a layer's work depends on, beside its values.
struct Surroundings {
  const Shape& input;
  const Shape& output;
  bool training;
  bool input_gradient;  ///< a layer before this one has parameters
};

LayerWork work_of(const Layer& layer, const Surroundings& around);

}  // namespace regatta::model
