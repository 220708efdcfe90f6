// The computation of an engine, in its order.
#pragma once

#include "support/cuda/cudnn/engines.hpp"

namespace regatta::cuda_fakes::cudnn {

struct Pointers {
  const void *x, *w, *y;  ///< one of them is written
  void* workspace;
};

/// `turn` sets the order of engines that have none.
void compute(const Problem& problem, const Configuration& configuration, const Pointers& pointers, std::uint64_t turn);

}  // namespace regatta::cuda_fakes::cudnn
