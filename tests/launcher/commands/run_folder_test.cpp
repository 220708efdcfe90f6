#include <gtest/gtest.h>

#include <fstream>

#include "commands/commands.hpp"
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

TEST(RunFolder, IsFoundByTheNameOfTheFileBesideIt) {
  const ScratchFolder scratch("run-folder-beside");
  const auto folder = scratch.path / "s.regatta";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "journal") << "x";
  EXPECT_EQ(run_folder(folder, "status reads"), folder);
  EXPECT_EQ(run_folder(scratch.path / "s.h5", "status reads"), folder) << "though there is no such file yet";
  EXPECT_EQ(run_folder(scratch.path / "s", "status reads"), folder);
  EXPECT_THROW(run_folder(scratch.path / "t.h5", "status reads"), InputError);
  EXPECT_THROW(run_folder(scratch.path, "status reads"), InputError);
}

TEST(RunFolder, ThatIsNotBesideTheFileIsNamed) {
  const ScratchFolder scratch("run-folder-apart");
  std::ofstream(scratch.path / "s.h5") << "x";
  try {
    run_folder(scratch.path / "s.h5", "query --format weights reads");
    FAIL() << "a file passed for a folder";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("has no folder '" + (scratch.path / "s.regatta").string() + "' with a journal beside it"),
              std::string::npos)
        << text;
  }
}

TEST(RunFolder, TellsWhoAsksForResultsHowToGetThem) {
  const ScratchFolder scratch("run-folder-results");
  EXPECT_NO_THROW(expect_results(scratch.path / "s.h5")) << "nothing is known of it";
  const auto folder = scratch.path / "s.regatta";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "journal") << "x";
  try {
    expect_results(scratch.path / "s.h5");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Run the sweep again"), std::string::npos) << text;
    EXPECT_NE(text.find("regatta collect " + folder.string()), std::string::npos) << text;
  }
  std::ofstream(scratch.path / "s.h5") << "x";
  EXPECT_NO_THROW(expect_results(scratch.path / "s.h5"));
}

}  // namespace
}  // namespace regatta::launcher
