// The input `pipeline`: rows of the batches, put together anew for each step by Regatta's loader.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "batches/host_samples.hpp"
#include "regatta/data/loader.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/tensors.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::worker {

struct PipelineOptions {
  int threads = 0;            ///< threads that make batches ahead of the step; 0: the step makes them
  std::int64_t depth = 0;     ///< batches made ahead; 0: as many as 4 MiB hold
  bool is_headspace = false;  ///< each batch is made once and given again and again: what a loader without cost gives
  const HostSamples* held = nullptr;  ///< in place of "x", if it has another type; outlives the loader
  bool converts = true;  ///< the held samples become float32 in the loader; else they are given as they are
};

/// "x" and "y" (n, batch, ...), each row of each batch as a row of the array. They point into `tensors`. Throws
/// InputError.
std::vector<data::Array> arrays_of_batches(const std::vector<model::Tensor>& tensors);

/// How a loader gives the rows of batches in their order, again and again, in batches as large. Throws InputError.
data::LoaderOptions options_for_batches(const std::vector<model::Tensor>& tensors);

/// Gives the rows of "x" and "y" (n, batch, ...) in their order, again and again, in batches as large. Refers to
/// `tensors`. Throws InputError, std::bad_alloc.
std::unique_ptr<data::Loader> make_pipeline(const std::vector<model::Tensor>& tensors, const PipelineOptions& asked);

/// The batch of a step, where the loader put it. No x if that is neither float32 nor int32.
engine::Batch batch_in(const data::Loader& loader, const data::LoadedBatch& loaded);

/// Facts about the input of a step, from the loader's times; none if there were no steps.
sweep::Facts input_facts(const data::LoaderTimes& times);

}  // namespace regatta::worker
