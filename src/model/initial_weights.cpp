#include <cmath>

#include "regatta/base/random.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::model {

namespace {

bool ends_with_kernel(const std::string& name) { return name.ends_with("kernel"); }

/// Half width of the uniform distribution: sqrt(6 / (fan in + fan out)). The leading axes of a
/// convolution's kernel (its taps) multiply both fans.
float glorot_limit(const Shape& kernel) {
  const double inputs = static_cast<double>(kernel[kernel.size() - 2]);
  const double outputs = static_cast<double>(kernel.back());
  const double taps = static_cast<double>(element_count(kernel)) / (inputs * outputs);
  return static_cast<float>(std::sqrt(6.0 / (taps * (inputs + outputs))));
}

std::vector<float> glorot_uniform(const Shape& kernel, std::uint64_t stream) {
  const float limit = glorot_limit(kernel);
  std::vector<float> values(static_cast<std::size_t>(element_count(kernel)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (2 * random_unit(stream, i) - 1) * limit;
  return values;
}

}  // namespace

std::vector<Tensor> initial_weights(const Network& network, std::uint64_t seed) {
  std::vector<Tensor> weights;
  for (const Parameter& parameter : parameters(network)) {
    const auto count = static_cast<std::size_t>(element_count(parameter.shape));
    const std::uint64_t stream = random_bits(seed, weights.size());  // one stream for each tensor
    const float constant = parameter.name.ends_with("gamma") ? 1.0F : 0.0F;
    weights.push_back({parameter.name, parameter.shape,
                       ends_with_kernel(parameter.name) ? glorot_uniform(parameter.shape, stream)
                                                        : std::vector<float>(count, constant)});
  }
  return weights;
}

}  // namespace regatta::model
