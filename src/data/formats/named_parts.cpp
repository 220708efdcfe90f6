#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

// Names that scikit-learn, Keras, MedMNIST and many courses give.
constexpr auto names_of_x = std::to_array<std::string_view>(
    {"x", "x_train", "train_x", "xtrain", "train_images", "train_data", "images", "data", "features", "inputs"});
constexpr auto names_of_y = std::to_array<std::string_view>(
    {"y", "y_train", "train_y", "ytrain", "train_labels", "train_targets", "labels", "label", "target", "targets"});
constexpr auto names_of_test_x =
    std::to_array<std::string_view>({"x_test", "test_x", "xtest", "test_images", "test_data"});
constexpr auto names_of_test_y =
    std::to_array<std::string_view>({"y_test", "test_y", "ytest", "test_labels", "test_targets"});

bool equal_but_for_case(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
}

template <std::size_t Count>
const Array* first_named(const std::vector<Array>& arrays, const std::array<std::string_view, Count>& names) {
  for (const std::string_view name : names) {
    const auto found =
        std::ranges::find_if(arrays, [&](const Array& array) { return equal_but_for_case(array.name, name); });
    if (found != arrays.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

NamedParts named_parts(const std::vector<Array>& arrays) {
  return {.x = first_named(arrays, names_of_x),
          .y = first_named(arrays, names_of_y),
          .test_x = first_named(arrays, names_of_test_x),
          .test_y = first_named(arrays, names_of_test_y)};
}

}  // namespace regatta::data
