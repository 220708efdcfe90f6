#include "regatta/base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <type_traits>

namespace regatta {
namespace {

TEST(Expect, PassesWhatHolds) { EXPECT_NO_THROW(expect(true, "one is one")); }

TEST(Expect, NamesTheCallSiteOfWhatDoesNot) {
  try {
    expect(false, "one is two");
    FAIL() << "accepted";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("error_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("one is two"), std::string::npos) << text;
  }
}

TEST(Errors, OfDifferentKindsAreNotCaughtForEachOther) {
  static_assert(!std::is_base_of_v<InputError, StorageError>);
  static_assert(!std::is_base_of_v<std::runtime_error, InternalError>);
  EXPECT_EQ(errno_text("cannot open 'x'", ENOENT), "cannot open 'x': No such file or directory");
}

}  // namespace
}  // namespace regatta
