#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/unique_fd.hpp"
#include "support/temporary_folder.hpp"

namespace regatta {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputPlace : public testing::Test {
 protected:
  support::TemporaryFolder scratch;
  fs::path folder = scratch.path();

  static fs::path made(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "text";
    return file;
  }
  static std::string of_file(const fs::path& place, const std::vector<fs::path>& inputs = {}) {
    try {
      expect_place_of_file("-o", place, inputs);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  static std::string of_folder(const fs::path& place) {
    try {
      expect_place_of_folder("-o", place);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputPlace, OfAFileMayBeFreeOrTaken) {
  EXPECT_EQ(of_file(folder / "new.csv"), "");
  EXPECT_EQ(of_file(made(folder / "old.csv"), {made(folder / "in.h5")}), "");
  EXPECT_EQ(of_file("new.csv"), "");
  EXPECT_EQ(of_file("/dev/null"), "");
  EXPECT_EQ(of_file("/dev/stdout"), "");
  const UniqueFd open(::open(made(folder / "open").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(of_file("/proc/self/fd/" + std::to_string(open.get())), "") << "of a file, in a folder of the kernel";
}

TEST_F(OutputPlace, IsNoInputByAnyName) {
  const fs::path input = made(folder / "in.h5");
  fs::create_symlink(input, folder / "link.h5");
  fs::create_hard_link(input, folder / "hard.h5");
  for (const fs::path& name : {input, folder / "link.h5", folder / "hard.h5", folder / "." / "in.h5"}) {
    EXPECT_THAT(of_file(name, {made(folder / "other"), input}), HasSubstr("is a file that this command reads"));
    EXPECT_THAT(of_file(input, {name}), HasSubstr("is a file that this command reads"));
  }
}

TEST_F(OutputPlace, LiesInNoFolderOfARun) {
  const fs::path run = folder / "a.regatta";
  made(run / "journal");
  made(run / "logs" / "b");
  fs::create_directory_symlink(run / "logs", folder / "logs");
  for (const fs::path& place : {run / "journal", run / "new.csv", run / "logs" / "new.csv", folder / "logs" / "new"})
    EXPECT_THAT(of_file(place), HasSubstr("the folder of a run")) << place;
  EXPECT_THAT(of_folder(run), HasSubstr("the folder of a run"));
  EXPECT_THAT(of_folder(run / "new" / "weights"), HasSubstr("the folder of a run"));
  EXPECT_EQ(of_file(folder / "journal"), "");
  fs::create_directory(folder / "mine.regatta");  // a folder of that name that holds no run
  EXPECT_EQ(of_file(folder / "mine.regatta" / "new.csv"), "");
}

TEST_F(OutputPlace, OfAFileIsNoFolderAndHasOne) {
  EXPECT_THAT(of_file(""), HasSubstr("-o: the name is empty"));
  EXPECT_THAT(of_file(folder), HasSubstr("is a folder (a file is needed)"));
  EXPECT_THAT(of_file(folder / "new" / ""), HasSubstr("is a folder"));
  EXPECT_THAT(of_file(folder / "none" / "x.csv"), HasSubstr("make it first: `mkdir -p "));
  EXPECT_FALSE(fs::exists(folder / "none"));
  EXPECT_THAT(of_file(made(folder / "file") / "x.csv"), HasSubstr("is no folder"));
  EXPECT_THAT(of_file(folder / std::string(250, 'x')), HasSubstr("the name has 250 bytes"));
}

TEST_F(OutputPlace, OfAFolderMayBeMade) {
  EXPECT_EQ(of_folder(folder), "");
  EXPECT_EQ(of_folder(folder / "new"), "");
  EXPECT_EQ(of_folder(folder / "new" / "deep" / ""), "");
  EXPECT_EQ(of_folder("new"), "");
  EXPECT_FALSE(fs::exists(folder / "new"));
  EXPECT_THAT(of_folder(""), HasSubstr("-o: the name is empty"));
  EXPECT_THAT(of_folder(made(folder / "file")), HasSubstr("is no folder"));
  EXPECT_THAT(of_folder(folder / "file" / "new"), HasSubstr("is no folder"));
}

TEST_F(OutputPlace, CanBeWrittenTo) {
  if (::geteuid() == 0) return;  // root may write anywhere
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(of_file(folder / "x.csv"), HasSubstr("nothing can be written in the folder"));
  EXPECT_THAT(of_folder(folder / "new"), HasSubstr("nothing can be written in the folder"));
  fs::permissions(folder, fs::perms::owner_all);
}

}  // namespace
}  // namespace regatta
