// Any bytes as a .safetensors file: tensors whose values are as many as their shapes say, or an InputError that names
// the file; never anything else (CONTRIBUTING.md).
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/tensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace regatta;
  const UniqueFd file = make_shared_memory("bytes-of-fuzz", 0);
  const std::string path = path_of_descriptor(file.get());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    for (const model::Tensor& tensor : model::read_safetensors(path)) {
      const auto count = std::visit([](const auto& values) { return values.size(); }, tensor.values);
      if (count != static_cast<std::size_t>(model::element_count(tensor.shape))) std::abort();
    }
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find(path) != std::string_view::npos) return 0;
    std::cerr << error.what() << '\n';
    std::abort();
  }
  return 0;
}
