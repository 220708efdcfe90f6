#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/varied_results.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

TEST(InterventionTables, AreGivenBackWithEveryFigureAndSample) {
  const support::TemporaryFolder folder;
  const Results results = varied_results();
  ASSERT_EQ(results.interventions.size(), 4U);
  ASSERT_EQ(results.intervention_samples.size(), 2U);
  write_results(folder / "small.h5", results);
  expect_same(read_results(folder / "small.h5"), results);
}

TEST(InterventionTables, AreMissingInFilesOfEarlierVersions) {
  const support::TemporaryFolder folder;
  const std::filesystem::path file = folder / "small.h5";
  write_results(file, varied_results());
  edit(file, [](hid_t id) { ASSERT_GE(H5Ldelete(id, "interventions", H5P_DEFAULT), 0); });
  const Results read = read_results(file);
  EXPECT_TRUE(read.interventions.empty());
  EXPECT_TRUE(read.intervention_samples.empty());
  EXPECT_FALSE(read.trials.empty());
}

TEST(InterventionTables, NameOnlyRowsThatThereAre) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  results.interventions[1].trial.value = 10'000;
  EXPECT_THROW(write_results(folder / "small.h5", results), StorageError);  // a file that cannot be read is not written
  results = varied_results();
  results.intervention_samples[0].row = 4;
  EXPECT_THROW(write_results(folder / "small.h5", results), StorageError);
}

}  // namespace
}  // namespace regatta::results
