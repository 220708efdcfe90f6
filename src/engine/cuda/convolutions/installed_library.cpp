#include "engine/cuda/convolutions/library.hpp"

namespace regatta::engine::cuda {

// This one holds all functions of the table and finds its neighbours by its own place. libcudnn.so.9, which only passes
// calls on, ends the process where it is missing.
OpenedCudnn open_cudnn() { return open_cudnn_at("libcudnn_graph.so.9"); }

}  // namespace regatta::engine::cuda
