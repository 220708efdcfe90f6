#include "engine/device_under_test.hpp"

#include <cstdlib>

#include "support/places.hpp"

namespace regatta::engine {

const std::string& plugin_under_test() {
  // Entered through src/engine/cuda/plugin.cpp.
  static const std::string path = [] {
    const char* const given = std::getenv("REGATTA_TEST_CUDA_PLUGIN");  // the real one, on a machine with a GPU
    setenv("REGATTA_EMULATED_CUDA", "protect=off", 0);  // test_cuda_backend keeps the host off the device's memory
    return given != nullptr ? given : support::binary_folder() + "/tests/support/cuda/libregatta_cuda_emulated.so";
  }();
  return path;
}

}  // namespace regatta::engine
