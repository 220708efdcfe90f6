#include "devices/health.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

constexpr const char* well =
    R"({"uuid": "GPU-1", "write_bytes_per_second": 10, "read_bytes_per_second": 20, "product_flops_per_second": 30})";

sweep::SlotDevice device(const std::string& uuid) { return {sweep::DeviceKind::cuda, "NVIDIA H200", uuid, 2}; }

CheckedDevice checked(double write, double read, double product, const std::string& name = "A") {
  DeviceHealth health;
  health.write_bytes_per_second = write;
  health.read_bytes_per_second = read;
  health.product_flops_per_second = product;
  return {name, health};
}

TEST(DeviceHealth, IsReadFromTheCheck) {
  const DeviceHealth health = parse_device_health(well, device("GPU-1"));
  EXPECT_EQ(health.problem, "");
  EXPECT_EQ(health.write_bytes_per_second, 10);
  EXPECT_EQ(health.read_bytes_per_second, 20);
  EXPECT_EQ(health.product_flops_per_second, 30);
  EXPECT_EQ(to_json(parse_device_health(to_json(health))), to_json(health));
}

TEST(DeviceHealth, IsAProblemWhereTheCheckSaysSoOrAnotherDeviceAnswers) {
  EXPECT_EQ(parse_device_health(R"({"problem": "lost"})", device("GPU-1")).problem, "lost");
  EXPECT_EQ(parse_device_health(well, device("GPU-9")).problem, "device 2 is now GPU-1, and was GPU-9");
  EXPECT_NE(parse_device_health("killed", device("GPU-1")).problem, "");
  EXPECT_NE(check_device("/nowhere/regatta-worker", device("GPU-1")).problem, "");
}

TEST(DeviceHealth, IsAskedForByIndex) {
  EXPECT_EQ(check_command("/b/regatta-worker", device("GPU-1")),
            (std::vector<std::string>{"/b/regatta-worker", "devices", "--kind", "cuda", "--check", "2"}));
}

TEST(Slowness, NamesWhatADeviceDoesLessWellThanThoseLikeIt) {
  const std::vector<CheckedDevice> all = {checked(100, 100, 100), checked(99, 101, 84), checked(101, 99, 101)};
  EXPECT_EQ(slowness(all[0], all), "");
  EXPECT_EQ(slowness(all[1], all), "products at 84 % of the median of 3 like it");
}

TEST(Slowness, IsNotToldAmongTwoOrAmongOthers) {
  const std::vector<CheckedDevice> two = {checked(100, 100, 100), checked(10, 10, 10)};
  EXPECT_EQ(slowness(two[1], two), "");
  const std::vector<CheckedDevice> mixed = {checked(10, 10, 10, "B"), checked(100, 100, 100), checked(100, 100, 100)};
  EXPECT_EQ(slowness(mixed[0], mixed), "");
}

}  // namespace
}  // namespace regatta::launcher
