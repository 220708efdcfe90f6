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

std::string shown(const std::string& text) {
  ::testing::internal::CaptureStderr();
  log::error(text);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, ShowsNothingThatATerminalObeys) {
  EXPECT_EQ(shown("a\x1b[31mb\u009b31m\x7f\r\u00fc\tc\u202e"),
            "regatta: error: a\ufffd[31mb\ufffd31m\ufffd\u00fc\tc\ufffd\n");
}

TEST(Log, NoTextThatAMessageHoldsBeginsALineOfItsOwn) {
  EXPECT_EQ(shown("'a\nregatta: done' is missing:\n  regatta run a\n\n b"),
            "regatta: error: 'a\n  regatta: done' is missing:\n  regatta run a\n\n b\n");
}

}  // namespace
}  // namespace regatta
