// Any bytes as the sidecar of a raw file: arrays that lie inside the file, or an InputError; never anything else.
// Arrays that are read are written and read again (CONTRIBUTING.md).
#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/formats/formats.hpp"
#include "fuzz/data_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace regatta::data;
  static const std::string raw(1000, 'r');
  const OpenRaw open = [](const std::string& name) {
    if (name.find('/') != std::string::npos || name == "..") std::abort();
    return FileBytes{"x.raw", raw, nullptr};
  };
  return regatta::fuzz::read_or_refuse(data, size, [&](const FileBytes& file) {
    std::vector<Array> arrays = parse_sidecar(file, open);
    std::vector<std::size_t> offsets;
    for (const Array& array : arrays)
      offsets.push_back(
          array.count == 0 ? 0 : static_cast<std::size_t>(reinterpret_cast<const char*>(array.first) - raw.data()));
    const std::string text = sidecar_text("x.raw", raw.size(), arrays, offsets);
    if (parse_sidecar({"x", text, nullptr}, open).size() != arrays.size()) std::abort();
    return arrays;
  });
}
