#include <gmock/gmock.h>

#include "results/file/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/varied_results.hpp"

namespace regatta::results::hdf5 {
namespace {

TEST(WriteCubes, EachModelIsAGroupWithItsCoordinates) {
  const File file = create_in_memory();
  write_cubes(file, varied_results());
  const GroupReader cube(columns_of(file), "cube/mlp-10", "");
  EXPECT_THAT(cube.along("engine").texts("engine"), testing::ElementsAre("native", "numpy"));
  EXPECT_THAT(cube.along("batch").integers("batch"), testing::ElementsAre(8, 32, 64));
  for (const char* name : {"trial", "status", "m_step_time", "m_samples_per_second"})
    EXPECT_TRUE(cube.has(name)) << name;
}

TEST(WriteCubes, CellsAgreeWithTheTable) {
  const File file = create_in_memory();
  const Results results = varied_results();
  write_cubes(file, results);
  const Dataset trial(H5Dopen2(file, "cube/mlp-10/trial", H5P_DEFAULT), "open trial");
  const Dataset time(H5Dopen2(file, "cube/mlp-10/m_step_time", H5P_DEFAULT), "open time");
  std::vector<std::int64_t> trials(2 * 3 * 3);
  std::vector<double> times(trials.size());
  ASSERT_GE(H5Dread(trial, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, trials.data()), 0);
  ASSERT_GE(H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()), 0);
  for (std::size_t cell = 0; cell < trials.size(); ++cell) {
    ASSERT_GE(trials[cell], 0) << "the grid is full";
    const TrialRow& row = results.trials[static_cast<std::size_t>(trials[cell])];
    const auto expected = row.metrics.find("step_time");
    if (expected == row.metrics.end())
      EXPECT_TRUE(std::isnan(times[cell]));
    else
      EXPECT_EQ(times[cell], expected->second);
  }
}

TEST(WriteCubes, SweepWithoutAGridHasAnEmptyGroup) {
  const File file = create_in_memory();
  Results results = varied_results();
  results.trials.push_back(results.trials.front());  // nothing tells these two apart
  write_cubes(file, results);
  EXPECT_TRUE(GroupReader(columns_of(file), "cube", "").variables().empty());
}

}  // namespace
}  // namespace regatta::results::hdf5
