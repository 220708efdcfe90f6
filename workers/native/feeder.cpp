#include "feeder.hpp"

#include <utility>

namespace regatta::worker {

using sweep::Param;

Feeding feeding_of(const sweep::Parameters& parameters, const std::vector<model::Tensor>& tensors) {
  Feeding feeding;
  if (tensors.empty()) return feeding;  // the model reads none, or is trained on another file
  feeding.is_headspace = is_level(parameters, Param::input, "headspace");
  feeding.is_piped = feeding.is_headspace || is_level(parameters, Param::input, "pipeline");
  feeding.loader_threads = static_cast<int>(integer_or(parameters, Param::loader_workers, 0));
  feeding.loader_depth = integer_or(parameters, Param::loader_depth, 0);
  const auto* host_dtype = std::get_if<std::string>(&parameters[Param::host_dtype]);
  if (host_dtype == nullptr) return feeding;
  if (auto held = held_as(*host_dtype, tensors)) {
    feeding.held = std::make_shared<const HostSamples>(std::move(*held));
    feeding.converts_in_step = !feeding.is_piped || is_level(parameters, Param::transform, "step");
  }
  return feeding;
}

Feeder::Feeder(Feeding feeding, const std::vector<model::Tensor>& tensors, std::span<const engine::Batch> batches)
    : feeding_(std::move(feeding)), batches_(batches) {
  if (!feeding_.is_piped) return;
  loader_ = make_pipeline(tensors, {.threads = feeding_.loader_threads,
                                    .depth = feeding_.loader_depth,
                                    .is_headspace = feeding_.is_headspace,
                                    .held = feeding_.held.get(),
                                    .converts = !feeding_.converts_in_step});
}

std::uint64_t Feeder::held_bytes() const {
  return (loader_ ? loader_->slab_bytes() : 0) + (feeding_.held ? feeding_.held->numbers.size() : 0);
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
