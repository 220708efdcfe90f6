// /sessions of NAME.h5.
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/merge.hpp"
#include "results/file/varied_results.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

TEST(SessionTable, IsGivenBack) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  ASSERT_EQ(results.sessions.size(), 1U);
  results.sessions[0].batch_job = {"4711", "n[1-3]", "main", "mine", 2};
  write_results(folder / "small.h5", results);
  const Results read = read_results(folder / "small.h5");
  ASSERT_EQ(read.sessions.size(), 1U);
  EXPECT_TRUE(read.sessions[0].ended);
  EXPECT_EQ(read.sessions[0].self.elapsed_seconds, results.sessions[0].self.elapsed_seconds);
  EXPECT_TRUE(std::isnan(read.sessions[0].self.tail_share));
  EXPECT_EQ(read.sessions[0].batch_job, results.sessions[0].batch_job);
}

TEST(SessionTable, NamesOnlySourcesThatThereAre) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  results.sessions[0].source = 0;
  EXPECT_THROW(write_results(folder / "small.h5", results), StorageError);
}

TEST(SessionTable, OfMergedFilesHoldsTheSessionsOfAll) {
  const Results results = varied_results();
  const Results all = merge({{"a.h5", results}, {"b.h5", results}}).results;
  ASSERT_EQ(all.sessions.size(), 2U);
  EXPECT_EQ(all.sessions[0].source, 0);
  EXPECT_EQ(all.sessions[1].source, 1);
}

}  // namespace
}  // namespace regatta::results
