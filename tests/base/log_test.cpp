#include "regatta/base/log.hpp"

#include <gtest/gtest.h>

namespace regatta {
namespace {

TEST(Log, WritesOneLineForEachMessageWithItsLevelOnStandardError) {
  ::testing::internal::CaptureStderr();
  log::info("started");
  log::warn("slow");
  log::error("stopped");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "regatta: started\nregatta: warning: slow\nregatta: error: stopped\n");
}

TEST(Log, ShowsNothingThatATerminalObeys) {
  ::testing::internal::CaptureStderr();
  log::error(
      "a\x1b[31mb\xc2\x9b"
      "31m\x7f\r\xc3\xbc\n\tc");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "regatta: error: a?[31mb?31m??\xc3\xbc\n\tc\n");
}

}  // namespace
}  // namespace regatta
