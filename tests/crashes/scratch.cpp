#include "scratch.hpp"

namespace regatta::crashes {

std::filesystem::path memory_folder() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

}  // namespace regatta::crashes
