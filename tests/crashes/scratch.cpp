#include "scratch.hpp"

#include <stdlib.h>

#include <stdexcept>
#include <string>

namespace regatta::crashes {

Scratch::Scratch() {
  const bool has_memory = std::filesystem::is_directory("/dev/shm");
  const std::filesystem::path base = has_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string name = (base / "regatta-crash-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create a folder for the test");
  path_ = name;
}

Scratch::~Scratch() { std::filesystem::remove_all(path_); }

}  // namespace regatta::crashes
