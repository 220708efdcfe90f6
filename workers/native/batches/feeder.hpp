// How the batches of a trial reach its steps: as they lie in memory, through the loader, converted in between.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "batches/host_samples.hpp"
#include "batches/pipeline.hpp"
#include "regatta/data/loader.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/tensors.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {

/// Nothing for float32, which the tensors hold. Throws InputError for samples that are no such numbers.
std::optional<HostSamples> samples_held_as(std::string_view host_dtype, const std::vector<model::Tensor>& tensors);

/// The feeding that the parameters host_dtype, input, loader_* and transform ask for.
struct Feeding {
  std::shared_ptr<const HostSamples> held;  ///< x in another type than float32; null: the batches are read as they are
  bool is_piped = false;
  bool is_headspace = false;
  bool converts_in_step = false;  ///< the held samples become float32 there, else in the loader
  int loader_threads = 0;
  std::int64_t loader_depth = 0;
};

/// Throws InputError for samples that are no such numbers.
Feeding feeding_of(const sweep::Parameters& parameters, const std::vector<model::Tensor>& tensors);

class Feeder {
 public:
  /// Refers to the values of both.
  Feeder(Feeding feeding, const std::vector<model::Tensor>& tensors, std::span<const engine::Batch> batches);

  /// Takes one step on the next batch; from the first again after the last. The step is over when this returns, but
  /// where the batch stays as it is.
  void step(engine::Session& session) {
    if (loader_ == nullptr && !feeding_.converts_in_step)
      session.step(next_batch());
    else
      step_on_made(session);
  }

  [[nodiscard]] const data::Loader* loader() const { return loader_.get(); }  ///< null: there is none
  [[nodiscard]] std::uint64_t held_bytes() const;                             ///< besides the tensors

 private:
  Feeding feeding_;
  std::span<const engine::Batch> batches_;
  std::size_t next_ = 0;
  std::unique_ptr<data::Loader> loader_;
  std::vector<float> floats_;  ///< x of the batch that a step has converted

  const engine::Batch& next_batch() {
    const engine::Batch& batch = batches_[next_];
    if (++next_ == batches_.size()) next_ = 0;
    return batch;
  }
  void step_on_made(engine::Session& session);
  void step_on_held(engine::Session& session, engine::Batch batch, const std::byte* x);
};

}  // namespace regatta::worker
