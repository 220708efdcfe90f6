// Files with tables that are not what they should be, though whole.
#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

void overwrite_texts(hid_t file, const char* dataset, const char* value) {
  const hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
  const hid_t type = H5Dget_type(id);
  const hid_t space = H5Dget_space(id);
  const std::vector<const char*> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
  EXPECT_GE(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
}

void overwrite(hid_t file, const char* dataset, std::int64_t value) {
  const hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
  const hid_t space = H5Dget_space(id);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
  EXPECT_GE(H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(id);
}

TEST(ReadTables, UnknownFormatVersionIsRefused) {
  const support::TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) {
    const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    H5Awrite(attribute, type, "3.0");
    H5Tclose(type);
    H5Aclose(attribute);
  });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }), HasSubstr("format version is '3.0'"));
}

TEST(ReadTables, MissingColumnIsNamed) {
  const support::TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { H5Ldelete(file, "samples/wall_s", H5P_DEFAULT); });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("/samples lacks the variable 'wall_s'"));
}

TEST(ReadTables, TrialWithoutAnEngineIsRefused) {
  const support::TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [&](hid_t file) { overwrite_texts(file, "trials/f_engine", ""); });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("/trials/f_engine: trial 0 names no engine"));
}

TEST(ReadTables, TextsOfAnotherKindThanTheirColumnAreRefused) {
  for (const char* column :
       {"results", "peak_memory_of_processes", "why_stopped", "exchange_buckets", "exchange_ranks"}) {
    const support::TemporaryFolder folder;
    write_results(folder / "small.h5", varied_results());
    edit(folder / "small.h5",
         [&](hid_t file) { overwrite_texts(file, (std::string("trials/") + column).c_str(), "{\"a\": 3"); });
    EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
                HasSubstr(std::string("/trials/") + column + ": trial 0: "));
  }
}

TEST(ReadTables, SlotsHaveTheirCoresBesideTheirDevice) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  results.devices.at(0) = {0, "cuda", "NVIDIA H100", {}, {}, {4, 5}};
  write_results(folder / "small.h5", results);
  const SlotRow slot = read_results(folder / "small.h5").devices.at(0);
  EXPECT_EQ(slot.kind, "cuda");
  EXPECT_EQ(slot.name, "NVIDIA H100");
  EXPECT_EQ(slot.cores, (std::vector<int>{4, 5}));
}

TEST(ReadTables, ValuesThatPointNowhereAreRefused) {
  for (const char* dataset :
       {"samples/trial_index", "samples/block_index", "samples/arm", "samples/phase", "trials/status", "trials/env_id",
        "trials/host_id", "trials/device_id", "trials/cause", "blocks/arm_trial", "blocks/n_arms",
        "attempts/block_index", "attempts/failure", "devices/host_id"}) {
    const support::TemporaryFolder folder;
    write_results(folder / "small.h5", varied_results());
    edit(folder / "small.h5", [&](hid_t file) { overwrite(file, dataset, 100); });
    EXPECT_THROW(read_results(folder / "small.h5"), InputError) << dataset;
  }
}

}  // namespace
}  // namespace regatta::results
