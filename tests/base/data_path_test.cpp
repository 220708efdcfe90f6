#include "regatta/base/data_path.hpp"

#include <gtest/gtest.h>

namespace regatta {
namespace {

TEST(DataPath, MayNameADatasetOfAnHdf5File) {
  EXPECT_EQ(split_data_path("a/cells.h5:/train/images").file, "a/cells.h5");
  EXPECT_EQ(split_data_path("a/cells.h5:/train/images").dataset, "/train/images");
  EXPECT_EQ(split_data_path("A.HDF5:/x").file, "A.HDF5");
  EXPECT_EQ(split_data_path("A.HDF5:/x").dataset, "/x");
}

TEST(DataPath, IsAFileOtherwise) {
  for (const char* path : {"cells.h5", "a:/b.npy", "a.h5:b", "pictures", ""}) {
    EXPECT_EQ(split_data_path(path).file, path);
    EXPECT_EQ(split_data_path(path).dataset, "");
  }
}

}  // namespace
}  // namespace regatta
