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

}  // namespace regatta
