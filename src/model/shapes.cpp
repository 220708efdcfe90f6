#include "regatta/model/shapes.hpp"

#include <algorithm>

#include "model/layer_rules.hpp"
#include "model/model.hpp"
#include "regatta/base/error.hpp"

namespace regatta::model {

namespace {

void check_input(const Network& network) {
  const bool sizes_fit = std::all_of(network.input.begin(), network.input.end(),
                                     [](std::int64_t size) { return size >= 1 && size < max_size; });
  if (sizes_fit && !network.input.empty() && network.input.size() <= 3) return;
  throw InputError(
      fmt::format("{}: input has shape {} (it needs 1 to 3 axes of at least 1, without the batch); correct it",
                  network.name, to_text(network.input)));
}

}  // namespace

std::vector<Shape> infer_shapes(const Network& network) {
  check_input(network);
  std::vector<Shape> shapes{network.input};
  shapes.reserve(network.layers.size() + 1);
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    shapes.push_back(output_of(network.layers[index], {network, index, shapes.back()}));
    element_count(shapes.back());  // refuses what no machine holds
  }
  return shapes;
}

std::size_t pooled_convolutions(const Network& network) {
  std::size_t count = 0;
  for (const Layer& layer : network.layers) {
    const auto* convolution = std::get_if<Conv1d>(&layer);
    if (convolution == nullptr) return std::holds_alternative<GlobalAveragePool>(layer) ? count : 0;
    const bool is_shifted = convolution->padding == Padding::valid || count == 0;
    if (convolution->activation != Activation::none || !is_shifted) return 0;
    ++count;
  }
  return 0;
}

std::vector<Parameter> parameters(const Network& network) {
  const std::vector<Shape> shapes = infer_shapes(network);
  std::vector<Parameter> all;
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    for (Parameter& parameter : parameters_of(network.layers[index], shapes[index]))
      all.push_back({fmt::format("{}.{}", index, parameter.name), std::move(parameter.shape)});
  }
  for (const Parameter& parameter : all) element_count(parameter.shape);
  return all;
}

}  // namespace regatta::model
