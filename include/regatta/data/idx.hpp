// The IDX format of the MNIST family (http://yann.lecun.com/exdb/mnist, section FILE FORMATS).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::data {

struct IdxArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;  ///< element type 0x08, unsigned byte
};

/// Throws InputError naming `name` and the offset of the damage (bad magic, size that does not match, cut short).
IdxArray parse_idx(std::string_view bytes, const std::string& name);

}  // namespace regatta::data
