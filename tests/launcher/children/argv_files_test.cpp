#include <gtest/gtest.h>

#include "children/children.hpp"

namespace regatta::launcher {
namespace {

using Words = std::vector<std::string>;

// Relative to where tests run, which is never the root.
const char* const up = "../../../../../../../../../../etc/passwd";

TEST(WithWholePaths, ChangesWordsAndPartsOfOptionsThatNameFiles) {
  EXPECT_EQ(with_whole_paths({"./x", up, std::string("--in=") + up}),
            (Words{"./x", "/etc/passwd", "--in=/etc/passwd"}));
}

TEST(WithWholePaths, LeavesAllOtherWords) {
  const Words words = {"./x", "{ print }", "7", "--fast", "../..", "nowhere.txt", "--from=nowhere.txt"};
  EXPECT_EQ(with_whole_paths(words), words);
}

TEST(WithWholePaths, LeavesTheProgramAndWhatItWrites) {
  const Words words = {up, "-o", up, std::string("--output=") + up};
  EXPECT_EQ(with_whole_paths(words), words) << "the program is looked for by other rules";
}

}  // namespace
}  // namespace regatta::launcher
