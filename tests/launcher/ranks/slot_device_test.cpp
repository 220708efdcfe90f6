#include "ranks/slot_device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace regatta::launcher {
namespace {

TEST(SlotDevice, IsNamedToTheProcessesOfTheSlotAsTheBatchSystemNamesIt) {
  const char* const before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string kept = before == nullptr ? "" : before;
  const sweep::SlotDevice device{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-7a", 1};
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(variables_of(device),
            (std::map<std::string, std::string>{{"REGATTA_DEVICE", "GPU-7a"}, {"CUDA_VISIBLE_DEVICES", "1"}}));
  ::setenv("CUDA_VISIBLE_DEVICES", "4,MIG-5", 1);
  EXPECT_EQ(variables_of(device).at("CUDA_VISIBLE_DEVICES"), "MIG-5");
  before == nullptr ? ::unsetenv("CUDA_VISIBLE_DEVICES") : ::setenv("CUDA_VISIBLE_DEVICES", kept.c_str(), 1);
}

}  // namespace
}  // namespace regatta::launcher
