#include "batches/pipeline.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"

namespace regatta::worker {
namespace {

/// Each row of each batch is a row of the array.
template <class Number>
data::Array rows_of(const model::Tensor& tensor, data::ElementType type, const std::vector<Number>& values) {
  data::Array array;
  array.name = tensor.name;
  array.type = type;
  array.shape.assign(tensor.shape.begin() + 2, tensor.shape.end());
  array.count = tensor.shape[0] * tensor.shape[1];
  array.first = reinterpret_cast<const std::byte*>(values.data());
  array.stride_bytes = data::row_bytes(array);
  return array;
}

data::Array rows_of(const model::Tensor& tensor) {
  if (tensor.shape.size() < 2) {
    throw InputError(
        fmt::format("the tensor '{}' has {} axes (batches have two, and those of a sample); write it again",
                    tensor.name, tensor.shape.size()));
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&tensor.values))
    return rows_of(tensor, data::ElementType::float32, *floats);
  return rows_of(tensor, data::ElementType::int32, std::get<std::vector<std::int32_t>>(tensor.values));
}

template <class Number>
std::span<const Number> numbers_in(const data::LoadedBatch& loaded, const data::BatchField& field, std::size_t at) {
  const std::size_t bytes = data::row_bytes(field) * static_cast<std::size_t>(loaded.count);
  return {reinterpret_cast<const Number*>(loaded.fields[at]), bytes / sizeof(Number)};
}

}  // namespace

std::vector<data::Array> arrays_of_batches(const std::vector<model::Tensor>& tensors) {
  return {rows_of(model::tensor_named(tensors, "x")), rows_of(model::tensor_named(tensors, "y"))};
}

data::LoaderOptions options_for_batches(const std::vector<model::Tensor>& tensors) {
  data::LoaderOptions options;
  options.plan.batch = model::tensor_named(tensors, "x").shape.at(1);
  options.plan.shuffles = false;  // all engines read the same rows in the same steps
  options.fields.resize(2);
  return options;
}

std::unique_ptr<data::Loader> make_pipeline(const std::vector<model::Tensor>& tensors, const PipelineOptions& asked) {
  std::vector<data::Array> arrays = arrays_of_batches(tensors);
  data::LoaderOptions options = options_for_batches(tensors);
  if (asked.held != nullptr) {
    arrays.front() = asked.held->x;
    if (asked.converts) options.fields.front() = {.type = data::ElementType::float32, .scale = asked.held->scale};
  }
  options.threads = asked.threads;
  options.depth = asked.depth;
  options.is_headspace = asked.is_headspace;
  return std::make_unique<data::Loader>(std::move(arrays), std::move(options));
}

engine::Batch batch_in(const data::Loader& loader, const data::LoadedBatch& loaded) {
  const std::vector<data::BatchField>& fields = loader.fields();
  engine::Batch batch;
  if (fields[0].type == data::ElementType::float32)
    batch.x = numbers_in<float>(loaded, fields[0], 0);
  else if (fields[0].type == data::ElementType::int32)
    batch.x_int = numbers_in<std::int32_t>(loaded, fields[0], 0);
  if (fields[1].type == data::ElementType::float32)
    batch.y_float = numbers_in<float>(loaded, fields[1], 1);
  else
    batch.y_int = numbers_in<std::int32_t>(loaded, fields[1], 1);
  return batch;
}

sweep::Facts input_facts(const data::LoaderTimes& times) {
  using sweep::Fact;
  sweep::Facts facts;
  if (times.batches == 0) return facts;
  sweep::set(facts, Fact::input_bound_by, std::string(data::name_of(data::bound_by(times))));
  const auto tell = [&](Fact fact, double seconds) {
    sweep::set(facts, fact, seconds / static_cast<double>(times.batches));
  };
  tell(Fact::input_wait, times.wait_seconds);
  tell(Fact::input_compute, times.consume_seconds);
  tell(Fact::input_read, times.read_seconds);
  tell(Fact::input_decode, times.decode_seconds);
  tell(Fact::input_collate, times.collate_seconds);
  tell(Fact::input_slot_wait, times.slot_wait_seconds);
  return facts;
}

}  // namespace regatta::worker
