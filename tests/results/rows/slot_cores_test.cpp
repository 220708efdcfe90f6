#include "regatta/results/slot_cores.hpp"

#include <gtest/gtest.h>

namespace regatta::results {
namespace {

using Cores = std::vector<int>;

TEST(SlotCores, ComeBackFromTheirText) {
  for (const Cores& cores : {Cores{}, Cores{7}, Cores{0, 1, 12}}) {
    EXPECT_EQ(parse_cores(cores_text(cores)), cores);
  }
  EXPECT_EQ(name_of_cores({0, 1}), "cores 0,1");
}

TEST(SlotCores, AreNotKnownFromOtherTexts) {
  for (const char* text : {"0-1", "0,", ",0", "-1", "0,,1", "zero", "0 ", "99999999999"})
    EXPECT_EQ(parse_cores(text), Cores()) << text;
  EXPECT_EQ(parse_cores("NVIDIA H100"), Cores());
}

}  // namespace
}  // namespace regatta::results
