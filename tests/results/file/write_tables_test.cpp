#include <gtest/gtest.h>

#include "results/file/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/varied_results.hpp"

namespace regatta::results::hdf5 {
namespace {

TEST(WriteTables, RootSaysWhatTheFileIsAndCountsItsTrials) {
  const File file = create_in_memory();
  const Results results = varied_results();
  write_tables(file, results);
  EXPECT_EQ(text_attribute(file, "Conventions"), "CF-1.11");
  EXPECT_EQ(text_attribute(file, "title"), "small");
  EXPECT_EQ(text_attribute(file, "format"), "regatta-results");
  EXPECT_EQ(text_attribute(file, "status"), "partial");
  std::int64_t sum = 0;
  for (const std::string& status : status_names) sum += integer_attribute(file, "n_" + status).value();
  EXPECT_EQ(sum, integer_attribute(file, "n_planned"));
  EXPECT_EQ(integer_attribute(file, "n_failed"), 1);
  EXPECT_EQ(integer_attribute(file, "n_open"), 3);
}

TEST(WriteTables, ZeroByteInAMessageDoesNotCutIt) {
  const File file = create_in_memory();
  Results results = varied_results();
  results.failed_attempts[0].message = std::string("a\0b", 3);
  write_tables(file, results);
  EXPECT_EQ(GroupReader(columns_of(file), "attempts", "failed_attempt").texts("message")[0], "a?b");
}

}  // namespace
}  // namespace regatta::results::hdf5
