#include "host/slot_device.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace regatta::launcher {
namespace {

TEST(SlotDevice, IsServedByAPluginBesideTheWorkerAndBelongsToTheFirstSlot) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "slot_device_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libregatta_cpu.so") << "no plugin: the processor needs none";
  std::ofstream(folder / "libregatta_unheard.so") << "of no kind";
  EXPECT_EQ(device_of_slot(folder, 0), std::nullopt);
  std::ofstream(folder / "libregatta_cuda.so") << "a plugin";
  EXPECT_EQ(device_of_slot(folder, 0), (sweep::SlotDevice{sweep::DeviceKind::cuda, "libregatta_cuda.so"}));
  EXPECT_EQ(device_of_slot(folder, 1), std::nullopt);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace regatta::launcher
