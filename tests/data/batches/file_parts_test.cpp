#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/arrays.hpp"
#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using model::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

model::Network classifier(std::int64_t inputs, std::int64_t classes) {
  model::Network network;
  network.name = "mine";
  network.input = {inputs};
  network.loss = model::Loss::sparse_categorical_crossentropy;
  network.layers.push_back(model::Dense{classes, model::Activation::softmax});
  return network;
}

class FileParts : public testing::Test {
 protected:
  FileParts() : folder_(testing::TempDir() + "parts-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~FileParts() override { std::filesystem::remove_all(folder_); }

  std::string written(const std::string& name, const std::string& bytes) {
    write_file_atomically(folder_ / name, bytes);
    return folder_ / name;
  }

  std::string packed(const std::string& name, const std::vector<Array>& arrays) {
    write_raw(folder_ / name, arrays);
    return folder_ / (name + ".json");
  }

  std::filesystem::path folder_;
};

/// Rows of three kinds, one kind behind the other; the first column counts them from 100.
std::string sorted_table(int rows_of_each) {
  std::string text = "a,kind\n";
  for (int row = 0; row < 3 * rows_of_each; ++row)
    text += std::to_string(100 + row) + "," + "xyz"[row / rows_of_each] + "\n";
  return text;
}

std::vector<std::int32_t> classes_in(const Tensor& tensor) {
  return std::get<std::vector<std::int32_t>>(tensor.values);
}
std::vector<float> floats_in(const Tensor& tensor) { return std::get<std::vector<float>>(tensor.values); }

std::string refused_parts(const model::Network& network, const DataFiles& files) {
  try {
    file_parts(network, files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FileParts, OfASortedTableHaveAllClasses) {
  DataFiles files;
  files.data = written("sorted.csv", sorted_table(50));
  files.label_column = "kind";
  const auto set = file_parts(classifier(1, 3), files);
  EXPECT_EQ(set[0].shape, (model::Shape{120, 1}));
  for (const std::int32_t each : {0, 1, 2}) EXPECT_EQ(std::ranges::count(classes_in(set[3]), each), 10);
  std::set<float> rows;
  for (const Tensor* part : {&set[0], &set[2]})
    for (const float row : floats_in(*part)) rows.insert(row);
  EXPECT_EQ(rows.size(), 150U) << "each row once";
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(classes_in(set[3])[i], static_cast<int>(floats_in(set[2])[i] - 100) / 50) << "labels go with their rows";
  const auto again = file_parts(classifier(1, 3), files);
  EXPECT_EQ(floats_in(set[2]), floats_in(again[2])) << "drawn once for all";
}

TEST_F(FileParts, FollowTheSplit) {
  DataFiles files;
  files.data = written("sorted.csv", sorted_table(10));
  files.label_column = "kind";
  files.split.test = 0.1;
  EXPECT_EQ(file_parts(classifier(1, 3), files)[2].shape.front(), 3);
  files.split.order = RowOrder::time;
  EXPECT_THAT(floats_in(file_parts(classifier(1, 3), files)[2]), ElementsAre(127, 128, 129));
  files.split.test = 0.5;
  EXPECT_THAT(refused_parts(classifier(1, 3), files),
              HasSubstr("the test part holds the class 2 (\"z\"), which no row of the training part has"));
  files.split = {};
  files.split.group_column = "who";
  std::string text = "a,who,kind\n";
  for (int row = 0; row < 40; ++row)
    text += std::to_string(row) + ",p" + std::to_string(row / 4) + "," + "xy"[row % 2] + "\n";
  files.data = written("groups.csv", text);
  const auto set = file_parts(classifier(1, 2), files);
  EXPECT_EQ(set[2].shape, (model::Shape{8, 1}));
  std::set<int> groups;
  for (const float row : floats_in(set[2])) groups.insert(static_cast<int>(row) / 4);
  EXPECT_EQ(groups.size(), 2U);
}

TEST_F(FileParts, AreDrawnWhereLabelsAreNumbers) {
  std::string text = "a,price\n";
  for (int row = 0; row < 20; ++row) text += std::to_string(row) + "," + std::to_string(row) + ".5\n";
  DataFiles files;
  files.data = written("prices.csv", text);
  files.label_column = "price";
  model::Network network = classifier(1, 1);
  network.loss = model::Loss::mse;
  network.layers = {model::Dense{1}};
  const std::vector<float> tested = floats_in(file_parts(network, files)[2]);
  EXPECT_EQ(tested.size(), 4U);
  EXPECT_LT(*std::ranges::min_element(tested), 16) << "not the last rows alone";
  files.split.stratified = true;
  EXPECT_THAT(refused_parts(network, files), HasSubstr("\"stratified\" needs labels that are classes"));
}

TEST_F(FileParts, ComeFromAFileOfTheirOwn) {
  DataFiles files;
  files.data = written("train.csv", "a,color,kind\n1,red,cat\n2,blue,dog\n3,red,cat\n");
  files.test = written("test.csv", "a,color,kind\n7,blue,dog\n8,red,cat\n");
  files.label_column = "kind";
  const auto set = file_parts(classifier(2, 2), files);
  EXPECT_THAT(floats_in(set[0]), ElementsAre(1, 0, 2, 1, 3, 0));
  EXPECT_THAT(floats_in(set[2]), ElementsAre(7, 1, 8, 0)) << "blue is 1 here as there";
  EXPECT_THAT(classes_in(set[3]), ElementsAre(1, 0)) << "and dog is 1";
  files.test = written("test.csv", "a,color,kind\n7,blue,cow\n");
  EXPECT_THAT(refused_parts(classifier(2, 2), files),
              HasSubstr("the array of labels holds \"cow\", which the training part does not"));
  files.test = written("test.csv", "b,color,kind\n7,blue,dog\n");
  EXPECT_THAT(refused_parts(classifier(2, 2), files),
              HasSubstr("has the columns b, color, and the training part a, color"));
  files.test = written("test.csv", "a,color,kind\n7,5,dog\n");
  EXPECT_THAT(refused_parts(classifier(2, 2), files), HasSubstr("the column \"color\" holds numbers where"));
}

TEST_F(FileParts, HoldAValidationPartOfItsOwnBehindTheTrainingPart) {
  DataFiles files;
  files.data = written("train.csv", "a,color,kind\n1,red,cat\n2,blue,dog\n3,red,cat\n");
  files.validation = written("valid.csv", "a,color,kind\n7,blue,dog\n8,red,cat\n");
  files.test = written("test.csv", "a,color,kind\n9,blue,cat\n");
  files.label_column = "kind";
  const auto set = file_parts(classifier(2, 2), files);
  ASSERT_EQ(set.size(), 5U);
  EXPECT_EQ(set[0].shape, (model::Shape{5, 2}));
  EXPECT_THAT(floats_in(set[0]), ElementsAre(1, 0, 2, 1, 3, 0, 7, 1, 8, 0)) << "blue is 1 in both files";
  EXPECT_THAT(classes_in(set[1]), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(floats_in(set[2]), ElementsAre(9, 1));
  EXPECT_EQ(set[4].name, validation_rows);
  EXPECT_THAT(classes_in(set[4]), ElementsAre(2));
}

TEST_F(FileParts, WithAValidationFileAreStillDividedForTheTest) {
  DataFiles files;
  files.data = written("sorted.csv", sorted_table(10));
  files.validation = written("valid.csv", "a,kind\n7,x\n8,z\n");
  files.label_column = "kind";
  const auto set = file_parts(classifier(1, 3), files);
  EXPECT_EQ(set[0].shape.front(), 24 + 2);
  EXPECT_EQ(set[2].shape.front(), 6);
  EXPECT_THAT(classes_in(set[4]), ElementsAre(2));
  files.data = written("groups.csv", "a,who,kind\n1,p,x\n2,p,y\n3,q,x\n4,q,y\n5,r,x\n6,r,y\n");
  files.validation = written("valid.csv", "a,who,kind\n7,s,x\n");
  files.split.group_column = "who";
  EXPECT_EQ(file_parts(classifier(1, 2), files)[0].shape, (model::Shape{5, 1})) << "groups are no column to learn from";
}

TEST_F(FileParts, OfAValidationFileThatDoesNotBelongAreRefused) {
  DataFiles files;
  files.data = written("train.csv", "a,kind\n1,0\n2,1\n3,0\n4,1\n5,0\n");
  files.test = written("test.csv", "a,kind\n1,0\n");
  files.label_column = "kind";
  files.validation = written("valid.csv", "a,kind\n7,2\n");
  EXPECT_THAT(refused_parts(classifier(1, 3), files),
              HasSubstr("valid.csv': the validation part holds the class 2, which no row of the training part has"));
  files.validation = written("valid.csv", "a,b,kind\n7,1,0\n");
  EXPECT_THAT(refused_parts(classifier(1, 3), files),
              HasSubstr("valid.csv' has rows of shape (2), and the training part of shape (1)"));
  files.validation = packed("v", {array_of<float>("x", ElementType::float32, {1}, {1})});
  files.label_column.clear();
  files.data = packed("x", {array_of<float>("x", ElementType::float32, {1}, {1, 2, 3, 4, 5}),
                            array_of<std::int32_t>("y", ElementType::int32, {}, {0, 1, 0, 1, 0})});
  files.test.clear();
  EXPECT_THAT(refused_parts(classifier(1, 2), files), HasSubstr("name a file \"validation_labels\""));
}

TEST_F(FileParts, MayHoldLabelsInAThirdFile) {
  DataFiles files;
  files.data = packed("x", {array_of<float>("x", ElementType::float32, {1}, {1, 2})});
  files.labels = packed("y", {array_of<std::int32_t>("y", ElementType::int32, {}, {1, 0})});
  files.test = packed("tx", {array_of<float>("x", ElementType::float32, {1}, {5})});
  EXPECT_THAT(refused_parts(classifier(1, 2), files),
              HasSubstr("has no labels (a training step needs them); name a file "
                        "\"test_labels\""));
  files.test_labels = packed("ty", {array_of<std::int32_t>("y", ElementType::int32, {}, {1})});
  EXPECT_THAT(classes_in(file_parts(classifier(1, 2), files)[3]), ElementsAre(1));
  files.test_labels = packed("ty", {array_of<std::int32_t>("y", ElementType::int32, {}, {2})});
  EXPECT_THAT(refused_parts(classifier(1, 3), files), HasSubstr("the test part holds the class 2, which no row"));
}

TEST_F(FileParts, AreTheArraysThatAreNamedSo) {
  DataFiles files;  // in the order of Keras' mnist.npz, in which the test part comes first
  files.data = packed("m", {array_of<std::uint8_t>("x_test", ElementType::uint8, {1}, {51}),
                            array_of<std::uint8_t>("x_train", ElementType::uint8, {1}, {0, 255}),
                            array_of<std::uint8_t>("y_train", ElementType::uint8, {}, {0, 1}),
                            array_of<std::uint8_t>("y_test", ElementType::uint8, {}, {1})});
  const auto set = file_parts(classifier(1, 2), files);
  EXPECT_THAT(floats_in(set[0]), ElementsAre(0, 1));
  EXPECT_THAT(classes_in(set[1]), ElementsAre(0, 1));
  EXPECT_THAT(floats_in(set[2]), ElementsAre(testing::FloatEq(0.2F)));
  EXPECT_THAT(classes_in(set[3]), ElementsAre(1));
  DataFiles twice = files;
  twice.test = files.data;
  EXPECT_THAT(classes_in(file_parts(classifier(1, 2), twice)[3]), ElementsAre(1)) << "not the training part";
  twice.test = packed("t", {array_of<std::uint8_t>("x_test", ElementType::uint8, {1}, {102}),
                            array_of<std::uint8_t>("y_test", ElementType::uint8, {}, {0})});
  EXPECT_THAT(classes_in(file_parts(classifier(1, 2), twice)[3]), ElementsAre(0));
  files.split.test = 0.5;
  EXPECT_THAT(refused_parts(classifier(1, 2), files),
              HasSubstr("brings its own test part (x_test); leave out \"split\""));
  files.split = {};
  files.data = packed(
      "o", {array_of<float>("a", ElementType::float32, {1}, {1}), array_of<float>("b", ElementType::float32, {1}, {1}),
            array_of<float>("c", ElementType::float32, {1}, {1})});
  EXPECT_THAT(refused_parts(classifier(1, 2), files), HasSubstr("holds the arrays a, b, c: none is called x"));
}

TEST_F(FileParts, LieBesideTrainingFilesOfTheMnistFamily) {
  const auto idx = [](const std::string& axes, const std::string& bytes) {
    return std::string("\0\0\x08", 3) + axes + bytes;
  };
  const std::string seven_of_one("\2\0\0\0\7\0\0\0\1", 9);
  const std::string one_of_one("\2\0\0\0\1\0\0\0\1", 9);
  DataFiles files;
  files.data = written("my-train-images-idx3-ubyte", idx(seven_of_one, std::string("\0\1\2\3\4\5\6", 7)));
  files.labels =
      written("my-train-labels-idx1-ubyte", idx(std::string("\1\0\0\0\7", 5), std::string("\0\1\0\1\0\1\0", 7)));
  EXPECT_EQ(file_parts(classifier(1, 2), files)[0].shape.front(), 6) << "alone it is divided";
  written("my-t10k-images-idx3-ubyte", idx(one_of_one, "\xff"));
  EXPECT_EQ(file_parts(classifier(1, 2), files)[0].shape.front(), 6) << "without its labels, too";
  written("my-t10k-labels-idx1-ubyte", idx(std::string("\1\0\0\0\1", 5), "\1"));
  const auto set = file_parts(classifier(1, 2), files);
  EXPECT_EQ(set[0].shape.front(), 7);
  EXPECT_THAT(floats_in(set[2]), ElementsAre(1));
  EXPECT_THAT(classes_in(set[3]), ElementsAre(1));
  files.split.test = 0.3;
  EXPECT_EQ(file_parts(classifier(1, 2), files)[2].shape.front(), 2) << "the sweep says otherwise";
}

TEST_F(FileParts, OfBinaryLabelsAreSharesFromZeroToOne) {
  DataFiles files;
  files.data = written("b.csv", "a,y\n1,-1\n2,1\n3,-1\n4,1\n5,1\n");
  files.label_column = "y";
  model::Network network = classifier(1, 1);
  network.loss = model::Loss::binary_crossentropy;
  network.layers = {model::Dense{1, model::Activation::sigmoid}};
  EXPECT_THAT(refused_parts(network, files), HasSubstr("'y' of the data holds -1 in sample 1"));
  files.data = written("b.csv", "a,y\n1,0\n2,1\n3,0\n4,1\n5,1\n6,0\n7,0\n8,0\n9,0\n10,1\n");
  EXPECT_THAT(floats_in(file_parts(network, files)[3]), UnorderedElementsAre(0, 1));
}

}  // namespace
}  // namespace regatta::data
