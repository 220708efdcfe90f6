// Where data are: a file, a folder, or a dataset inside an HDF5 file.
#pragma once

#include <string>

namespace regatta {

struct DataPath {
  std::string file;
  std::string dataset;  ///< "/train/images"; empty unless the path is FILE:/DATASET
};

/// FILE:/DATASET taken apart where a file is called FILE, or where FILE ends as HDF5 files do (.h5, .nc, .mat). Every
/// other path is a file's.
DataPath split_data_path(const std::string& path);

/// The test part that lies beside a training part of the MNIST family; without names where there is none.
struct TestFiles {
  std::string data;
  std::string labels;
};

/// For .../train-images-idx3-ubyte and .../train-labels-idx1-ubyte the files whose names have "t10k" or "test" for
/// "train", with all that stands around. Both are there, or none is told.
TestFiles test_files_beside(const std::string& data, const std::string& labels);

}  // namespace regatta
