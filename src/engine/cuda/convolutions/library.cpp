#include "engine/cuda/convolutions/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace regatta::engine::cuda {

namespace {

constexpr const char* kConsequence =
    "(convolutions become products of unfolded inputs, which read and write more memory)";

// Version 9.19.0 is 91900; 8.9.7 was 8907.
constexpr std::size_t kMajor = 10000, kOldMajor = 1000, kMinor = 100;

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Name of the first function that the library lacks; null: none.
const char* fill(void* library, CudnnLibrary& table) {
  const char* lacking = nullptr;
  const auto want = [&](const char* name, auto& function) {
    if (!look_up(library, name, function) && lacking == nullptr) lacking = name;
  };
  want("cudnnGetVersion", table.get_version);
  want("cudnnGetErrorString", table.error_string);
  want("cudnnGetLastErrorString", table.last_error_string);
  want("cudnnCreate", table.create);
  want("cudnnDestroy", table.destroy);
  want("cudnnSetStream", table.set_stream);
  want("cudnnBackendCreateDescriptor", table.create_descriptor);
  want("cudnnBackendDestroyDescriptor", table.destroy_descriptor);
  want("cudnnBackendSetAttribute", table.set_attribute);
  want("cudnnBackendGetAttribute", table.get_attribute);
  want("cudnnBackendFinalize", table.finalize);
  want("cudnnBackendExecute", table.execute);
  return lacking;
}

}  // namespace

OpenedCudnn open_cudnn_at(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {{},
            fmt::format("cuDNN 9 is missing: {} {}; install it, or add its folder to LD_LIBRARY_PATH", dlerror(),
                        kConsequence)};
  }
  CudnnLibrary table;
  if (const char* const lacking = fill(library, table)) {
    return {{}, fmt::format("{} has no {} {}; install cuDNN 9", path, lacking, kConsequence)};
  }
  const std::size_t version = table.get_version();
  if (version / kMajor != CUDNN_MAJOR) {
    return {{},
            fmt::format("{} is version {} of cuDNN, this build is for {} {}; install that one", path,
                        cudnn_version_text(version), CUDNN_MAJOR, kConsequence)};
  }
  return {table, ""};
}

std::string cudnn_version_text(std::size_t version) {
  const std::size_t major = version < kMajor ? kOldMajor : kMajor;
  const std::size_t rest = version % major;
  return fmt::format("{}.{}.{}", version / major, rest / kMinor, rest % kMinor);
}

}  // namespace regatta::engine::cuda
