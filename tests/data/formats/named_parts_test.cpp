#include <gtest/gtest.h>

#include "data/arrays.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

std::vector<Array> named(const std::vector<std::string>& names) {
  std::vector<Array> arrays;
  for (const std::string& name : names) arrays.push_back(array_of<float>(name, ElementType::float32, {}, {1}));
  return arrays;
}

TEST(NamedParts, HaveTheNamesThatProgramsGive) {
  const std::vector<std::vector<std::string>> all = {{"x_test", "x_train", "y_train", "y_test"},
                                                     {"test_images", "train_images", "train_labels", "test_labels"},
                                                     {"X_test", "X_train", "Y_train", "Y_test"},
                                                     {"test_data", "data", "target", "test_targets"}};
  for (const std::vector<std::string>& names : all) {
    const std::vector<Array> arrays = named(names);
    const NamedParts parts = named_parts(arrays);
    EXPECT_EQ(parts.test_x, &arrays[0]) << names[0];
    EXPECT_EQ(parts.x, &arrays[1]) << names[1];
    EXPECT_EQ(parts.y, &arrays[2]) << names[2];
    EXPECT_EQ(parts.test_y, &arrays[3]) << names[3];
  }
}

TEST(NamedParts, MayBeMissing) {
  const std::vector<Array> arrays = named({"a", "y"});
  EXPECT_EQ(named_parts(arrays).x, nullptr);
  EXPECT_EQ(named_parts(arrays).y, &arrays[1]);
  EXPECT_EQ(named_parts(arrays).test_x, nullptr);
}

}  // namespace
}  // namespace regatta::data
