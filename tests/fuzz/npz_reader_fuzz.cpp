// Any bytes as a .npz file: arrays of which every row can be read, or an InputError that names the file; never anything
// else (CONTRIBUTING.md). Without libzip every file is refused.
#include <cstdint>
#include <string>

#include "fuzz/data_files.hpp"
#include "regatta/data/formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace regatta::data;
  return regatta::fuzz::read_or_refuse(
      data, size, [](const FileBytes& file) { return parse_npz(file, regatta::fuzz::memory_cap_bytes); });
}
