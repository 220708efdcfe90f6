#include "engine/cuda/cuda.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace regatta::engine::cuda {

void begin_range(const char* name) noexcept { nvtxRangePushA(name); }
void end_range() noexcept { nvtxRangePop(); }

}  // namespace regatta::engine::cuda
#else

namespace regatta::engine::cuda {

void begin_range(const char* /*name*/) noexcept {}
void end_range() noexcept {}

}  // namespace regatta::engine::cuda
#endif
