#include "regatta/sweep/arm_outcome.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

TEST(ArmOutcome, KeepsThePeaksOfProcessesInTheOrderTheyWereAdded) {
  Facts facts;
  EXPECT_TRUE(process_peaks(facts).empty());
  add_process_peaks(facts, std::vector<double>{12582912, 12587008});
  EXPECT_EQ(text_of(facts, Fact::process_peaks), "12582912 12587008");
  add_process_peaks(facts, std::vector<double>{9e9});
  EXPECT_EQ(process_peaks(facts), (std::vector<double>{12582912, 12587008, 9e9}));
  add_process_peaks(facts, {});
  EXPECT_EQ(process_peaks(facts).size(), 3U);
}

}  // namespace
}  // namespace regatta::sweep
