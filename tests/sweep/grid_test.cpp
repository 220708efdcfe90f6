#include "sweep/grid.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Grid, PutsRepeatsFirstAndTheLastAxisFastest) {
  const Sweep sweep = sweep_with(R"("axes": {"batch": [1, 2, 4], "model": ["noop", "mlp-10"]}, "repeats": 5)");
  const Grid grid = make_grid(sweep);
  ASSERT_EQ(grid.axes.size(), 3U);
  EXPECT_EQ(grid.axes[0].param, Param::repeat);
  EXPECT_EQ(grid.strides, (std::vector<std::uint64_t>{6, 2, 1}));
  EXPECT_EQ(grid.points, 30U);
  EXPECT_EQ(grid.axis_of(Param::model), 2U);
  EXPECT_EQ(grid.axis_of(Param::mode), std::nullopt);
}

TEST(Grid, AdvanceCountsLikeAnOdometer) {
  const Grid grid = make_grid(sweep_with(R"("axes": {"batch": [1, 2, 4], "model": ["noop", "mlp-10"]})"));
  Digits digits(grid.axes.size(), 0);
  for (std::uint64_t point = 0; point < grid.points; ++point, advance(grid, digits)) {
    EXPECT_EQ(digits, (Digits{point / 2, point % 2}));
  }
  EXPECT_EQ(digits, (Digits{0, 0}));
}

TEST(Grid, LevelsAreFoundByValueAndType) {
  const Axis axis{Param::batch, {std::int64_t{1}, std::int64_t{32}}};
  EXPECT_EQ(level_of(axis, Value(std::int64_t{32})), 1U);
  EXPECT_EQ(level_of(axis, Value(std::string("32"))), std::nullopt);
}

TEST(Grid, PointsAreCountedBeforeTheyAreMade) {
  const std::string many =
      "found more than 10000000 points (levels of all axes and repeats, multiplied), expected at most that many";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"noop\", \"mode\": [\"eager\", \"graph\"]}, \"repeats\": 10000000"),
            "s.json:2: /axes: " + many);
  std::string levels;
  for (int i = 1; i <= 4096; ++i) levels += std::to_string(i) + (i < 4096 ? "," : "");
  const std::string list = "[" + levels + "]";  // 4096 to the sixth is 2 to the 72nd: beyond 64 bits
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": " + list + ", \"length\": " + list +
                 ", \"ranks\": " + list + ", \"seed\": " + list + ", \"threads\": " + list + "}, \"repeats\": 4096"),
      "s.json:2: /axes: " + many);
}

}  // namespace
}  // namespace regatta::sweep
