# The sources of the plugin for CUDA, by room. They are built twice: by nvcc with NVIDIA's libraries, and for tests by
# the C++ compiler with the emulator and the fakes of tests/support/cuda.
set(cuda_sources
  backend.cpp
  convolutions/convolutions.cpp
  convolutions/descriptor.cpp
  convolutions/engines.cpp
  convolutions/library.cpp
  convolutions/operation_graph.cpp
  convolutions/plan.cpp
  convolutions/plans_file.cpp
  convolutions/selection.cpp
  convolutions/shape.cpp
  convolutions/trial.cpp
  device/check.cpp
  devices.cpp
  issuer.cpp
  kernels/dropout.cu
  kernels/elementwise.cu
  kernels/embedding.cu
  kernels/empty.cu
  kernels/fused.cu
  kernels/losses.cu
  kernels/lstm.cu
  kernels/normalization.cu
  kernels/pools.cu
  kernels/sums.cu
  kernels/unfold.cu
  kernels/updates.cu
  memory.cpp
  nccl/library.cpp
  nccl/rank_group.cpp
  plugin.cpp
  products/algorithms_file.cpp
  products/choosing.cpp
  products/convolution.cpp
  products/descriptors.cpp
  products/lstm.cpp
  products/matmul.cpp
  products/products.cpp
  products/trial.cpp
  products/unfolded.cpp
  ranges.cpp
  recording.cpp
  staging.cpp
  suballocator.cpp
  tiled/convolution.cu
  tiled/matmul.cu
  tiled/plan.cpp
  transfers.cpp
)
list(TRANSFORM cuda_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
# In their place tests have fakes of tests/support/cuda.
set(cuda_installed_sources
  convolutions/installed_library.cpp
  nccl/installed_library.cpp
)
list(TRANSFORM cuda_installed_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")

# Options that nvcc needs for them. A multiply and an add are rounded twice, as everywhere in the
# engine. constexpr functions of other folders (random numbers) may be called on the device.
set(cuda_nvcc_options --fmad=false --expt-relaxed-constexpr)
