// Files with tables that are not what they should be, though whole.
#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "results/file/varied_results.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

void overwrite(hid_t file, const char* dataset, std::int64_t value) {
  const hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
  const hid_t space = H5Dget_space(id);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
  EXPECT_GE(H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(id);
}

TEST(ReadTables, UnknownFormatVersionIsRefused) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) {
    const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    H5Awrite(attribute, type, "2.10");
    H5Tclose(type);
    H5Aclose(attribute);
  });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("format version is '2.10'"));
}

TEST(ReadTables, MissingColumnIsNamed) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { H5Ldelete(file, "samples/wall_s", H5P_DEFAULT); });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("/samples lacks the variable 'wall_s'"));
}

TEST(ReadTables, ParameterThatAnOlderFileLacksIsNull) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { H5Ldelete(file, "trials/f_tail", H5P_DEFAULT); });
  const Results results = read_results(folder / "small.h5");
  EXPECT_EQ(results.trials[0].parameters[sweep::Param::tail], sweep::Value());
}

TEST(ReadTables, TrialWithoutAnEngineIsRefused) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { ASSERT_GE(H5Ldelete(file, "trials/f_engine", H5P_DEFAULT), 0); });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("/trials/f_engine: trial 0 names no engine"));
}

TEST(ReadTables, KernelsThatAnOlderFileLacksAreEmpty) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  EXPECT_NE(sweep::text_of(read_results(folder / "small.h5").trials[0].facts, sweep::Fact::kernels), "");
  edit(folder / "small.h5", [](hid_t file) { ASSERT_GE(H5Ldelete(file, "trials/kernels", H5P_DEFAULT), 0); });
  EXPECT_EQ(sweep::text_of(read_results(folder / "small.h5").trials[0].facts, sweep::Fact::kernels), "");
}

TEST(ReadTables, SlotsHaveTheirCoresBesideTheirDevice) {
  const TemporaryFolder folder;
  Results results = varied_results();
  results.devices.at(0) = {0, "cuda", "NVIDIA H100", "", {}, {4, 5}};
  write_results(folder / "small.h5", results);
  const SlotRow slot = read_results(folder / "small.h5").devices.at(0);
  EXPECT_EQ(slot.kind, "cuda");
  EXPECT_EQ(slot.name, "NVIDIA H100");
  EXPECT_EQ(slot.cores, (std::vector<int>{4, 5}));
}

TEST(ReadTables, SlotsOfAnOlderFileHaveTheirCoresInTheirName) {
  const TemporaryFolder folder;
  Results results = varied_results();
  results.devices.at(0) = {0, "cpu", "cores 2,3", "", {}, {2, 3}};
  write_results(folder / "small.h5", results);
  edit(folder / "small.h5", [](hid_t file) { ASSERT_GE(H5Ldelete(file, "devices/cores", H5P_DEFAULT), 0); });
  EXPECT_EQ(read_results(folder / "small.h5").devices.at(0).cores, (std::vector<int>{2, 3}));
}

TEST(ReadTables, ValuesThatPointNowhereAreRefused) {
  for (const char* dataset :
       {"samples/trial_index", "samples/block_index", "samples/arm", "samples/phase", "trials/status", "trials/env_id",
        "trials/host_id", "trials/device_id", "trials/failure", "blocks/arm_trial", "blocks/n_arms",
        "attempts/block_index", "attempts/failure", "devices/host_id"}) {
    const TemporaryFolder folder;
    write_results(folder / "small.h5", varied_results());
    edit(folder / "small.h5", [&](hid_t file) { overwrite(file, dataset, 100); });
    EXPECT_THROW(read_results(folder / "small.h5"), InputError) << dataset;
  }
}

TEST(ReadTables, ContrastsOfEarlierVersionsNameNoMetric) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  EXPECT_EQ(read_results(folder / "small.h5").contrasts.at(0).metric, "time_per_step");
  edit(folder / "small.h5", [](hid_t file) {
    for (const char* name : {"contrasts/metric", "contrasts/metric_unit"}) H5Ldelete(file, name, H5P_DEFAULT);
  });
  const Results results = read_results(folder / "small.h5");
  EXPECT_EQ(results.contrasts.at(0).ratio, 1.5);
  EXPECT_EQ(results.contrasts.at(0).metric, "");
}

}  // namespace
}  // namespace regatta::results
