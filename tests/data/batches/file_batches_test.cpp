#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "data/arrays.hpp"
#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/data/formats.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::data {
namespace {

using model::Shape;
using model::Tensor;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

model::Network network_of(Shape input, std::int64_t outputs, model::Loss loss) {
  model::Network network;
  network.name = "mine";
  network.input = std::move(input);
  network.loss = loss;
  const bool is_softmax = loss == model::Loss::sparse_categorical_crossentropy;
  network.layers.push_back(model::Dense{outputs, is_softmax ? model::Activation::softmax : model::Activation::none});
  return network;
}

class FileBatches : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& bytes) {
    write_file_atomically(folder_ / name, bytes);
    return folder_ / name;
  }

  std::string packed(const std::string& name, const std::vector<Array>& arrays) {
    write_raw(folder_ / name, arrays);
    return folder_ / (name + ".json");
  }

  support::TemporaryFolder folder_;
};

std::string refusal(const model::Network& network, const DataFiles& files) {
  try {
    file_batches(network, {1, 2}, files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FileBatches, AreRowsInTheirOrderAndThenTheFirstOnesAgain) {
  DataFiles files;
  files.data = written("c.csv", "a,b,kind\n1,2,oak\n3,4,elm\n5,6,oak\n");
  files.label_column = "kind";
  const auto batches = file_batches(network_of({2}, 2, model::Loss::sparse_categorical_crossentropy), {2, 2}, files);
  EXPECT_EQ(batches[0].shape, (Shape{2, 2, 2}));
  EXPECT_THAT(std::get<std::vector<float>>(batches[0].values), ElementsAre(1, 2, 3, 4, 5, 6, 1, 2));
  EXPECT_EQ(batches[1].shape, (Shape{2, 2}));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(batches[1].values), ElementsAre(0, 1, 0, 0));
}

TEST_F(FileBatches, DivideBytesBy255UnlessAScaleIsGiven) {
  DataFiles files;
  files.data = packed("p", {array_of<std::uint8_t>("x", ElementType::uint8, {1}, {0, 255}),
                            array_of<float>("y", ElementType::float32, {1}, {0.5F, 1.5F})});
  const model::Network network = network_of({1}, 1, model::Loss::mse);
  const auto divided = file_batches(network, {1, 2}, files);
  EXPECT_THAT(std::get<std::vector<float>>(divided[0].values), ElementsAre(0, 1));
  EXPECT_THAT(std::get<std::vector<float>>(model::tensor_named(divided, scale_of_x).values), ElementsAre(1.0F / 255));
  files.scale = 0.5;
  files.shift = -1;
  const auto scaled = file_batches(network, {1, 2}, files);
  EXPECT_EQ(scaled.size(), 2U) << "no scale alone makes them of the bytes";
  EXPECT_THAT(std::get<std::vector<float>>(scaled[0].values), ElementsAre(-1, 126.5F));
  EXPECT_THAT(std::get<std::vector<float>>(scaled[1].values), ElementsAre(0.5F, 1.5F));
}

TEST_F(FileBatches, TakeLabelsFromAFileOfTheirOwn) {
  DataFiles files;
  files.data = packed("x", {array_of<float>("x", ElementType::float32, {1}, {1, 2})});
  files.labels = packed("y", {array_of<std::int64_t>("labels", ElementType::int64, {}, {1, 0})});
  const auto batches = file_batches(network_of({1}, 2, model::Loss::sparse_categorical_crossentropy), {1, 2}, files);
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(batches[1].values), ElementsAre(1, 0));
}

TEST_F(FileBatches, TakeLabelsFromATableOfOneColumn) {
  DataFiles files;
  files.data = packed("x", {array_of<float>("x", ElementType::float32, {1}, {1, 2})});
  files.labels = written("y.csv", "kind\n1\n0\n");
  const auto batches = file_batches(network_of({1}, 2, model::Loss::sparse_categorical_crossentropy), {1, 2}, files);
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(batches[1].values), ElementsAre(1, 0));
}

TEST_F(FileBatches, TakeFloatsThatAreWholeNumbersAsClasses) {
  const model::Network network = network_of({1}, 3, model::Loss::sparse_categorical_crossentropy);
  const auto with_labels = [&](std::vector<float> labels) {
    DataFiles files;
    files.data = packed("p", {array_of<float>("x", ElementType::float32, {1}, {1, 2}),
                              array_of<float>("y", ElementType::float32, {}, std::move(labels))});
    return files;
  };
  const auto batches = file_batches(network, {1, 2}, with_labels({2, 0}));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(batches[1].values), ElementsAre(2, 0));
  for (const float wrong : {0.5F, -1.0F, 3.0F, std::numeric_limits<float>::quiet_NaN(), 1e30F})
    EXPECT_THAT(refusal(network, with_labels({0, wrong})), HasSubstr("the whole numbers 0 to 2")) << wrong;
}

TEST_F(FileBatches, HaveNoMissingValueWhereTheyAreTrainedOn) {
  DataFiles files;
  files.data = written("m.csv", "a,b,kind\n1,2,oak\n3,,elm\n");
  files.label_column = "kind";
  const model::Network network = network_of({2}, 2, model::Loss::sparse_categorical_crossentropy);
  EXPECT_EQ(refusal(network, files), "no error") << "a benchmark";
  const auto trained = [&](const model::Network& model) -> std::string {
    try {
      return std::to_string(finite_tensors(read_samples(files), model, files)[0].shape[1]) + " samples";
    } catch (const DoesNotFit& error) {
      return std::string("does not fit: ") + error.what();
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(trained(network), AllOf(HasSubstr("m.csv': sample 2"), HasSubstr("column \"b\" is no value")));
  files.data = written("w.csv", "a,b,kind\n1,2,oak\n3,4,elm\n");
  EXPECT_EQ(trained(network), "2 samples");
  EXPECT_THAT(trained(network_of({3}, 2, model::Loss::sparse_categorical_crossentropy)), HasSubstr("does not fit: "));
  EXPECT_THAT(trained(network_of({2}, 1, model::Loss::sparse_categorical_crossentropy)),
              AllOf(HasSubstr("does not fit: mine, '"), HasSubstr("holds 1 in sample 2")));
  files.data =
      packed("p", {array_of<float>("x", ElementType::float32, {2}, {1, 2, 3, 4}),
                   array_of<float>("y", ElementType::float32, {1}, {1, std::numeric_limits<float>::quiet_NaN()})});
  files.label_column.clear();
  EXPECT_THAT(trained(network_of({2}, 1, model::Loss::mse)),
              AllOf(HasSubstr("sample 2"), HasSubstr("is no value (NaN)"), Not(HasSubstr("fit"))));
  EXPECT_THAT(trained(network_of({2}, 2, model::Loss::sparse_categorical_crossentropy)),
              AllOf(HasSubstr("holds nan in sample 2"), Not(HasSubstr("does not fit"))));
}

TEST_F(FileBatches, RefuseAxesInAnotherOrder) {
  DataFiles files;
  files.data = packed("p", {array_of<float>("x", ElementType::float32, {3, 2}, std::vector<float>(12)),
                            array_of<std::int32_t>("y", ElementType::int32, {}, {0, 1})});
  const auto with_input = [](Shape input) {
    model::Network network = network_of(std::move(input), 2, model::Loss::sparse_categorical_crossentropy);
    if (network.input.size() > 1) network.layers.insert(network.layers.begin(), model::Flatten{});
    return network;
  };
  EXPECT_THAT(refusal(with_input({2, 3}), files), HasSubstr("has the axes (3, 2), but the model has (2, 3)"));
  EXPECT_EQ(refusal(with_input({6}), files), "no error") << "flat";
}

TEST_F(FileBatches, RefuseDataThatDoesNotFit) {
  DataFiles files;
  files.data = packed("p", {array_of<float>("x", ElementType::float32, {2}, {1, 2, 3, 4}),
                            array_of<std::int32_t>("y", ElementType::int32, {}, {0, 3})});
  const auto classes = [](Shape input, std::int64_t outputs) {
    return network_of(std::move(input), outputs, model::Loss::sparse_categorical_crossentropy);
  };
  EXPECT_THAT(refusal(classes({3}, 4), files), HasSubstr("2 numbers a sample, shape (2), where the model has (3)"));
  EXPECT_THAT(
      refusal(classes({2}, 3), files),
      HasSubstr("'y' of the data holds 3 in sample 2 (counted from 1), but the model knows the whole numbers 0 to 2"));
  EXPECT_EQ(refusal(classes({2}, 4), files), "no error");
  EXPECT_THAT(refusal(network_of({2}, 2, model::Loss::mse), files), HasSubstr("a label has 1 numbers a sample"));
  files.label_column = "kind";
  EXPECT_THAT(refusal(classes({2}, 4), files), HasSubstr("is no table (it has no column 'kind')"));
  files.label_column.clear();
  files.labels = packed("few", {array_of<std::int32_t>("y", ElementType::int32, {}, {0})});
  EXPECT_THAT(refusal(classes({2}, 4), files), HasSubstr("has 2 rows and its labels 1"));
  files.labels.clear();
  files.data = packed("alone", {array_of<float>("x", ElementType::float32, {2}, {1, 2})});
  EXPECT_THAT(refusal(classes({2}, 4), files), HasSubstr("has no labels"));
}

}  // namespace
}  // namespace regatta::data
