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

}  // namespace
}  // namespace regatta
