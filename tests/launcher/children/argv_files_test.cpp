#include <gtest/gtest.h>

#include "children/children.hpp"

namespace regatta::launcher {
namespace {

using Words = std::vector<std::string>;

TEST(NamedFile, IsAWordOrWhatFollowsItsEquals) {
  EXPECT_EQ(named_file({"cat", "/etc/passwd"}, 1), "/etc/passwd");
  EXPECT_EQ(named_file({"cat", "--from=/etc/passwd"}, 1), "/etc/passwd");
  EXPECT_EQ(named_file({"cat", "--fast"}, 1), "");
  EXPECT_EQ(named_file({"cat", "/etc"}, 1), "") << "a folder";
  EXPECT_EQ(named_file({"cat", "/nowhere"}, 1), "");
}

TEST(NamedFile, IsNeverWhatIsWritten) {
  EXPECT_EQ(named_file({"cc", "-o", "/etc/passwd"}, 2), "");
  EXPECT_EQ(named_file({"cc", "--output=/etc/passwd"}, 1), "");
  EXPECT_EQ(named_file({"/etc/passwd"}, 0), "") << "the program is looked for by other rules";
}

TEST(WithWholePaths, LeavesAllButNamesOfFiles) {
  // Relative to where tests run, which is never the root.
  const std::string up = "../../../../../../../../../../etc/passwd";
  EXPECT_EQ(with_whole_paths({"./x", up, "--in=" + up, "{ print }", "-o", up, "7"}),
            (Words{"./x", "/etc/passwd", "--in=/etc/passwd", "{ print }", "-o", up, "7"}));
}

}  // namespace
}  // namespace regatta::launcher
