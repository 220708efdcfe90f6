#include "regatta/data/data_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DataFiles, AreReadFromAnEntryOfASweep) {
  const DataFiles files = parse_data_files(
      R"({"data":"/x.csv","label_column":"kind","scale":0.5,"shift":-1.0,"delimiter":";","header":false,"decimal":",",)"
      R"("missing":["?"],"columns":["a",""],"categories":["b"]})",
      "--dataset");
  EXPECT_EQ(files.data, "/x.csv");
  EXPECT_EQ(files.label_column, "kind");
  EXPECT_EQ(files.scale, 0.5);
  EXPECT_EQ(files.shift, -1);
  EXPECT_EQ(files.table.delimiter, ';');
  EXPECT_EQ(files.table.has_header, false);
  EXPECT_EQ(files.table.decimal, ',');
  EXPECT_THAT(files.table.missing, ElementsAre("?"));
  EXPECT_THAT(files.table.columns, ElementsAre("a", ""));
  EXPECT_THAT(files.table.categories, ElementsAre("b"));
  const DataFiles parted = parse_data_files(
      R"({"data":"x.npy","test":"t.npy","test_labels":"l.npy","split":{"test":0.25,"stratified":false,"order":"time",)"
      R"("group_column":"g"},"validation":"v.npy","validation_labels":"w.npy"})",
      "--dataset");
  EXPECT_EQ(parted.test, "t.npy");
  EXPECT_EQ(parted.test_labels, "l.npy");
  EXPECT_EQ(parted.validation, "v.npy");
  EXPECT_EQ(parted.validation_labels, "w.npy");
  EXPECT_EQ(parted.split, (SplitRule{.test = 0.25, .stratified = false, .order = RowOrder::time, .group_column = "g"}));
  const DataFiles plain = parse_data_files(R"({"data":"x.npy"})", "--dataset");
  EXPECT_EQ(plain.scale, std::nullopt);
  EXPECT_FALSE(plain.table.decimal);
}

TEST(DataFiles, HaveNoOtherKeys) {
  try {
    parse_data_files(R"({"data":"x.npy","label":"y"})", "--dataset");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("label"));
  }
}

}  // namespace
}  // namespace regatta::data
