// https://www.cs.toronto.edu/~kriz/cifar.html, section "Binary version".
#include <fmt/format.h>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t picture_bytes = 3 * 32 * 32;  // red, green, blue; each by rows

struct LabelByte {
  const char* name;
  int classes;
};

/// The bytes of one place in every record, as an array of its own.
Array strided(const FileBytes& file, std::string name, std::vector<std::int64_t> shape, std::size_t offset,
              std::size_t record_bytes) {
  Array array;
  array.name = std::move(name);
  array.shape = std::move(shape);
  array.count = static_cast<std::int64_t>(file.bytes.size() / record_bytes);
  array.first = reinterpret_cast<const std::byte*>(file.bytes.data()) + offset;
  array.stride_bytes = record_bytes;
  array.owner = file.owner;
  return array;
}

void check_classes(const FileBytes& file, const Array& labels, int classes, std::size_t offset) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(labels.count); ++row) {
    const int label = std::to_integer<int>(labels.first[row * labels.stride_bytes]);
    if (label < classes) continue;
    refuse_damaged(file, row * labels.stride_bytes + offset,
                   fmt::format("found the label {} in record {}, expected 0 to {}", label, row, classes - 1));
  }
}

}  // namespace

std::vector<Array> parse_cifar(const FileBytes& file, CifarLabels labels) {
  const std::vector<LabelByte> label_bytes = labels == CifarLabels::of_10
                                                 ? std::vector<LabelByte>{{"y", 10}}
                                                 : std::vector<LabelByte>{{"coarse", 20}, {"y", 100}};
  const std::size_t record_bytes = label_bytes.size() + picture_bytes;
  if (file.bytes.empty() || file.bytes.size() % record_bytes != 0) {
    refuse_damaged(file, file.bytes.size() / record_bytes * record_bytes,
                   fmt::format("it has {} bytes, which is no multiple of {} ({} of labels and {} of pixels)",
                               file.bytes.size(), record_bytes, label_bytes.size(), picture_bytes));
  }
  std::vector<Array> arrays{strided(file, "x", {3, 32, 32}, label_bytes.size(), record_bytes)};
  for (std::size_t at = 0; at < label_bytes.size(); ++at) {
    arrays.push_back(strided(file, label_bytes[at].name, {}, at, record_bytes));
    check_classes(file, arrays.back(), label_bytes[at].classes, at);
  }
  return arrays;
}

}  // namespace regatta::data
