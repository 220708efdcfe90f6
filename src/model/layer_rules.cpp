// The rules of each kind of layer, side by side: `output` (its shape), `tensors` (its parameters), `work`. How work is
// counted is stated in shapes.hpp.
#include "model/layer_rules.hpp"

#include <fmt/format.h>

#include "model/model.hpp"
#include "regatta/base/error.hpp"

namespace regatta::model {

namespace {

// ---- what rules are made of -----------------------------------------------------------------

[[noreturn]] void fail(const Site& site, std::string_view what) {
  const std::string_view kind = info(site.network.layers[site.index]).name;
  throw InputError(fmt::format("{}: layer {} ({}): {}", site.network.name, site.index, kind, what));
}

void need_size(const Site& site, std::int64_t size, std::string_view name) {
  if (size >= 1 && size < max_size) return;
  fail(site, fmt::format("{} is {} (a size lies between 1 and {}); correct it", name, size, max_size - 1));
}

void need_rank(const Site& site, std::size_t low, std::size_t high, std::string_view expected) {
  if (site.input.size() >= low && site.input.size() <= high) return;
  fail(site, fmt::format("its input has shape {} (it reads {}); put a layer before it that yields such a shape",
                         to_text(site.input), expected));
}

/// A window that moves over each axis but the channels'.
struct Window {
  std::string_view name;
  std::int64_t size, stride;
  Padding padding = Padding::valid;
};

/// Positions that a window finds on an axis of `size`.
std::int64_t positions(const Site& site, std::int64_t size, const Window& window) {
  if (window.padding == Padding::same) return (size + window.stride - 1) / window.stride;
  if (window.size <= size) return (size - window.size) / window.stride + 1;
  const Network& network = site.network;
  const std::string extent = network.input.size() == 2 ? fmt::format("at length {}", network.input.front())
                                                       : fmt::format("with input {}", to_text(network.input));
  throw InputError(fmt::format(
      "{} {}: {} {} is longer than its input of {} in layer {} ({}); give a longer input or a shorter {}", network.name,
      extent, window.name, window.size, size, site.index, info(network.layers[site.index]).name, window.name));
}

Shape slide(const Site& site, const Window& window) {
  Shape output = site.input;
  for (std::size_t axis = 0; axis + 1 < output.size(); ++axis) output[axis] = positions(site, output[axis], window);
  return output;
}

double product(std::initializer_list<std::int64_t> factors) {
  double result = 1;
  for (const std::int64_t factor : factors) result *= static_cast<double>(factor);
  return result;
}

/// One product of a kernel with `inputs` values per output value; a bias; an activation.
LayerWork affine(const Surroundings& around, std::int64_t inputs, Activation activation) {
  const double multiply_adds = product({element_count(around.output), inputs});
  const std::int64_t activations = activation == Activation::none ? 0 : 1;
  constexpr std::int64_t parameter_gradients = 2;  // kernel, bias
  return {.multiply_adds = multiply_adds,
          .input_gradient_multiply_adds = around.input_gradient ? multiply_adds : 0,
          .eager_forward = 2 + activations,
          .eager_backward = activations + parameter_gradients + around.input_gradient,
          .fused_forward = 1,
          .fused_backward = 1 + around.input_gradient};
}

/// One operator without parameters, which joins its neighbour when fused.
LayerWork elementwise(const Surroundings& around) {
  return {.eager_forward = 1, .eager_backward = around.input_gradient};
}

/// One operator with `tensors` parameters and no product.
LayerWork with_parameters(std::int64_t tensors, bool differentiable_input) {
  return {.eager_forward = 1,
          .eager_backward = tensors + differentiable_input,
          .fused_forward = 1,
          .fused_backward = 1 + differentiable_input};
}

// ---- dense ----------------------------------------------------------------------------------

Shape output(const Dense& dense, const Site& site) {
  need_size(site, dense.units, "units");
  need_rank(site, 1, 3, "(..., features)");
  Shape output = site.input;
  output.back() = dense.units;
  return output;
}
std::vector<Parameter> tensors(const Dense& dense, const Shape& input) {
  return {{"kernel", {input.back(), dense.units}}, {"bias", {dense.units}}};
}
LayerWork work(const Dense& dense, const Surroundings& around) {
  return affine(around, around.input.back(), dense.activation);
}

// ---- convolutions ---------------------------------------------------------------------------

template <class Convolution>
Shape convolve(const Convolution& layer, const Site& site) {
  need_size(site, layer.filters, "filters");
  need_size(site, layer.kernel, "kernel");
  need_size(site, layer.stride, "stride");
  Shape output = slide(site, {"kernel", layer.kernel, layer.stride, layer.padding});
  output.back() = layer.filters;
  return output;
}

Shape output(const Conv1d& layer, const Site& site) {
  need_rank(site, 2, 2, "(length, channels)");
  return convolve(layer, site);
}
std::vector<Parameter> tensors(const Conv1d& layer, const Shape& input) {
  return {{"kernel", {layer.kernel, input.back(), layer.filters}}, {"bias", {layer.filters}}};
}
LayerWork work(const Conv1d& layer, const Surroundings& around) {
  return affine(around, layer.kernel * around.input.back(), layer.activation);
}

Shape output(const Conv2d& layer, const Site& site) {
  need_rank(site, 3, 3, "(rows, columns, channels)");
  return convolve(layer, site);
}
std::vector<Parameter> tensors(const Conv2d& layer, const Shape& input) {
  return {{"kernel", {layer.kernel, layer.kernel, input.back(), layer.filters}}, {"bias", {layer.filters}}};
}
LayerWork work(const Conv2d& layer, const Surroundings& around) {
  return affine(around, layer.kernel * layer.kernel * around.input.back(), layer.activation);
}

// ---- recurrent layers -----------------------------------------------------------------------

/// An LSTM in each of `directions` over the same input.
LayerWork recurrent(const Lstm& lstm, const Surroundings& around, std::int64_t directions) {
  const bool input_gradient = around.input_gradient;
  const std::int64_t steps = around.input.front();
  const double from_input = product({directions, steps, around.input.back(), 4, lstm.units});
  const double from_state = product({directions, steps, lstm.units, 4, lstm.units});
  const std::int64_t activations = lstm.activation == Activation::none ? 0 : 2;  // candidate, cell
  const std::int64_t sequence = lstm.return_sequences ? 1 : 0;
  // Read the row, state product, add, add the bias, 4 slices, 3 sigmoids, 3 in the cell, output product; write the row.
  const std::int64_t step_forward = 15 + activations + sequence;
  // Products: output 2, cell 4; sum into the cell 1; sigmoids 3; pads 4 and sums 3; bias 1 and sum 1;
  // state product 2 and sum 1; write the row. With sequences: read the row's gradient, add it to the state's.
  const std::int64_t step_backward = 23 + activations + 2 * sequence;
  const bool both = directions == 2;
  return {.multiply_adds = from_input + from_state,
          .input_gradient_multiply_adds = from_state + (input_gradient ? from_input : 0),
          .eager_forward = directions * (1 + steps * step_forward) + both,
          .eager_backward = directions * (1 + input_gradient + steps * step_backward) + both + (both && input_gradient),
          .fused_forward = 1 + steps,
          .fused_backward = steps + 1 + directions + input_gradient};
}

Shape output(const Lstm& lstm, const Site& site) {
  need_size(site, lstm.units, "units");
  need_rank(site, 2, 2, "(length, features)");
  return lstm.return_sequences ? Shape{site.input.front(), lstm.units} : Shape{lstm.units};
}
std::vector<Parameter> tensors(const Lstm& lstm, const Shape& input) {
  return {{"kernel", {input.back(), 4 * lstm.units}},
          {"recurrent_kernel", {lstm.units, 4 * lstm.units}},
          {"bias", {4 * lstm.units}}};
}
LayerWork work(const Lstm& lstm, const Surroundings& around) { return recurrent(lstm, around, 1); }

Shape output(const Bidirectional& layer, const Site& site) {
  Shape shape = output(layer.inner, site);
  shape.back() *= 2;
  return shape;
}
std::vector<Parameter> tensors(const Bidirectional& layer, const Shape& input) {
  std::vector<Parameter> both;
  for (const std::string_view direction : {"forward", "backward"}) {
    for (const Parameter& one : tensors(layer.inner, input))
      both.push_back({fmt::format("{}.{}", direction, one.name), one.shape});
  }
  return both;
}
LayerWork work(const Bidirectional& layer, const Surroundings& around) { return recurrent(layer.inner, around, 2); }

// ---- pooling --------------------------------------------------------------------------------

constexpr std::string_view sequence_or_image = "(length, channels) or (rows, columns, channels)";

Shape pool(std::int64_t size, const Site& site) {
  need_size(site, size, "size");
  need_rank(site, 2, 3, sequence_or_image);
  return slide(site, {"window", size, size});
}

Shape output(const MaxPool& layer, const Site& site) { return pool(layer.size, site); }
std::vector<Parameter> tensors(const MaxPool&, const Shape&) { return {}; }
LayerWork work(const MaxPool&, const Surroundings& around) { return elementwise(around); }

Shape output(const AveragePool& layer, const Site& site) { return pool(layer.size, site); }
std::vector<Parameter> tensors(const AveragePool&, const Shape&) { return {}; }
LayerWork work(const AveragePool&, const Surroundings& around) { return elementwise(around); }

Shape output(const GlobalAveragePool&, const Site& site) {
  need_rank(site, 2, 3, sequence_or_image);
  return {site.input.back()};
}
std::vector<Parameter> tensors(const GlobalAveragePool&, const Shape&) { return {}; }
LayerWork work(const GlobalAveragePool&, const Surroundings& around) { return elementwise(around); }

// ---- flatten, dropout -----------------------------------------------------------------------

Shape output(const Flatten&, const Site& site) { return {element_count(site.input)}; }
std::vector<Parameter> tensors(const Flatten&, const Shape&) { return {}; }
LayerWork work(const Flatten&, const Surroundings&) { return {}; }

Shape output(const Dropout& dropout, const Site& site) {
  if (dropout.rate >= 0 && dropout.rate < 1) return site.input;
  fail(site,
       fmt::format("rate is {} (it is the share of units dropped: at least 0, below 1); correct it", dropout.rate));
}
std::vector<Parameter> tensors(const Dropout&, const Shape&) { return {}; }
LayerWork work(const Dropout&, const Surroundings& around) {
  return around.training ? elementwise(around) : LayerWork{};
}

// ---- normalization --------------------------------------------------------------------------

std::vector<Parameter> gamma_and_beta(const Shape& input) {
  return {{"gamma", {input.back()}}, {"beta", {input.back()}}};
}

Shape output(const BatchNorm&, const Site& site) { return site.input; }
std::vector<Parameter> tensors(const BatchNorm&, const Shape& input) { return gamma_and_beta(input); }
LayerWork work(const BatchNorm&, const Surroundings& around) { return with_parameters(2, around.input_gradient); }

Shape output(const LayerNorm&, const Site& site) { return site.input; }
std::vector<Parameter> tensors(const LayerNorm&, const Shape& input) { return gamma_and_beta(input); }
LayerWork work(const LayerNorm&, const Surroundings& around) { return with_parameters(2, around.input_gradient); }

// ---- embedding ------------------------------------------------------------------------------

Shape output(const Embedding& embedding, const Site& site) {
  need_size(site, embedding.vocabulary, "vocabulary");
  need_size(site, embedding.units, "units");
  need_rank(site, 1, 1, "(length) of indices");
  if (site.index != 0) fail(site, "it reads indices (a layer before it yields real numbers); make it the first layer");
  return {site.input.front(), embedding.units};
}
std::vector<Parameter> tensors(const Embedding& embedding, const Shape&) {
  return {{"kernel", {embedding.vocabulary, embedding.units}}};
}
LayerWork work(const Embedding&, const Surroundings&) { return with_parameters(1, false); }

}  // namespace

Shape output_of(const Layer& layer, const Site& site) {
  return std::visit([&](const auto& kind) { return output(kind, site); }, layer);
}

std::vector<Parameter> parameters_of(const Layer& layer, const Shape& input) {
  return std::visit([&](const auto& kind) { return tensors(kind, input); }, layer);
}

LayerWork work_of(const Layer& layer, const Surroundings& around) {
  return std::visit([&](const auto& kind) { return work(kind, around); }, layer);
}

}  // namespace regatta::model
