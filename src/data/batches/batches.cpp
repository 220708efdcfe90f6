#include "regatta/data/batches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "data/batches/batches.hpp"
#include "data/batches/gathered.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/base/units.hpp"
#include "regatta/data/permutation.hpp"
#include "regatta/data/shipped.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::data {

std::uint64_t checked_bytes(const std::string& model_name, const model::Shape& shape) {
  constexpr std::uint64_t max_batch_bytes = std::uint64_t{16} << 30;  // limit for x in one batch
  const std::uint64_t bytes = static_cast<std::uint64_t>(model::element_count(shape)) * sizeof(float);
  if (bytes <= max_batch_bytes) return bytes;
  throw InputError(fmt::format("{}: a batch of shape ({}) takes {} (the limit is {}); use a smaller one", model_name,
                               fmt::join(shape, ", "), format_size(bytes), format_size(max_batch_bytes)));
}

namespace {

using model::Shape;
using model::Tensor;

constexpr float scalar_point = 2.0F;  // where the scalar derivative is taken

// Streams of random numbers, apart from those of the weights (which count up from 0).
enum class Stream : std::uint64_t { x = std::uint64_t{1} << 32, y };

std::uint64_t stream_seed(std::uint64_t seed, Stream stream) {
  return random_bits(seed, static_cast<std::uint64_t>(stream));
}

/// Roughly standard normal: the sum of four uniform numbers of 16 bits, shifted and scaled to mean 0 and variance 1.
float nearly_normal(std::uint64_t seed, std::uint64_t counter) {
  constexpr float scale = 1.7320508F / 65536;  // the sum's variance is 4 / 12 of 65536^2
  constexpr std::int32_t mean = 2 * (65536 - 1);
  const std::uint64_t bits = random_bits(seed, counter);
  const std::uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return static_cast<float>(static_cast<std::int32_t>(sum) - mean) * scale;
}

template <class T, class Element>
Tensor filled(std::string name, Shape shape, Element element) {
  std::vector<T> values(static_cast<std::size_t>(model::element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(i);
  return {std::move(name), std::move(shape), std::move(values)};
}

Tensor normal(std::string name, Shape shape, std::uint64_t seed) {
  return filled<float>(std::move(name), std::move(shape), [&](std::size_t i) { return nearly_normal(seed, i); });
}

/// Whole numbers of [0, limit), uniform to within limit / 2^32.
Tensor indices(std::string name, Shape shape, std::uint64_t seed, std::int64_t limit) {
  return filled<std::int32_t>(std::move(name), std::move(shape), [&](std::size_t i) {
    return static_cast<std::int32_t>((random_bits(seed, i) >> 32) * static_cast<std::uint64_t>(limit) >> 32);
  });
}

/// How many different batches are made: as many as fit into max_batches_bytes, at least one.
std::int64_t distinct_batches(const model::Network& network, std::int64_t batch) {
  if (batch < 1) throw InputError(fmt::format("batch is {} (a step needs at least one sample); correct it", batch));
  model::infer_shapes(network);  // refuses what is no network, an empty input too
  const std::uint64_t bytes = checked_bytes(network.name, joined({batch}, network.input));
  return std::clamp(static_cast<std::int64_t>(max_batches_bytes / bytes), std::int64_t{1}, max_distinct_batches);
}

Tensor synthetic_x(const model::Network& network, const Shape& head, std::uint64_t seed) {
  const Shape shape = joined(head, network.input);
  if (!network.layers.empty()) {
    if (const auto* embedding = std::get_if<model::Embedding>(&network.layers.front())) {
      return indices("x", shape, seed, embedding->vocabulary);
    }
  }
  return normal("x", shape, seed);
}

Tensor synthetic_y(const model::Network& network, const Shape& head, std::uint64_t seed) {
  const Shape output = model::infer_shapes(network).back();
  if (network.loss == model::Loss::sparse_categorical_crossentropy) return indices("y", head, seed, output.back());
  const Shape shape = joined(head, output);
  if (network.loss == model::Loss::mse) return normal("y", shape, seed);
  return filled<float>("y", shape, [&](std::size_t i) { return static_cast<float>(random_bits(seed, i) >> 63); });
}

std::vector<Tensor> shipped_batches(const model::Network& network, const Shape& head,
                                    const model::ShippedDataset& dataset, const std::filesystem::path& datasets) {
  const Shape output = model::infer_shapes(network).back();
  if (!model::fits(dataset, network, output)) {
    throw DoesNotFit(fmt::format(
        "{}: dataset {} does not fit (it needs {}; the model reads ({}) and yields ({})); use such a model or the "
        "dataset synthetic",
        network.name, dataset.name, model::needs_text(dataset), fmt::join(network.input, ", "),
        fmt::join(output, ", ")));
  }
  const ShippedArrays arrays = read_shipped(datasets / dataset.name, dataset);
  FieldOptions as_float;
  as_float.type = ElementType::float32;
  as_float.scale = 1 / dataset.largest_value;
  FieldOptions as_class;
  as_class.type = ElementType::int32;
  std::vector<Tensor> tensors = {gathered<float>("x", joined(head, network.input), arrays.samples, as_float),
                                 gathered<std::int32_t>("y", head, arrays.labels, as_class)};
  if (auto scale = scale_of_bytes(arrays.samples, as_float)) tensors.push_back(std::move(*scale));
  return tensors;
}

InputError unknown_dataset(const std::string& name) {
  std::string known = "\"synthetic\"";
  for (const auto& shipped : model::shipped_datasets()) known += fmt::format(" or \"{}\"", shipped.name);
  return InputError(fmt::format("dataset \"{}\" is unknown; expected {}", name, known));
}

/// The batches of each kind of model.
struct Maker {
  const BatchSource& source;
  std::uint64_t x_seed = stream_seed(source.seed, Stream::x);
  std::uint64_t y_seed = stream_seed(source.seed, Stream::y);

  std::vector<Tensor> operator()(const model::Network& network) const {
    const Shape head{distinct_batches(network, source.batch), source.batch};
    if (source.files) return file_batches(network, head, *source.files);
    if (const auto* shipped = model::find_shipped_dataset(source.dataset))
      return shipped_batches(network, head, *shipped, source.datasets_folder);
    if (source.dataset == "synthetic") return {synthetic_x(network, head, x_seed), synthetic_y(network, head, y_seed)};
    throw unknown_dataset(source.dataset);
  }
  std::vector<Tensor> operator()(const model::Matmul& matmul) const {
    const Shape shape{1, matmul.size, matmul.size};
    checked_bytes(matmul.name, shape);
    return {normal("x", shape, x_seed), normal("y", shape, y_seed)};
  }
  std::vector<Tensor> operator()(const model::ScalarGradient&) const {
    return {{"x", {1, 1}, std::vector<float>{scalar_point}}};
  }
  std::vector<Tensor> operator()(const model::Noop&) const { return {}; }
  std::vector<Tensor> operator()(const model::UserModel&) const { return {}; }  // it makes its own
};

}  // namespace

namespace {

constexpr std::int64_t synthetic_training_rows = 2048;
constexpr std::int64_t synthetic_test_rows = 512;

/// Rows, and how many of them are the training part.
struct Parts {
  std::int64_t rows;
  std::int64_t training;
};

Parts parts_of(const BatchSource& source) {
  if (const auto* shipped = model::find_shipped_dataset(source.dataset)) return {shipped->rows, shipped->training_rows};
  return {synthetic_training_rows + synthetic_test_rows, synthetic_training_rows};
}

/// The value of a linear function of the sample for each output; its factors are 1 or -1.
std::vector<float> scores_of(std::span<const float> sample, std::int64_t outputs, std::uint64_t seed) {
  std::vector<float> scores(static_cast<std::size_t>(outputs));
  for (std::size_t output = 0; output < scores.size(); ++output) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const bool adds = random_bits(seed + output, i) >> 63 != 0;
      scores[output] += adds ? sample[i] : -sample[i];
    }
    scores[output] /= std::sqrt(static_cast<float>(sample.size()));
  }
  return scores;
}

/// y of synthetic samples, which can be learned from x.
Tensor taught_y(const model::Network& network, const Tensor& x, const Shape& head, std::uint64_t seed) {
  const Shape output = model::infer_shapes(network).back();
  const auto* values = std::get_if<std::vector<float>>(&x.values);
  if (values == nullptr) return synthetic_y(network, head, seed);  // indices mean nothing by themselves
  const auto rows = static_cast<std::size_t>(model::element_count(head));
  const std::size_t size = values->size() / rows;
  const bool classifies = network.loss == model::Loss::sparse_categorical_crossentropy;
  std::vector<float> reals;
  std::vector<std::int32_t> classes;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto scores = scores_of(std::span(*values).subspan(row * size, size), model::element_count(output), seed);
    if (classifies)
      classes.push_back(static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin()));
    else if (network.loss == model::Loss::mse)
      reals.insert(reals.end(), scores.begin(), scores.end());
    else
      for (const float score : scores) reals.push_back(score > 0 ? 1.0F : 0.0F);
  }
  if (classifies) return {"y", head, std::move(classes)};
  return {"y", joined(head, output), std::move(reals)};
}

std::vector<Tensor> whole(const model::Network& network, const BatchSource& source, const Shape& head) {
  if (const auto* shipped = model::find_shipped_dataset(source.dataset))
    return shipped_batches(network, head, *shipped, source.datasets_folder);
  Tensor x = synthetic_x(network, head, stream_seed(0, Stream::x));
  Tensor y = taught_y(network, x, head, stream_seed(0, Stream::y));
  return {std::move(x), std::move(y)};
}

/// The order of the source's rows. The file of the digits is ordered by writer: its last rows alone would be a test on
/// other writers.
std::vector<std::uint32_t> row_order(const BatchSource& source, const Parts& parts) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(parts.rows));
  const auto* shipped = model::find_shipped_dataset(source.dataset);
  if (shipped != nullptr && shipped->parts_are_drawn)
    Permutation(parts.rows, random_bits(static_cast<std::uint64_t>(parts.rows), 0)).images(0, order);
  else
    std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// "x", "y", "test_x" and "test_y" of data that come along or are made up.
std::vector<Tensor> own_parts(const model::Network& network, const BatchSource& source) {
  const Parts parts = parts_of(source);
  const Shape head{1, parts.rows};
  checked_bytes(network.name, joined(head, network.input));
  const std::vector<Tensor> all = whole(network, source, head);
  const std::vector<std::uint32_t> order = row_order(source, parts);
  const auto training = std::span(order).first(static_cast<std::size_t>(parts.training));
  const auto test = std::span(order).subspan(static_cast<std::size_t>(parts.training));
  return {rows_at(all[0], training, "x"), rows_at(all[1], training, "y"), rows_at(all[0], test, "test_x"),
          rows_at(all[1], test, "test_y")};
}

}  // namespace

std::vector<Tensor> make_data_set(const model::Model& model, const BatchSource& source) {
  const auto* network = std::get_if<model::Network>(&model);
  if (network == nullptr)
    throw DoesNotFit(
        fmt::format("{} is no network (only these are trained); name a model of layers", model::name_of(model)));
  std::vector<Tensor> set = source.files ? file_parts(*network, *source.files) : own_parts(*network, source);
  const auto repeated = static_cast<std::int32_t>(repeated_rows(set[0], set[2]));
  set.push_back({repeated_samples, {1}, std::vector<std::int32_t>{repeated}});
  return set;
}

std::vector<Tensor> make_batches(const model::Model& model, const BatchSource& source) {
  return std::visit(Maker{source}, model);
}

}  // namespace regatta::data
