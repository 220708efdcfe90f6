#include "regatta/data/batches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/batches/file_batches.hpp"
#include "data/batches/joined.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/base/units.hpp"
#include "regatta/data/digits.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::data {

namespace {

using model::Shape;
using model::Tensor;

constexpr std::uint64_t max_batch_bytes = std::uint64_t{16} << 30;  // of x in one batch
constexpr float scalar_point = 2.0F;                                // where the scalar derivative is taken

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

/// Bytes of fp32 values of this shape. Throws InputError if that is more than a machine should be asked for.
std::uint64_t checked_bytes(const std::string& model_name, const Shape& shape) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(model::element_count(shape)) * sizeof(float);
  if (bytes <= max_batch_bytes) return bytes;
  throw InputError(fmt::format("{}: a batch of shape ({}) takes {} (the limit is {}); use a smaller one", model_name,
                               fmt::join(shape, ", "), format_size(bytes), format_size(max_batch_bytes)));
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

std::vector<Tensor> digits_batches(const model::Network& network, const Shape& head,
                                   const std::filesystem::path& datasets) {
  const std::int64_t pixels = model::element_count(network.input);
  const Shape output = model::infer_shapes(network).back();
  const Digits digits = read_digits(datasets / "digits");
  const auto& images = digits.images;
  if (pixels != images.shape[0] * images.shape[1] || network.loss != model::Loss::sparse_categorical_crossentropy ||
      output.back() < digits_classes) {
    throw InputError(
        fmt::format("{}: dataset digits does not fit (it has {} x {} pixels and {} classes for "
                    "sparse_categorical_crossentropy; the "
                    "model reads ({}) and yields ({})); use such a model or the dataset synthetic",
                    network.name, images.shape[0], images.shape[1], digits_classes, fmt::join(network.input, ", "),
                    fmt::join(output, ", ")));
  }
  const auto labels = static_cast<std::size_t>(digits.labels.count);
  const std::size_t values = labels * row_bytes(images);
  Tensor x = filled<float>("x", joined(head, network.input), [&](std::size_t i) {
    return static_cast<float>(std::to_integer<int>(images.first[i % values])) /
           static_cast<float>(digits_largest_value);
  });
  Tensor y = filled<std::int32_t>(
      "y", head, [&](std::size_t i) { return std::to_integer<std::int32_t>(digits.labels.first[i % labels]); });
  return {std::move(x), std::move(y)};
}

/// The batches of each kind of model.
struct Maker {
  const BatchSource& source;
  std::uint64_t x_seed = stream_seed(source.seed, Stream::x);
  std::uint64_t y_seed = stream_seed(source.seed, Stream::y);

  std::vector<Tensor> operator()(const model::Network& network) const {
    const Shape head{distinct_batches(network, source.batch), source.batch};
    if (source.files) return file_batches(network, head, *source.files);
    if (source.dataset == "digits") return digits_batches(network, head, source.datasets_folder);
    if (source.dataset == "synthetic") return {synthetic_x(network, head, x_seed), synthetic_y(network, head, y_seed)};
    throw InputError(fmt::format("dataset \"{}\" is unknown; expected \"synthetic\" or \"digits\"", source.dataset));
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

std::vector<Tensor> make_batches(const model::Model& model, const BatchSource& source) {
  return std::visit(Maker{source}, model);
}

}  // namespace regatta::data
