#include "commands/run_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "os/scratch_folder.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

TEST(RunFolder, WithoutAJournalIsRefusedByTheCommandThatReadsIt) {
  const ScratchFolder scratch("run-folder");
  try {
    expect_journal(scratch.path, "status reads");
    FAIL() << "a folder without a journal passed";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "'" + scratch.path.string() +
                                "' holds no journal (status reads a folder NAME.regatta); name the folder that "
                                "`regatta run` printed");
  }
  std::ofstream(scratch.path / "journal") << "x";
  EXPECT_NO_THROW(expect_journal(scratch.path, "status reads"));
}

}  // namespace
}  // namespace regatta::launcher
