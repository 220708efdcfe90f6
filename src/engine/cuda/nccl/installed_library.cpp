#include "engine/cuda/nccl/library.hpp"

namespace regatta::engine::cuda {

OpenedNccl open_nccl() { return open_nccl_at("libnccl.so.2"); }

}  // namespace regatta::engine::cuda
