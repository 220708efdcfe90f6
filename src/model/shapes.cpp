#include "regatta/model/shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/model/layers.hpp"

namespace regatta::model {

namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 31;      // of one axis
constexpr std::int64_t max_elements = std::int64_t{1} << 48;  // of one tensor: beyond any machine's memory

std::string to_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

/// Output shape of one layer; what is wrong is said with the model's name and the layer's place.
struct Inference {
  const Network& network;
  std::size_t index;
  const Shape& input;

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: layer {} ({}): {}", network.name, index, info(network.layers[index]).name, what));
  }

  void need_size(std::int64_t size, std::string_view name) const {
    if (size >= 1 && size < max_size) return;
    fail(fmt::format("{} is {} (a size lies between 1 and {}); correct it", name, size, max_size - 1));
  }

  void need_rank(std::size_t low, std::size_t high, std::string_view expected) const {
    if (input.size() >= low && input.size() <= high) return;
    fail(fmt::format("its input has shape {} (it reads {}); put a layer before it that yields such a shape",
                     to_text(input), expected));
  }

  /// Positions left of `size` when a window moves over it.
  [[nodiscard]] std::int64_t windows(std::int64_t size, std::int64_t window, std::int64_t stride, Padding padding,
                                     std::string_view window_name) const {
    if (padding == Padding::same) return (size + stride - 1) / stride;
    if (window <= size) return (size - window) / stride + 1;
    const std::string extent = network.input.size() == 2 ? fmt::format("at length {}", network.input.front())
                                                         : fmt::format("with input {}", to_text(network.input));
    throw InputError(fmt::format(
        "{} {}: {} {} is longer than its input of {} in layer {} ({}); give a longer input or a shorter {}",
        network.name, extent, window_name, window, size, index, info(network.layers[index]).name, window_name));
  }

  Shape operator()(const Dense& dense) const {
    need_size(dense.units, "units");
    need_rank(1, 3, "(..., features)");
    Shape output = input;
    output.back() = dense.units;
    return output;
  }

  template <class Convolution>
  [[nodiscard]] Shape convolve(const Convolution& convolution) const {
    need_size(convolution.filters, "filters");
    need_size(convolution.kernel, "kernel");
    need_size(convolution.stride, "stride");
    Shape output = input;
    output.back() = convolution.filters;
    for (std::size_t axis = 0; axis + 1 < input.size(); ++axis) {
      output[axis] = windows(input[axis], convolution.kernel, convolution.stride, convolution.padding, "kernel");
    }
    return output;
  }

  Shape operator()(const Conv1d& convolution) const {
    need_rank(2, 2, "(length, channels)");
    return convolve(convolution);
  }

  Shape operator()(const Conv2d& convolution) const {
    need_rank(3, 3, "(rows, columns, channels)");
    return convolve(convolution);
  }

  Shape operator()(const Lstm& lstm) const {
    need_size(lstm.units, "units");
    need_rank(2, 2, "(length, features)");
    return lstm.return_sequences ? Shape{input.front(), lstm.units} : Shape{lstm.units};
  }

  Shape operator()(const Bidirectional& both) const {
    Shape output = (*this)(both.inner);
    output.back() *= 2;
    return output;
  }

  [[nodiscard]] Shape pool(std::int64_t size) const {
    need_size(size, "size");
    need_rank(2, 3, "(length, channels) or (rows, columns, channels)");
    Shape output = input;
    for (std::size_t axis = 0; axis + 1 < input.size(); ++axis) {
      output[axis] = windows(input[axis], size, size, Padding::valid, "window");
    }
    return output;
  }

  Shape operator()(const MaxPool& layer) const { return pool(layer.size); }
  Shape operator()(const AveragePool& layer) const { return pool(layer.size); }

  Shape operator()(const GlobalAveragePool&) const {
    need_rank(2, 3, "(length, channels) or (rows, columns, channels)");
    return {input.back()};
  }

  Shape operator()(const Flatten&) const { return {element_count(input)}; }

  Shape operator()(const Dropout& dropout) const {
    if (dropout.rate >= 0 && dropout.rate < 1) return input;
    fail(fmt::format("rate is {} (it is the share of units dropped: at least 0, below 1); correct it", dropout.rate));
  }

  Shape operator()(const BatchNorm&) const { return input; }
  Shape operator()(const LayerNorm&) const { return input; }

  Shape operator()(const Embedding& embedding) const {
    need_size(embedding.vocabulary, "vocabulary");
    need_size(embedding.units, "units");
    need_rank(1, 1, "(length) of indices");
    if (index != 0) fail("it reads indices (a layer before it yields real numbers); make it the first layer");
    return {input.front(), embedding.units};
  }
};

/// Parameters of one layer with this input; names start with `prefix`.
struct Listing {
  const Shape& input;
  std::string prefix;
  std::vector<Parameter>& into;

  void add(std::string_view name, Shape shape) const {
    into.push_back({fmt::format("{}{}", prefix, name), std::move(shape)});
  }

  void operator()(const Dense& dense) const {
    add("kernel", {input.back(), dense.units});
    add("bias", {dense.units});
  }
  void operator()(const Conv1d& convolution) const {
    add("kernel", {convolution.kernel, input.back(), convolution.filters});
    add("bias", {convolution.filters});
  }
  void operator()(const Conv2d& convolution) const {
    add("kernel", {convolution.kernel, convolution.kernel, input.back(), convolution.filters});
    add("bias", {convolution.filters});
  }
  void operator()(const Lstm& lstm) const {
    add("kernel", {input.back(), 4 * lstm.units});
    add("recurrent_kernel", {lstm.units, 4 * lstm.units});
    add("bias", {4 * lstm.units});
  }
  void operator()(const Bidirectional& both) const {
    Listing{input, prefix + "forward.", into}(both.inner);
    Listing{input, prefix + "backward.", into}(both.inner);
  }
  void normalization() const {
    add("gamma", {input.back()});
    add("beta", {input.back()});
  }
  void operator()(const BatchNorm&) const { normalization(); }
  void operator()(const LayerNorm&) const { normalization(); }
  void operator()(const Embedding& embedding) const { add("kernel", {embedding.vocabulary, embedding.units}); }
  void operator()(const auto& /*without parameters*/) const {}
};

void check_input(const Network& network) {
  const bool sizes_fit = std::all_of(network.input.begin(), network.input.end(),
                                     [](std::int64_t size) { return size >= 1 && size < max_size; });
  if (sizes_fit && !network.input.empty() && network.input.size() <= 3) return;
  throw InputError(
      fmt::format("{}: input has shape {} (it needs 1 to 3 axes of at least 1, without the batch); correct it",
                  network.name, to_text(network.input)));
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > max_elements) {
      throw InputError(
          fmt::format("a tensor of shape {} is too large (no machine holds it); use smaller sizes", to_text(shape)));
    }
  }
  return count;
}

std::vector<Shape> infer_shapes(const Network& network) {
  check_input(network);
  std::vector<Shape> shapes{network.input};
  shapes.reserve(network.layers.size() + 1);
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    shapes.push_back(std::visit(Inference{network, index, shapes.back()}, network.layers[index]));
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
    std::visit(Listing{shapes[index], fmt::format("{}.", index), all}, network.layers[index]);
  }
  for (const Parameter& parameter : all) element_count(parameter.shape);
  return all;
}

}  // namespace regatta::model
