#include "devices/state.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

TEST(DeviceState, IsReadAsFarAsItIsTold) {
  const DeviceState state = parse_device_state(R"({"free_bytes": 7, "processes": null, "clock_megahertz": 1980})");
  EXPECT_EQ(state.free_bytes, 7);
  EXPECT_EQ(state.processes, std::nullopt);
  EXPECT_EQ(state.clock_megahertz, 1980);
  EXPECT_EQ(to_json(parse_device_state(to_json(state))), to_json(state));
  EXPECT_EQ(to_json(parse_device_state("null")), "{}");
  EXPECT_EQ(to_json(parse_device_state("no JSON")), "{}");
}

TEST(DeviceState, IsAskedForByUuid) {
  const sweep::SlotDevice device{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-1", 3};
  EXPECT_EQ(state_command("/b/regatta-worker", device),
            (std::vector<std::string>{"/b/regatta-worker", "devices", "--kind", "cuda", "--state", "GPU-1"}));
}

DeviceState throttled(std::int64_t reasons) {
  DeviceState state;
  state.throttle_reasons = reasons;
  state.temperature_celsius = 91;
  return state;
}

TEST(Throttling, IsHeatAndFailingPowerAndNotAnIdleClockOrALimitThatIsMeant) {
  EXPECT_EQ(throttling({}), "");
  EXPECT_EQ(throttling(throttled(0x01)), "") << "idle";
  EXPECT_EQ(throttling(throttled(0x04)), "") << "at its power cap";
  EXPECT_EQ(throttling(throttled(0x20)), "too hot (91 degrees C)");
  EXPECT_EQ(throttling(throttled(0x48)), "too hot (91 degrees C)");
  EXPECT_EQ(throttling(throttled(0x80)), "its power supply brakes it");
  EXPECT_EQ(throttling(throttled(0x08)), "the hardware slows it down");
}

TEST(DeviceMemory, IsBackOnceNearlyAllIsFree) {
  DeviceState state;
  EXPECT_TRUE(has_memory_back(state, 1000)) << "not known";
  state.free_bytes = 979;
  EXPECT_FALSE(has_memory_back(state, 1000));
  state.free_bytes = 980;
  EXPECT_TRUE(has_memory_back(state, 1000));
  EXPECT_TRUE(has_memory_back(state, std::nullopt));
}

}  // namespace
}  // namespace regatta::launcher
