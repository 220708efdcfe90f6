// Other people's readers open the file. A reader that is not installed is a failure: the file's promise is unchecked
// then.
#include <gmock/gmock.h>

#include "regatta/results/file.hpp"
#include "results/file/run_program.hpp"
#include "results/sample_sweep.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;
using testing::Not;

class Readers : public testing::Test {
 protected:
  support::TemporaryFolder folder;

  std::filesystem::path write() const {
    const SampleSweep sample = sample_sweep();
    write_whole_store(folder / "small.regatta", sample);
    write_results(folder / "small.h5", collect(folder / "small.regatta"));
    return folder / "small.h5";
  }
};

TEST_F(Readers, XarrayAndNetcdf4OpenEveryGroup) {
  const Ended ended = run_program("/usr/bin/python3 -W ignore " + support::source_folder() +
                                  "/tests/results/file/open_everywhere.py " + write().string());
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Readers, NcdumpPrintsItsHeader) {
  const Ended ended = run_program("ncdump -h " + write().string());
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("trial = UNLIMITED ; // (8 currently)"));
  EXPECT_THAT(ended.output, HasSubstr("double m_step_time(trial) ;"));
  EXPECT_THAT(ended.output, HasSubstr("double m_step_time(engine, mode, batch) ;"));
  EXPECT_THAT(ended.output, HasSubstr("m_step_time:units = \"s\" ;"));
  EXPECT_THAT(ended.output, Not(HasSubstr("phony_dim")));
}

}  // namespace
}  // namespace regatta::results
