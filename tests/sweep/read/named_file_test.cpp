#include <gtest/gtest.h>

#include "regatta/json/document.hpp"
#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(NamedFile, LiesBesideTheSweepAndIsLookedAtUnlessItIsReadAgainElsewhere) {
  const json::Node node = json::parse("\"x\"", "s.json");
  const json::Cursor cursor{node, {"s.json", 1, "/file"}};
  Sweep sweep;
  sweep.file = "/data/me/s.json";
  EXPECT_NE(input_error([&] { named_file(cursor, "../nowhere.csv", sweep); }).find("a file that can be read"),
            std::string::npos);
  sweep.outside.any = true;
  EXPECT_EQ(named_file(cursor, "../nowhere.csv", sweep), "/data/nowhere.csv");
}

}  // namespace
}  // namespace regatta::sweep
