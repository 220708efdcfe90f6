#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/ir/ir.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/model/abilities.hpp"
#include "regatta/model/fft_tiling.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

/// A value between layers: data of (batch, shape...), and its gradient where a layer needs it.
struct Value {
  BufferIndex data = kNoBuffer;
  BufferIndex gradient = kNoBuffer;
  model::Shape shape;
};

class Lowering {
 public:
  Lowering(const model::Network& network, const Settings& settings, std::int64_t averaged_samples)
      : network_(network),
        settings_(settings),
        averaged_samples_(averaged_samples),
        shapes_(model::infer_shapes(network)) {}

  Program run() {
    add_parameters(program_, network_);
    program_.x_count = elements(shapes_.front());
    value_ = {add_buffer(program_, Role::input_x, program_.x_count), kNoBuffer, shapes_.front()};
    check_loss();
    if (settings_.rewrite == Rewrite::algebraic) pool_first();
    if (settings_.algorithm == Algorithm::fft) check_fft();
    for (index_ = 0; index_ < network_.layers.size(); ++index_) {
      std::visit([this](const auto& layer) { add(layer); }, network_.layers[index_]);
      value_.shape = shapes_[index_ + 1];
    }
    program_.output_count = elements(shapes_.back());
    if (has_loss()) {
      add_loss();
    } else {
      mark_output(value_.data);
    }
    if (training()) {
      add_updates(program_, network_.optimizer, settings_);
      advance_step();
    }
    return std::move(program_);
  }

 private:
  [[nodiscard]] bool training() const { return settings_.work == Work::train; }
  [[nodiscard]] bool has_loss() const { return settings_.work != Work::infer; }
  [[nodiscard]] std::int64_t elements(const model::Shape& shape) const {
    return checked_product({settings_.batch, model::element_count(shape)});
  }
  [[nodiscard]] const model::Shape& output_shape() const { return shapes_[index_ + 1]; }

  [[noreturn]] void fail(std::size_t layer, const std::string& what) const {
    throw InputError(
        fmt::format("{}: layer {} ({}): {}", network_.name, layer, model::info(network_.layers[layer]).name, what));
  }

  [[nodiscard]] Activation loss_activation() const { return model::info(network_.loss).activation; }

  void check_loss() const {
    if (network_.layers.empty()) throw InputError(network_.name + ": it has no layers (there is nothing to compute)");
    const bool has_own = loss_activation() != Activation::none;
    if (!has_own || (model::ends_as_loss_needs(network_) && shapes_.back().size() == 1)) return;
    fail(
        network_.layers.size() - 1,
        fmt::format(
            "the native engine computes {} only from a last dense layer with activation {} (of shape (units)); use one",
            model::info(network_.loss).name, model::name_of(loss_activation())));
  }

  /// A new value of the current layer's output shape.
  Value next(bool needs_gradient) {
    const std::int64_t count = elements(output_shape());
    const BufferIndex data = add_buffer(program_, Role::temporary, count);
    const bool wanted = training() && needs_gradient;
    return {data, wanted ? add_buffer(program_, Role::temporary, count) : kNoBuffer, output_shape()};
  }

  [[nodiscard]] BufferIndex temporary(std::initializer_list<std::int64_t> sizes) {
    return add_buffer(program_, Role::temporary, checked_product(sizes));
  }

  void add_node(Op op, std::vector<Op> gradient) {
    if (!training()) gradient.clear();
    program_.nodes.push_back({op, std::move(gradient)});
  }

  [[nodiscard]] const ParameterBuffers& parameter(std::string_view name) const {
    const std::string full = fmt::format("{}.{}", index_, name);
    for (const ParameterBuffers& candidate : program_.parameters) {
      if (candidate.name == full) return candidate;
    }
    throw InternalError("no parameter " + full);
  }

  void add(const model::Dense& layer) {
    const std::int64_t in = shapes_[index_].back();
    const std::int64_t rows = elements(shapes_[index_]) / in;
    const ParameterBuffers& kernel = parameter("kernel");
    const Value x = value_;
    value_ = next(true);
    std::vector<Op> gradient{make_op(MatMul{.m = in, .n = layer.units, .k = rows, .transpose_a = true},
                                     {x.data, value_.gradient, kernel.gradient})};
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(MatMul{.m = rows, .n = in, .k = layer.units, .transpose_b = true},
                                 {value_.gradient, kernel.value, x.gradient}));
    }
    add_node(make_op(MatMul{.m = rows, .n = layer.units, .k = in}, {x.data, kernel.value, value_.data}), gradient);
    add_bias_and_activation(rows, layer.units, layer.activation);
  }

  void add(const model::Conv1d& layer) {
    const Conv1dShape shape = geometry(layer);
    const ParameterBuffers& kernel = parameter("kernel");
    const Value x = value_;
    value_ = next(true);
    std::vector<Op> gradient{make_op(Conv1dKernelGradient{shape}, {x.data, value_.gradient, kernel.gradient})};
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(Conv1dInputGradient{shape}, {value_.gradient, kernel.value, x.gradient}));
    }
    add_node(make_op(Conv1d{shape}, {x.data, kernel.value, value_.data}), gradient);
    add_bias_and_activation(shape.batch * shape.positions, shape.filters, layer.activation);
  }

  [[nodiscard]] Conv1dShape geometry(const model::Conv1d& layer) const {
    const model::Shape& in = shapes_[index_];
    const std::int64_t positions = output_shape()[0];
    const std::int64_t pad = index_ < pooled_ ? 0 : padding_before(layer, in[0], positions);
    const bool is_fft = settings_.algorithm == Algorithm::fft &&
                        model::fft_tiling({in[1], positions, layer.filters, layer.kernel, layer.stride});
    return {settings_.batch, in[0], in[1], positions, layer.filters, layer.kernel, layer.stride, pad, is_fft};
  }

  void check_fft() const {
    if (settings_.precision != Precision::fp32 || settings_.rewrite != Rewrite::none) {
      throw InputError("algorithm fft computes in fp32, and what is written; take precision fp32 and rewrite none");
    }
    if (model::has_fft_convolution(network_)) return;
    throw InputError(network_.name +
                     ": algorithm fft is for 1-D convolutions of so many taps that Fourier transforms save work (this "
                     "model has none); take direct");
  }

  /// Pooling in front of the convolutions: of the input, means over windows that slide are left, as many as one
  /// position behind the last convolution reads.
  void pool_first() {
    pooled_ = model::pooled_convolutions(network_);
    if (pooled_ == 0) {
      throw InputError(network_.name +
                       ": rewrite algebraic moves global average pooling in front of the convolutions "
                       "without activation that a network begins with (this one does not); take none");
    }
    SlidingMean means{.batch = settings_.batch,
                      .length = shapes_.front()[0],
                      .channels = shapes_.front()[1],
                      .outputs = 1,
                      .count = shapes_[pooled_][0],
                      .stride = 1,
                      .pad = 0};
    const auto& first = std::get<model::Conv1d>(network_.layers.front());
    means.pad = padding_before(first, means.length, shapes_[1][0]);
    for (std::size_t i = pooled_; i > 0; --i) {
      const auto& layer = std::get<model::Conv1d>(network_.layers[i - 1]);
      shapes_[i][0] = means.outputs;
      means.outputs = (means.outputs - 1) * layer.stride + layer.kernel;
      means.stride *= layer.stride;
    }
    shapes_.front()[0] = means.outputs;
    const BufferIndex data = temporary({means.batch, means.outputs, means.channels});
    add_node(make_op(means, {value_.data, data}), {});
    value_ = {data, kNoBuffer, shapes_.front()};
  }

  /// Zeros before an axis; with an odd number of them in all, one more stands behind it.
  [[nodiscard]] static std::int64_t padding_before(const auto& layer, std::int64_t size, std::int64_t positions) {
    if (layer.padding == model::Padding::valid) return 0;
    return (std::max((positions - 1) * layer.stride + layer.kernel, size) - size) / 2;
  }

  void add(const model::Conv2d& layer) {
    const Conv2dShape shape = geometry(layer);
    const ParameterBuffers& kernel = parameter("kernel");
    const Value x = value_;
    value_ = next(true);
    std::vector<Op> gradient{make_op(Conv2dKernelGradient{shape}, {x.data, value_.gradient, kernel.gradient})};
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(Conv2dInputGradient{shape}, {value_.gradient, kernel.value, x.gradient}));
    }
    add_node(make_op(Conv2d{shape}, {x.data, kernel.value, value_.data}), gradient);
    add_bias_and_activation(shape.batch * shape.out_rows * shape.out_columns, shape.filters, layer.activation);
  }

  [[nodiscard]] Conv2dShape geometry(const model::Conv2d& layer) const {
    const model::Shape& in = shapes_[index_];
    const model::Shape& out = output_shape();
    return {.batch = settings_.batch,
            .rows = in[0],
            .columns = in[1],
            .channels = in[2],
            .out_rows = out[0],
            .out_columns = out[1],
            .filters = layer.filters,
            .taps = layer.kernel,
            .stride = layer.stride,
            .pad_rows = padding_before(layer, in[0], out[0]),
            .pad_columns = padding_before(layer, in[1], out[1])};
  }

  void add_bias_and_activation(std::int64_t rows, std::int64_t columns, Activation activation) {
    const ParameterBuffers& bias = parameter("bias");
    add_node(make_op(AddBias{rows, columns}, {value_.data, bias.value}),
             {make_op(ColumnSum{rows, columns}, {value_.gradient, bias.gradient})});
    const bool last = index_ + 1 == network_.layers.size();
    if (activation == Activation::softmax && !(last && loss_activation() == Activation::softmax)) {
      fail(index_,
           "the native engine has softmax only as the last layer's activation, with the loss "
           "sparse_categorical_crossentropy; use another activation here");
    }
    if (activation == Activation::none) return;
    if (last && has_loss() && activation == loss_activation()) return;  // part of the loss
    if (activation == Activation::softmax) return add_node(make_op(Softmax{rows, columns}, {value_.data}), {});
    add_node(make_op(Activate{activation, rows * columns}, {value_.data}),
             {make_op(ActivateGradient{activation, rows * columns}, {value_.gradient, value_.data})});
  }

  void add(const model::GlobalAveragePool&) {
    const std::int64_t channels = shapes_[index_].back();
    const std::int64_t length = model::element_count(shapes_[index_]) / channels;
    const Value x = value_;
    value_ = next(x.gradient != kNoBuffer);
    std::vector<Op> gradient;
    if (x.gradient != kNoBuffer) {
      gradient.push_back(
          make_op(GlobalAveragePoolGradient{settings_.batch, length, channels}, {value_.gradient, x.gradient}));
    }
    add_node(make_op(GlobalAveragePool{settings_.batch, length, channels}, {x.data, value_.data}), gradient);
  }

  void add(const model::Flatten&) {}  // the same memory under another shape

  void add(const model::Dropout& layer) {
    if (!training() || !settings_.dropout || layer.rate == 0) return;
    const std::int64_t units = model::element_count(output_shape());
    const Value x = value_;
    value_ = next(x.gradient != kNoBuffer);
    const BufferIndex mask = add_buffer(program_, Role::temporary, settings_.batch * units);
    const BufferIndex state = shared_buffer(program_, Role::step_state, sizeof(StepState));
    const Dropout dropout{settings_.batch, units, layer.rate, random_bits(settings_.seed, index_),
                          settings_.first_sample};
    std::vector<Op> gradient;
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(DropoutGradient{settings_.batch * units}, {value_.gradient, mask, x.gradient}));
    }
    add_node(make_op(dropout, {x.data, value_.data, mask, state}), gradient);
  }

  /// Windows over the current layer's input; a sequence is an image of one row.
  [[nodiscard]] PoolShape windows(std::int64_t size) const {
    const model::Shape& in = shapes_[index_];
    const model::Shape& out = output_shape();
    if (in.size() == 2) return {settings_.batch, 1, in[0], in[1], 1, size, 1, out[0]};
    return {settings_.batch, in[0], in[1], in[2], size, size, out[0], out[1]};
  }

  void add(const model::MaxPool& layer) {
    const PoolShape shape = windows(layer.size);
    const Value x = value_;
    value_ = next(x.gradient != kNoBuffer);
    std::vector<Op> gradient;
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(MaxPoolGradient{shape}, {value_.gradient, x.data, x.gradient, value_.data}));
    }
    add_node(make_op(MaxPool{shape}, {x.data, value_.data}), gradient);
  }

  void add(const model::AveragePool& layer) {
    const PoolShape shape = windows(layer.size);
    const Value x = value_;
    value_ = next(x.gradient != kNoBuffer);
    std::vector<Op> gradient;
    if (x.gradient != kNoBuffer) {
      gradient.push_back(make_op(AveragePoolGradient{shape}, {value_.gradient, kNoBuffer, x.gradient}));
    }
    add_node(make_op(AveragePool{shape}, {x.data, value_.data}), gradient);
  }

  void add(const model::Lstm& layer) { add_recurrent(layer, {""}); }
  void add(const model::Bidirectional& layer) { add_recurrent(layer.inner, {"forward.", "backward."}); }

  void add_recurrent(const model::Lstm& layer, const std::vector<std::string>& directions) {
    if (layer.activation == Activation::softmax) {
      fail(index_, "the native engine has no softmax inside a recurrent layer; use another activation here");
    }
    const Value x = value_;
    const std::int64_t length = shapes_[index_].front();
    value_ = next(true);
    const auto count = static_cast<std::int64_t>(directions.size());
    const std::int64_t row = count * layer.units;
    const BufferIndex states = layer.return_sequences ? value_.data : temporary({settings_.batch, length, row});
    for (std::int64_t i = 0; i < count; ++i) {
      const LstmShape shape{settings_.batch, length, layer.units, row, i * layer.units, i == 1};
      add_direction(layer, shape, directions[static_cast<std::size_t>(i)], x, states);
    }
    for (std::int64_t i = 0; i < count && !layer.return_sequences; ++i) {
      const LstmShape shape{settings_.batch, length, layer.units, row, i * layer.units, i == 1};
      add_node(make_op(LstmLast{shape}, {states, value_.data}), {});
    }
  }

  /// The products of all inputs with the kernel, then the positions one after the other.
  void add_direction(const model::Lstm& layer, const LstmShape& shape, const std::string& prefix, const Value& x,
                     BufferIndex states) {
    const ParameterBuffers& kernel = parameter(prefix + "kernel");
    const ParameterBuffers& recurrent = parameter(prefix + "recurrent_kernel");
    const ParameterBuffers& bias = parameter(prefix + "bias");
    const std::int64_t inputs = shapes_[index_].back();
    const std::int64_t rows = checked_product({shape.batch, shape.length});
    const std::int64_t columns = 4 * shape.units;
    const BufferIndex gates = temporary({rows, columns});
    const BufferIndex cells = temporary({rows, shape.units});
    std::vector<Op> gradient{
        make_op(MatMul{.m = inputs, .n = columns, .k = rows, .transpose_a = true}, {x.data, gates, kernel.gradient})};
    if (x.gradient != kNoBuffer) {
      const bool alone = shape.offset + shape.units == shape.row;  // the last direction is the first in backward
      const BufferIndex dx = alone ? x.gradient : temporary({rows, inputs});
      gradient.push_back(
          make_op(MatMul{.m = rows, .n = inputs, .k = columns, .transpose_b = true}, {gates, kernel.value, dx}));
      if (!alone) gradient.push_back(make_op(Add{rows * inputs}, {x.gradient, dx}));
    }
    add_node(make_op(MatMul{.m = rows, .n = columns, .k = inputs}, {x.data, kernel.value, gates}), gradient);
    add_node(make_op(AddBias{rows, columns}, {gates, bias.value}), {});
    // The order of the arena: bias, recurrent kernel, kernel.
    add_node(make_op(Lstm{shape, layer.activation}, {gates, recurrent.value, states, cells}),
             {make_op(LstmGradient{shape, layer.activation, !layer.return_sequences},
                      {value_.gradient, gates, recurrent.value, cells}),
              make_op(ColumnSum{rows, columns}, {gates, bias.gradient}),
              make_op(LstmRecurrentGradient{shape}, {states, gates, recurrent.gradient})});
  }

  void add(const model::BatchNorm& layer) {
    const std::int64_t columns = shapes_[index_].back();
    const std::int64_t rows = elements(shapes_[index_]) / columns;
    const BatchNorm norm{.rows = rows,
                         .columns = columns,
                         .fixed_moments = !training(),
                         .moving_moments = settings_.moving_moments,
                         .epsilon = static_cast<float>(layer.epsilon),
                         .smallest_share = static_cast<float>(1 - layer.momentum)};
    add_normalization(norm, BatchNormGradient{rows, columns, false}, temporary({2, columns}));
    Operands& operands = program_.nodes.back().op.operands;
    if (norm.moving_moments) operands[5] = moving_moments(columns);
    if (norm.moves()) operands[6] = shared_buffer(program_, Role::step_state, sizeof(StepState));
  }

  BufferIndex moving_moments(std::int64_t columns) {
    const BufferIndex both = add_buffer(program_, Role::moving_moment, checked_product({2, columns}));
    const auto add = [&](std::string_view name, std::int64_t offset, float start) {
      program_.moving_moments.push_back({fmt::format("{}.{}", index_, name), {columns}, both, offset, start});
    };
    add("moving_mean", 0, 0);
    add("moving_variance", columns, 1);
    return both;
  }

  void add(const model::LayerNorm&) {
    const std::int64_t columns = shapes_[index_].back();
    const std::int64_t rows = elements(shapes_[index_]) / columns;
    const BufferIndex moments = temporary({2, rows});
    add_normalization(LayerNorm{rows, columns}, LayerNormGradient{rows, columns, false}, moments);
  }

  template <class Forward, class Gradient>
  void add_normalization(const Forward& forward, Gradient gradient, BufferIndex moments) {
    const ParameterBuffers& gamma = parameter("gamma");
    const ParameterBuffers& beta = parameter("beta");
    const Value x = value_;
    value_ = next(true);
    gradient.input_gradient = x.gradient != kNoBuffer;
    add_node(make_op(forward, {x.data, value_.data, gamma.value, beta.value, moments}),
             {make_op(gradient,
                      {value_.gradient, x.data, x.gradient, gamma.value, moments, gamma.gradient, beta.gradient})});
  }

  void add(const model::Embedding& layer) {
    const ParameterBuffers& kernel = parameter("kernel");
    const Value x = value_;
    value_ = next(true);
    const std::int64_t rows = elements(shapes_[index_]);
    program_.x_int_count = std::exchange(program_.x_count, 0);
    program_.vocabulary = layer.vocabulary;
    add_node(
        make_op(Embedding{rows, layer.vocabulary, layer.units}, {x.data, kernel.value, value_.data}),
        {make_op(EmbeddingGradient{rows, layer.vocabulary, layer.units}, {x.data, value_.gradient, kernel.gradient})});
  }

  void mark_output(BufferIndex buffer) {
    BufferSpec& spec = program_.buffers[static_cast<std::size_t>(buffer)];
    if (spec.role != Role::temporary) fail(network_.layers.size() - 1, "no layer before it computes anything; add one");
    spec.role = Role::output;
  }

  void add_loss() {
    const std::int64_t columns = model::element_count(shapes_.back());
    const std::int64_t rows = settings_.batch;
    const bool classes = network_.loss == model::Loss::sparse_categorical_crossentropy;
    const BufferIndex target = add_buffer(program_, Role::input_y, classes ? rows : rows * columns);
    BufferIndex probabilities = kNoBuffer;
    if (network_.loss == model::Loss::mse) {
      mark_output(value_.data);
    } else {
      probabilities = add_buffer(program_, Role::output, rows * columns);
    }
    const BufferIndex samples = add_buffer(program_, Role::sample_losses, rows);
    const BufferIndex mean = add_buffer(program_, Role::mean_loss, 1);
    const Loss loss{.kind = network_.loss,
                    .rows = rows,
                    .columns = columns,
                    .averaged_rows = averaged_samples_ == rows ? 0 : averaged_samples_};
    Loss part = loss;
    part.gradient = true;
    const bool from_prediction = network_.loss == model::Loss::mse;  // the others need only the probabilities
    const Op gradient = make_op(part, {from_prediction ? value_.data : kNoBuffer, target, probabilities, kNoBuffer,
                                       kNoBuffer, value_.gradient});
    part = loss;
    part.samples = true;
    std::vector<Op> gradients;
    if (value_.gradient != kNoBuffer) gradients.push_back(gradient);
    add_node(make_op(part, {value_.data, target, probabilities, samples}), gradients);
    part = loss;
    part.mean = true;
    add_node(make_op(part, {kNoBuffer, kNoBuffer, kNoBuffer, samples, mean}), {});
    (classes ? program_.y_int_count : program_.y_float_count) = classes ? rows : rows * columns;
    program_.classes = classes ? columns : 0;
    program_.sample_loss_count = rows;
    program_.has_mean_loss = true;
  }

  /// Counts the step first, where anything reads the count.
  void advance_step() {
    const auto* adam = std::get_if<model::Adam>(&network_.optimizer);
    const bool is_read = std::any_of(program_.nodes.begin(), program_.nodes.end(), [](const Node& node) {
      const auto* const norm = std::get_if<BatchNorm>(&node.op.spec);
      return std::holds_alternative<Dropout>(node.op.spec) || (norm != nullptr && norm->moves());
    });
    if (adam == nullptr && !is_read) return;
    const AdvanceStep spec{adam != nullptr ? adam->beta1 : 0, adam != nullptr ? adam->beta2 : 0};
    const BufferIndex state = shared_buffer(program_, Role::step_state, sizeof(StepState));
    program_.nodes.insert(program_.nodes.begin(), {make_op(spec, {state}), {}});
  }

  const model::Network& network_;
  const Settings& settings_;
  std::int64_t averaged_samples_;
  std::vector<model::Shape> shapes_;  ///< [i]: input of layer i
  std::size_t index_ = 0;             ///< index of the current layer
  std::size_t pooled_ = 0;            ///< convolutions that pooling came before
  Program program_;
  Value value_;  ///< input of the current layer
};

}  // namespace

Program lower_network(const model::Network& network, const Settings& settings, std::int64_t averaged_samples) {
  return Lowering(network, settings, averaged_samples).run();
}

}  // namespace regatta::engine
