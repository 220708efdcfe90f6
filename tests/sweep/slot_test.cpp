#include "regatta/sweep/slot.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

TEST(Slot, RunsBlocksOfItsCoresAndOfItsDevice) {
  EXPECT_EQ(kinds_of({{0, 1}}), (std::vector{DeviceKind::cpu}));
  EXPECT_EQ(kinds_of({{0, 1}, SlotDevice{DeviceKind::cuda, "GPU 0"}}),
            (std::vector{DeviceKind::cpu, DeviceKind::cuda}));
}

TEST(Slot, NamesEveryKindOfDevice) {
  EXPECT_STREQ(to_string(DeviceKind::cpu), "cpu");
  EXPECT_STREQ(to_string(DeviceKind::cuda), "cuda");
}

}  // namespace
}  // namespace regatta::sweep
