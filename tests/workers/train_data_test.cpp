#include "batches/train_data.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::worker {
namespace {

using ::testing::ElementsAre;

DataSet four_rows() {
  return {"d",
          {{"x", {4, 2}, std::vector<float>{0, 1, 10, 11, 20, 21, 30, 31}},
           {"y", {4}, std::vector<std::int32_t>{0, 1, 2, 3}},
           {"test_x", {1, 2}, std::vector<float>{40, 41}},
           {"test_y", {1}, std::vector<std::int32_t>{4}}}};
}

TEST(TrainData, PartsHoldTheRowsThatAreAskedFor) {
  const std::vector<std::uint32_t> wanted = {3, 0};
  const Part part = rows_of(four_rows(), wanted);
  EXPECT_EQ(part.rows(), 2);
  EXPECT_THAT(std::get<std::vector<float>>(part.x.values), ElementsAre(30, 31, 0, 1));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(part.y.values), ElementsAre(3, 0));
  EXPECT_EQ(test_part(four_rows()).rows(), 1);
}

TEST(TrainData, BatchesAreFilledWithTheLastRow) {
  const std::vector<std::uint32_t> wanted = {0, 1, 2};
  const Part part = rows_of(four_rows(), wanted);
  Part into;
  const engine::Batch batch = batch_at(part, 2, 2, into);
  EXPECT_THAT(std::vector(batch.x.begin(), batch.x.end()), ElementsAre(20, 21, 20, 21));
  EXPECT_THAT(std::vector(batch.y_int.begin(), batch.y_int.end()), ElementsAre(2, 2));
  EXPECT_TRUE(batch.x_int.empty() && batch.y_float.empty());
}

TEST(TrainData, TheLoaderReadsThePartItself) {
  const std::vector<std::uint32_t> wanted = {1};
  const Part part = rows_of(four_rows(), wanted);
  const auto arrays = arrays_of(part);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].count, 1);
  EXPECT_THAT(arrays[0].shape, ElementsAre(2));
  EXPECT_EQ(static_cast<const void*>(arrays[0].first), std::get<std::vector<float>>(part.x.values).data());
}

TEST(TrainData, RefusesAFileThatLacksLabelsOrAPart) {
  const support::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  DataSet data = four_rows();
  model::write_safetensors(path, data.tensors);
  EXPECT_EQ(read_data_set(path)->tensors.size(), 4U);
  data.tensors[1].shape = {3};
  std::get<std::vector<std::int32_t>>(data.tensors[1].values).pop_back();
  model::write_safetensors(path, data.tensors);
  EXPECT_THROW(read_data_set(path), InputError);
  data.tensors.pop_back();
  model::write_safetensors(path, data.tensors);
  EXPECT_THROW(read_data_set(path), InputError);
}

}  // namespace
}  // namespace regatta::worker
