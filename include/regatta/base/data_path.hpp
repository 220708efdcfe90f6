// Where data are: a file, a folder, or a dataset inside an HDF5 file.
#pragma once

#include <string>

namespace regatta {

struct DataPath {
  std::string file;
  std::string dataset;  ///< "/train/images"; empty unless the path is FILE.h5:/DATASET
};

/// FILE.h5:/DATASET (also .hdf5, in any case) taken apart; every other path is a file's.
DataPath split_data_path(const std::string& path);

}  // namespace regatta
