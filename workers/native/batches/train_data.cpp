#include "batches/train_data.hpp"

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::worker {
namespace {

std::size_t row_size(const model::Tensor& tensor) {
  return static_cast<std::size_t>(model::element_count(tensor.shape) / tensor.shape.front());
}

/// Row `at(i)` of the tensor for each of `count` rows.
template <class At>
model::Tensor gathered(const model::Tensor& tensor, std::size_t count, const At& at) {
  model::Tensor part{tensor.name, tensor.shape, {}};
  part.shape.front() = static_cast<std::int64_t>(count);
  const std::size_t size = row_size(tensor);
  std::visit(
      [&](const auto& values) {
        std::decay_t<decltype(values)> taken(count * size);
        for (std::size_t i = 0; i < count; ++i)
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at(i) * size), size,
                      taken.begin() + static_cast<std::ptrdiff_t>(i * size));
        part.values = std::move(taken);
      },
      tensor.values);
  return part;
}

template <class Number>
std::span<const Number> numbers_of(const model::Tensor& tensor) {
  const auto* values = std::get_if<std::vector<Number>>(&tensor.values);
  return values == nullptr ? std::span<const Number>() : std::span<const Number>(*values);
}

data::Array array_of(const model::Tensor& tensor) {
  data::Array array;
  array.name = tensor.name;
  const bool is_real = std::holds_alternative<std::vector<float>>(tensor.values);
  array.type = is_real ? data::ElementType::float32 : data::ElementType::int32;
  array.shape.assign(tensor.shape.begin() + 1, tensor.shape.end());
  array.count = tensor.shape.front();
  std::visit([&](const auto& values) { array.first = reinterpret_cast<const std::byte*>(values.data()); },
             tensor.values);
  array.stride_bytes = data::row_bytes(array);
  return array;
}

void check_part(const DataSet& data, const char* x_name, const char* y_name) {
  const model::Tensor& x = model::tensor_named(data.tensors, x_name);
  const model::Tensor& y = model::tensor_named(data.tensors, y_name);
  if (!x.shape.empty() && !y.shape.empty() && x.shape.front() == y.shape.front() && x.shape.front() > 0) return;
  throw InputError("'" + data.path + "' has not as many labels as samples; write it again");
}

}  // namespace

std::shared_ptr<const DataSet> read_data_set(const std::string& path) {
  auto data = std::make_shared<DataSet>(DataSet{path, model::read_safetensors(path)});
  check_part(*data, "x", "y");
  check_part(*data, "test_x", "test_y");
  return data;
}

std::int64_t number_in(const std::vector<model::Tensor>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &model::Tensor::name);
  const auto* count = found == tensors.end() ? nullptr : std::get_if<std::vector<std::int32_t>>(&found->values);
  return count == nullptr || count->empty() ? 0 : std::max(0, count->front());
}

DataRows rows_in(const DataSet& data) {
  const std::int64_t all = model::tensor_named(data.tensors, "x").shape.front();
  const std::int64_t validation = number_in(data.tensors, data::validation_rows);
  if (validation >= all) throw InputError("'" + data.path + "' has no row to train on; write it again");
  return {all, validation};
}

Part rows_of(const DataSet& data, std::span<const std::uint32_t> rows) {
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(rows[i]); };
  return {gathered(model::tensor_named(data.tensors, "x"), rows.size(), at),
          gathered(model::tensor_named(data.tensors, "y"), rows.size(), at)};
}

Part test_part(const DataSet& data) {
  return {model::tensor_named(data.tensors, "test_x"), model::tensor_named(data.tensors, "test_y")};
}

std::vector<data::Array> arrays_of(const Part& part) { return {array_of(part.x), array_of(part.y)}; }

data::LoaderOptions options_for_training(const TrainPlan& plan, std::uint64_t seed, std::int64_t first_step) {
  data::LoaderOptions options;
  options.plan.batch = plan.batch;
  options.plan.seed = seed;
  options.fields.resize(2);
  options.first_step = first_step;
  return options;
}

engine::Batch batch_at(const Part& part, std::int64_t first, std::int64_t count, Part& into) {
  const std::int64_t last = part.rows() - 1;
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(std::min(last, first + static_cast<std::int64_t>(i)));
  };
  into = {gathered(part.x, static_cast<std::size_t>(count), at), gathered(part.y, static_cast<std::size_t>(count), at)};
  engine::Batch batch;
  batch.x = numbers_of<float>(into.x);
  batch.x_int = numbers_of<std::int32_t>(into.x);
  batch.y_float = numbers_of<float>(into.y);
  batch.y_int = numbers_of<std::int32_t>(into.y);
  return batch;
}

}  // namespace regatta::worker
