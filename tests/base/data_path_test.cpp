#include "regatta/base/data_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace regatta {
namespace {

TEST(DataPath, MayNameADatasetOfAnHdf5File) {
  EXPECT_EQ(split_data_path("a/cells.h5:/train/images").file, "a/cells.h5");
  EXPECT_EQ(split_data_path("a/cells.h5:/train/images").dataset, "/train/images");
  EXPECT_EQ(split_data_path("A.HDF5:/x").file, "A.HDF5");
  EXPECT_EQ(split_data_path("A.HDF5:/x").dataset, "/x");
  EXPECT_EQ(split_data_path("grid.nc:/y").file, "grid.nc");
  EXPECT_EQ(split_data_path("cells.mat:/x").dataset, "/x");
}

TEST(DataPath, MayNameADatasetOfAnyFileThatIsThere) {
  const std::string folder = testing::TempDir() + "regatta_data_path";
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/cells.of.no.name";
  std::ofstream(file) << "x";
  EXPECT_EQ(split_data_path(file + ":/train/x").file, file);
  EXPECT_EQ(split_data_path(file + ":/train/x").dataset, "/train/x");
  EXPECT_EQ(split_data_path(file + ":/a:/b").dataset, "/a:/b");
  EXPECT_EQ(split_data_path(folder + ":/x").dataset, "") << "a folder holds no dataset";
  const std::string colon = folder + "/a:";
  std::filesystem::create_directories(colon);
  std::ofstream(colon + "/b.npy") << "x";
  EXPECT_EQ(split_data_path(colon + "/b.npy").dataset, "") << "a file of this very name comes first";
  std::filesystem::remove_all(folder);
}

TEST(TestFiles, LieBesideTrainingFiles) {
  const std::string folder = testing::TempDir() + "regatta_test_files/";
  std::filesystem::create_directories(folder);
  const std::string data = folder + "train-images-idx3-ubyte.gz";
  const std::string labels = folder + "train-labels-idx1-ubyte.gz";
  std::ofstream(folder + "t10k-images-idx3-ubyte.gz") << "x";
  EXPECT_EQ(test_files_beside(data, labels).data, "") << "both are needed";
  std::ofstream(folder + "t10k-labels-idx1-ubyte.gz") << "x";
  EXPECT_EQ(test_files_beside(data, labels).data, folder + "t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(test_files_beside(data, labels).labels, folder + "t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(test_files_beside(folder + "train.csv", "").data, "");
  std::filesystem::remove_all(folder);
}

TEST(DataPath, IsAFileOtherwise) {
  for (const char* path : {"cells.h5", "a:/b.npy", "a.h5:b", "pictures", ""}) {
    EXPECT_EQ(split_data_path(path).file, path);
    EXPECT_EQ(split_data_path(path).dataset, "");
  }
}

}  // namespace
}  // namespace regatta
