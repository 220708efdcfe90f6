#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bench/bench.hpp"

namespace regatta::launcher {
namespace {

/// Three rounds, each figure at `share` of its aim, or 12 without one.
BenchFound found(double share) {
  BenchFound all;
  for (std::size_t i = 0; i < figure_table.size(); ++i) {
    const double value = figure_table[i].aim == Aim::none ? 12 : share * figure_table[i].bound;
    all.values[i] = {value, 3 * value, 0.5 * value};
  }
  return all;
}

TEST(Figures, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const FigureRow& row : figure_table) keys.insert(row.key);
  EXPECT_EQ(keys.size(), figure_table.size());
  EXPECT_EQ(row_of(Figure::noop_trials).key, "noop_trials_per_second");
  EXPECT_EQ(row_of(Figure::resume).key, "resume_seconds");
  EXPECT_EQ(row_of(Figure::scheduler_decisions).key, "scheduler_decisions_per_second");
}

TEST(Figures, MeetTheirAimOnTheRightSide) {
  const FigureRow rate{"", "1/s", "", Aim::at_least, 10};
  EXPECT_TRUE(*meets_aim(rate, 10));
  EXPECT_FALSE(*meets_aim(rate, 9));
  const FigureRow time{"", "s", "", Aim::at_most, 10};
  EXPECT_TRUE(*meets_aim(time, 10));
  EXPECT_FALSE(*meets_aim(time, 11));
  EXPECT_FALSE(meets_aim(FigureRow{}, 1).has_value());
}

TEST(BenchText, JsonHasTheMedianAsANumberAndItsRangeBeside) {
  const auto document = nlohmann::json::parse(to_json(found(1)));
  for (const FigureRow& row : figure_table) {
    const std::string key(row.key);
    const double median = document.at(key).get<double>();
    EXPECT_EQ(document.at("spread").at(key), nlohmann::json({0.5 * median, 3 * median})) << key;
  }
  EXPECT_EQ(document.at("rounds"), 3);
  EXPECT_EQ(document.at("ranks"), 2);
  EXPECT_EQ(document.at("start_ranks"), 3);
}

TEST(BenchText, ATableNamesEachFigureAndWhatWasMissed) {
  const std::string text = to_text(found(0.9));
  for (const FigureRow& row : figure_table) EXPECT_NE(text.find(row.what), std::string::npos) << row.what;
  EXPECT_NE(text.find("90000/s"), std::string::npos) << text;
  EXPECT_NE(text.find("at least 100000/s  missed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 0.500 s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.225 s to 1.350 s"), std::string::npos) << text;
  EXPECT_NE(text.find("22.5 MB"), std::string::npos) << text;
  EXPECT_NE(text.find("0.45 %"), std::string::npos) << text;
}

}  // namespace
}  // namespace regatta::launcher
