#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/batches/batches.hpp"
#include "data/batches/gathered.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::data {
namespace {

using model::Shape;
using model::Tensor;

void need_elements(const Array& array, const Shape& shape, const std::string& what, const model::Network& network) {
  const auto elements = static_cast<std::int64_t>(row_bytes(array) / size_of(array.type));
  if (elements == model::element_count(shape)) return;
  throw DoesNotFit(
      fmt::format("{}: {} has {} numbers a sample, shape ({}), where the model has ({}); use a model that "
                  "fits the data",
                  network.name, what, elements, fmt::join(array.shape, ", "), fmt::join(shape, ", ")));
}

/// A row may be flat where the model's input is not, and the other way round; else its axes are the model's.
void need_axes(const Array& array, const Shape& shape, const model::Network& network) {
  if (array.shape == shape || array.shape.size() <= 1 || shape.size() <= 1) return;
  throw DoesNotFit(
      fmt::format("{}: a sample of the data has the axes ({}), but the model has ({}). The numbers would land "
                  "elsewhere. Save the data in the model's order",
                  network.name, fmt::join(array.shape, ", "), fmt::join(shape, ", ")));
}

FieldOptions as_int32() {
  FieldOptions options;
  options.type = ElementType::int32;
  return options;
}

FieldOptions as_float32(const Array& array, std::optional<double> scale, double shift) {
  constexpr float byte_scale = 1.0F / 255;
  FieldOptions options;
  options.type = ElementType::float32;
  options.scale = scale ? static_cast<float>(*scale) : array.type == ElementType::uint8 ? byte_scale : 1;
  options.shift = static_cast<float>(shift);
  return options;
}

/// The wanted use of whole numbers in [0, limit).
struct Indices {
  std::string name;  ///< "x" or "y"
  Shape shape;
  std::int64_t limit;
};

/// Where a number is no index. None at all is the data's fault, another one may suit another model.
template <class Number>
void check_indices(const std::vector<Number>& values, const Indices& wanted, const Array& array,
                   const std::string& words) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    const auto number = static_cast<double>(values[at]);
    if (number >= 0 && number < static_cast<double>(wanted.limit) && number == std::floor(number)) continue;
    const std::string text = fmt::format(
        "{}: '{}' of the data holds {} in {}, but the model knows the whole numbers 0 to {}. Correct the data, or use "
        "a model with more",
        words, wanted.name, values[at], place_in(array, at), wanted.limit - 1);
    if (std::isnan(number)) throw InputError(text);
    throw DoesNotFit(text);
  }
}

/// Floats may hold them. `words`: the model, and the file.
Tensor indices(const Indices& wanted, const Array& array, const std::string& words) {
  if (!is_float(array.type)) {
    Tensor tensor = gathered<std::int32_t>(wanted.name, wanted.shape, array, as_int32());
    check_indices(std::get<std::vector<std::int32_t>>(tensor.values), wanted, array, words);
    return tensor;
  }
  const Tensor floats = gathered<float>(wanted.name, wanted.shape, array, as_float32(array, 1.0, 0));
  const auto& values = std::get<std::vector<float>>(floats.values);
  check_indices(values, wanted, array, words);
  return {wanted.name, wanted.shape, std::vector<std::int32_t>(values.begin(), values.end())};
}

/// Binary cross-entropy of a label below 0 or above 1 falls without end.
void check_shares(const Tensor& tensor, const Array& array, const std::string& words) {
  const auto& values = std::get<std::vector<float>>(tensor.values);
  const auto beyond = std::ranges::find_if(values, [](float value) { return value < 0 || value > 1; });
  if (beyond == values.end()) return;
  throw DoesNotFit(
      fmt::format("{}: 'y' of the data holds {} in {}, but binary cross-entropy takes 0 to 1. Correct the "
                  "labels, or use another loss",
                  words, *beyond, place_in(array, static_cast<std::size_t>(beyond - values.begin()))));
}

const model::Embedding* first_embedding(const model::Network& network) {
  return network.layers.empty() ? nullptr : std::get_if<model::Embedding>(&network.layers.front());
}

/// The file that the labels are in.
const std::string& labels_file(const DataFiles& files) { return files.labels.empty() ? files.data : files.labels; }

std::string words_of(const model::Network& network, const std::string& file) {
  return fmt::format("{}, '{}'", network.name, file);
}

/// A missing value costs a benchmark nothing; what is trained on has to be finite.
void need_numbers(const std::vector<Tensor>& tensors, const Samples& samples, const DataFiles& files) {
  if (const auto* x = std::get_if<std::vector<float>>(&tensors[0].values))
    need_finite(*x, samples.x, files.data, "numbers");
  if (const auto* y = std::get_if<std::vector<float>>(&tensors[1].values))
    need_finite(*y, samples.y, labels_file(files), "labels");
}

}  // namespace

std::vector<Tensor> tensors_of(const Samples& samples, const model::Network& network, const Shape& head,
                               const DataFiles& files) {
  const Shape output = model::infer_shapes(network).back();
  need_elements(samples.x, network.input, "a sample of the data", network);
  need_axes(samples.x, network.input, network);
  const FieldOptions x_options = as_float32(samples.x, files.scale, files.shift);
  std::vector<Tensor> tensors;
  const Shape x_shape = joined(head, network.input);
  if (const model::Embedding* embedding = first_embedding(network))
    tensors.push_back(indices({"x", x_shape, embedding->vocabulary}, samples.x, words_of(network, files.data)));
  else
    tensors.push_back(gathered<float>("x", x_shape, samples.x, x_options));
  if (network.loss == model::Loss::sparse_categorical_crossentropy) {
    need_elements(samples.y, {}, "a label", network);
    tensors.push_back(indices({"y", head, output.back()}, samples.y, words_of(network, labels_file(files))));
  } else {
    need_elements(samples.y, output, "a label", network);
    tensors.push_back(gathered<float>("y", joined(head, output), samples.y, as_float32(samples.y, 1.0, 0)));
    if (network.loss == model::Loss::binary_crossentropy)
      check_shares(tensors.back(), samples.y, words_of(network, labels_file(files)));
  }
  const bool is_scaled = first_embedding(network) == nullptr;
  if (auto scale = scale_of_bytes(samples.x, x_options); scale && is_scaled) tensors.push_back(std::move(*scale));
  return tensors;
}

std::vector<Tensor> file_batches(const model::Network& network, const Shape& head, const DataFiles& files) {
  return tensors_of(read_samples(files), network, head, files);
}

std::vector<Tensor> finite_tensors(const Samples& samples, const model::Network& network, const DataFiles& files) {
  std::vector<Tensor> tensors = tensors_of(samples, network, {1, samples.x.count}, files);
  need_numbers(tensors, samples, files);
  return tensors;
}

}  // namespace regatta::data
