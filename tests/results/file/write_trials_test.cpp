#include <gtest/gtest.h>

#include "results/file/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/varied_results.hpp"

namespace regatta::results::hdf5 {
namespace {

TEST(WriteTrials, OnlyIntegersThatSomeTrialLacksHaveAFillValue) {
  const File file = create_in_memory();
  Results results = varied_results();
  results.trials[0].parameters[sweep::Param::threads] = {};
  write_trials(file, results);
  const GroupReader group(columns_of(file), "trials", "trial");
  EXPECT_EQ(group.fill_of("f_threads"), null_integer);
  EXPECT_EQ(group.integers("f_threads")[0], null_integer);
  EXPECT_EQ(group.fill_of("f_batch"), std::nullopt) << "readers would turn it into floating point";
}

TEST(WriteTrials, SampleRangesFollowOneAnother) {
  const File file = create_in_memory();
  const Results results = varied_results();
  write_trials(file, results);
  const GroupReader group(columns_of(file), "trials", "trial");
  const auto counts = group.integers("n_samples");
  const auto starts = group.integers("sample_start");
  std::int64_t next = 0;
  for (std::size_t trial = 0; trial < counts.size(); ++trial) {
    EXPECT_EQ(starts[trial], next);
    for (std::int64_t at = next; at < next + counts[trial]; ++at) {
      EXPECT_EQ(results.samples[static_cast<std::size_t>(at)].trial.value, trial);
    }
    next += counts[trial];
  }
  EXPECT_EQ(static_cast<std::size_t>(next), results.samples.size());
}

}  // namespace
}  // namespace regatta::results::hdf5
