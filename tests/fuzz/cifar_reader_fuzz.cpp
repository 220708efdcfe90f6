// Any bytes as a file of CIFAR's, of 10 or of 100 classes: arrays of which every row can be read, or an InputError that
// names the file; never anything else (CONTRIBUTING.md).
#include <cstdint>
#include <string>

#include "fuzz/data_files.hpp"
#include "regatta/data/formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace regatta::data;
  for (const CifarLabels labels : {CifarLabels::of_10, CifarLabels::of_20_and_100})
    regatta::fuzz::read_or_refuse(data, size, [=](const FileBytes& file) { return parse_cifar(file, labels); });
  return 0;
}
