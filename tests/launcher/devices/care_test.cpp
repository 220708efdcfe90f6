#include "devices/care.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;

DeviceCare care() { return {{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-1", 0}, {}, {}, {}}; }

TEST(DeviceCare, SetsADeviceAsideOnWhichThreeTrialsInARowFailed) {
  DeviceCare device = care();
  for (const char* trial : {"a", "a", "b", "b", "a"}) note_failure(device, trial, "hung", {});
  EXPECT_EQ(device.set_aside, "") << "two trials, however often";
  note_failure(device, "c", "hung\nlast words", {});
  EXPECT_EQ(device.set_aside,
            "the device NVIDIA H200 (GPU-1) was set aside: 3 trials in a row failed on it, the last one with: hung");
}

TEST(DeviceCare, ForgetsFailuresOnceATrialSucceeds) {
  DeviceCare device = care();
  note_failure(device, "a", "hung", {});
  note_failure(device, "b", "hung", {});
  note_success(device);
  note_failure(device, "c", "hung", {});
  note_failure(device, "d", "hung", {});
  EXPECT_EQ(device.set_aside, "");
}

TEST(DeviceCare, SetsADeviceAsideAtOnceThatDoesNotPassItsCheck) {
  DeviceCare device = care();
  DeviceHealth lost;
  lost.problem = "no driver";
  note_failure(device, "a", "hung", lost);
  EXPECT_THAT(device.set_aside, HasSubstr("it does not pass its check (no driver)"));
  DeviceCare fresh = care();
  note_check(fresh, {});
  EXPECT_EQ(fresh.set_aside, "");
  note_check(fresh, lost);
  EXPECT_NE(fresh.set_aside, "");
}

}  // namespace
}  // namespace regatta::launcher
