// A file with one group, written and opened again.
#pragma once

#include <functional>

#include "results/file/netcdf_writer.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results::hdf5 {

class WrittenGroup {
 public:
  explicit WrittenGroup(const std::function<void(GroupWriter&)>& write) : file_(written(write)) {}
  [[nodiscard]] const File& file() const { return file_; }

 private:
  File written(const std::function<void(GroupWriter&)>& write) {
    const std::filesystem::path path = folder_ / "group.h5";
    {
      const File file = create_in_memory();
      {
        GroupWriter group(file, "group");
        write(group);
      }
      spill(path, file_image(file));
    }
    return open_to_read(path);
  }

  support::TemporaryFolder folder_;
  File file_;
};

}  // namespace regatta::results::hdf5
