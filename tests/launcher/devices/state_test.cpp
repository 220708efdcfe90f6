#include "devices/state.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

DeviceState counting(std::int64_t millijoules, std::int64_t hot_nanoseconds) {
  DeviceState state;
  state.clock_megahertz = 1980;
  state.power_milliwatts = 65500;
  state.energy_millijoules = millijoules;
  state.heat_nanoseconds = hot_nanoseconds;
  return state;
}

TEST(DeviceReadings, AreInTheirUnitsAndCountFromTheBeginningOfTheBlock) {
  using enum sweep::DeviceFigure;
  const auto [before, after] = readings_of(counting(5'000'000, 1'000'000'000), counting(5'250'000, 3'500'000'000));
  EXPECT_EQ(sweep::figure_of(before, clock), 1980);
  EXPECT_EQ(sweep::figure_of(before, sweep::DeviceFigure::power), 65.5);
  EXPECT_EQ(sweep::figure_of(before, energy), 0);
  EXPECT_EQ(sweep::figure_of(after, energy), 250);
  EXPECT_EQ(sweep::figure_of(after, heat_time), 2.5);
  EXPECT_TRUE(std::isnan(sweep::figure_of(after, power_time))) << "it does not tell";
  EXPECT_TRUE(std::isnan(sweep::figure_of(after, temperature)));
}

TEST(DeviceReadings, KnowNoCountThatFellOrHasNoBeginning) {
  EXPECT_TRUE(
      std::isnan(sweep::figure_of(readings_of(counting(9, 0), counting(8, 0)).after, sweep::DeviceFigure::energy)));
  EXPECT_TRUE(std::isnan(sweep::figure_of(readings_of({}, counting(8, 0)).after, sweep::DeviceFigure::energy)));
}

TEST(DeviceReadings, AreEmptyWhereNobodyAnswers) {
  EXPECT_TRUE(readings_of({}, {}).empty());
  EXPECT_TRUE(readings_of({}, counting(8, 0)).before.empty());
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
