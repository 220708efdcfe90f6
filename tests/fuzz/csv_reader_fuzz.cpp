// Any bytes as a CSV file, read with options that the first byte chooses: a table, or an InputError; never anything
// else (CONTRIBUTING.md).
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/data_files.hpp"
#include "regatta/data/formats.hpp"

namespace {

using namespace regatta::data;

CsvOptions options_of(std::uint8_t choice) {
  CsvOptions options;
  if ((choice & 1) != 0) options.label = "0";
  if ((choice & 2) != 0) options.label = "kind";
  if ((choice & 4) != 0) options.has_header = (choice & 8) != 0;
  if ((choice & 16) != 0) options.delimiter = ",;\t|"[choice >> 6];
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return regatta::fuzz::read_or_refuse(data + 1, size - 1, [=](const FileBytes& file) {
    std::vector<Array> arrays = parse_csv(file, options_of(data[0]), regatta::fuzz::memory_cap_bytes);
    for (const Array& array : arrays) {
      if (array.count < 1 || array.count != arrays.front().count) std::abort();
    }
    const Array& x = arrays.front();
    if (x.name == "x" && static_cast<std::int64_t>(x.columns.size()) != x.shape.at(0)) std::abort();
    return arrays;
  });
}
