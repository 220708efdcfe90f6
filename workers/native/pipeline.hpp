// The input `pipeline`: rows of the batches, put together anew for each step by Regatta's loader.
#pragma once

#include <memory>
#include <vector>

#include "regatta/data/loader.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::worker {

/// Gives the rows of "x" and "y" (n, batch, ...) in their order, again and again, in batches as large. `threads` make
/// them ahead of the step; 0: the step does. Refers to `tensors`. Throws InputError, std::bad_alloc.
std::unique_ptr<data::Loader> make_pipeline(const std::vector<model::Tensor>& tensors, int threads);

/// The batch of a step, where the loader put it.
engine::Batch batch_in(const data::Loader& loader, const data::LoadedBatch& loaded);

}  // namespace regatta::worker
