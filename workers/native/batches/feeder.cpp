#include "batches/feeder.hpp"

#include <algorithm>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"

namespace regatta::worker {

namespace {

float scale_in(const std::vector<model::Tensor>& tensors) {
  const auto found = std::ranges::find(tensors, data::scale_of_x, &model::Tensor::name);
  const auto* scale = found == tensors.end() ? nullptr : std::get_if<std::vector<float>>(&found->values);
  if (scale != nullptr && scale->size() == 1) return scale->front();
  throw InputError("the samples are no bytes times a scale; use host_dtype float32");
}

}  // namespace

using sweep::Param;

std::optional<HostSamples> samples_held_as(std::string_view host_dtype, const std::vector<model::Tensor>& tensors) {
  if (host_dtype == "float32") return std::nullopt;
  const bool are_bytes = host_dtype == "uint8";
  HostSamples samples;
  if (are_bytes) samples.scale = scale_in(tensors);
  samples.batch = model::tensor_named(tensors, "x").shape.at(1);
  const data::Array x = arrays_of_batches(tensors).front();
  samples.x = held_as(x, are_bytes ? data::ElementType::uint8 : data::ElementType::float64, samples.scale);
  if (samples.x.type == x.type) return std::nullopt;  // indices
  return samples;
}

Feeding feeding_of(const sweep::Parameters& parameters, const std::vector<model::Tensor>& tensors) {
  Feeding feeding;
  feeding.is_headspace = is_level(parameters, Param::input, "headspace");
  feeding.is_piped = feeding.is_headspace || is_level(parameters, Param::input, "pipeline");
  feeding.loader_threads = static_cast<int>(integer_or(parameters, Param::loader_workers, 0));
  feeding.loader_depth = integer_or(parameters, Param::loader_depth, 0);
  const auto* host_dtype = std::get_if<std::string>(&parameters[Param::host_dtype]);
  if (host_dtype == nullptr || tensors.empty()) return feeding;
  if (auto held = samples_held_as(*host_dtype, tensors)) {
    feeding.held = std::make_shared<const HostSamples>(std::move(*held));
    feeding.converts_in_step = !feeding.is_piped || is_level(parameters, Param::transform, "step");
  }
  return feeding;
}

Feeder::Feeder(Feeding feeding, const std::vector<model::Tensor>& tensors, std::span<const engine::Batch> batches)
    : feeding_(std::move(feeding)), batches_(batches) {
  if (!feeding_.is_piped || tensors.empty()) return;  // empty: the model reads none, or is trained on another file
  loader_ = make_pipeline(tensors, {.threads = feeding_.loader_threads,
                                    .depth = feeding_.loader_depth,
                                    .is_headspace = feeding_.is_headspace,
                                    .held = feeding_.held.get(),
                                    .converts = !feeding_.converts_in_step});
}

std::uint64_t Feeder::held_bytes() const {
  return (loader_ ? loader_->slab_bytes() : 0) +
         (feeding_.held ? data::row_bytes(feeding_.held->x) * static_cast<std::size_t>(feeding_.held->x.count) : 0);
}

// A batch goes back once the step has read it.
void Feeder::step_on_made(engine::Session& session) {
  if (!loader_) {
    const std::byte* const x = batch_at(*feeding_.held, next_);
    return step_on_held(session, next_batch(), x);
  }
  const auto loaded = loader_->next();
  const engine::Batch batch = batch_in(*loader_, *loaded);
  if (feeding_.converts_in_step) return step_on_held(session, batch, loaded->fields.front());
  session.step(batch);
  session.wait();
}

void Feeder::step_on_held(engine::Session& session, engine::Batch batch, const std::byte* x) {
  make_floats(*feeding_.held, x, floats_);
  batch.x = floats_;
  session.step(batch);
  session.wait();  // the next step writes them anew
}

}  // namespace regatta::worker
