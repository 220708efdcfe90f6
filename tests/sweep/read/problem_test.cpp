#include <gtest/gtest.h>

#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(PlaceIn, FindsTheLineAgain) {
  const Sweep sweep = sweep_with("\"axes\": {\"model\":\n[\"noop\"]}");
  EXPECT_EQ(place_in(sweep, "/axes/model/0").line, 3U);
  EXPECT_EQ(place_in(sweep, "/exclude").line, 1U);
  EXPECT_EQ(place_in(Sweep{}, "/axes").line, 0U);
  EXPECT_EQ(place_in(Sweep{}, "/axes").file, "sweep");
}

}  // namespace
}  // namespace regatta::sweep
