// The functions of cuDNN that are used, as a table: the library is opened when it is needed, so that a plugin loads
// where it is missing. Tests put a table of their own behind open_library().
#pragma once

#include <cudnn_graph.h>

#include <optional>
#include <string>

namespace regatta::engine::cuda {

struct CudnnLibrary {
  decltype(&cudnnGetVersion) get_version = nullptr;
  decltype(&cudnnGetErrorString) error_string = nullptr;
  decltype(&cudnnGetLastErrorString) last_error_string = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set_attribute = nullptr;
  decltype(&cudnnBackendGetAttribute) get_attribute = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
};

struct OpenedCudnn {
  std::optional<CudnnLibrary> library;
  std::string missing;  ///< why there is none, and what to do
};

/// Never closed again: cuDNN keeps threads and memory of its own. A library of another major version counts as missing.
OpenedCudnn open_cudnn();

/// The same from the library at `path`.
OpenedCudnn open_cudnn_at(const char* path);

/// "9.19.0", from what the library's get_version tells.
std::string cudnn_version_text(std::size_t version);

}  // namespace regatta::engine::cuda
