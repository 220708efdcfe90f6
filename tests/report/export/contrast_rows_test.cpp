#include <gtest/gtest.h>

#include <cmath>

#include "analysis/hand_made.hpp"
#include "regatta/report/export.hpp"
#include "regatta/report/report.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using testing_support::HandMade;

results::ContrastRow row_of(const HandMade& made) { return contrast_rows(made.made.results, made.contrasts).at(0); }

TEST(ContrastRows, HoldTheFiguresAndTheSentence) {
  HandMade made;
  Contrast& contrast = made.contrast(1, 2, 1.1);
  contrast.resolution = 0.03;
  made.contrasts.axes = analysis::axes_of(made.made.results);
  EXPECT_EQ(row_of(made).resolution, 0.03);
  EXPECT_FALSE(row_of(made).confirmed);
  EXPECT_EQ(row_of(made).ratio, 2);
  EXPECT_EQ(row_of(made).verdict, "slower");
  EXPECT_EQ(row_of(made).text, contrast_sentences(made.made.results, made.contrasts).at(0));
  EXPECT_EQ(row_of(made).text, "eager is 2.00x slower [1.82, 2.20] than graph, early");
}

TEST(ContrastRows, NameTheMetricAndItsUnit) {
  HandMade made;
  Contrast& contrast = made.contrast(1, 3, 1.1);
  contrast.metric = sweep::Metric::latency_p95;
  EXPECT_EQ(row_of(made).metric, "latency_p95");
  EXPECT_EQ(row_of(made).unit, "s");
  contrast.metric = sweep::Metric::result;
  made.contrasts.result = sweep::ComparedResult{"gain", sweep::Better::higher};
  made.contrasts.result_unit = "dB";
  EXPECT_EQ(row_of(made).metric, "gain");
  EXPECT_EQ(row_of(made).unit, "dB");
}

TEST(ContrastRows, CountReplicates) {
  HandMade made;
  Contrast& contrast = made.contrast(1, 3, 1.1);
  EXPECT_EQ(row_of(made).replicates, "");
  contrast.replicates.resize(3);
  contrast.replicate_axes = {sweep::Param::repeat};
  EXPECT_EQ(row_of(made).replicates, "3 repeats");
}

TEST(ContrastRows, OfADifferenceAreInItsUnit) {
  HandMade made;
  Contrast& contrast = made.contrast(1, 1.2, 1.1);
  contrast.resolution = 0.03;
  contrast.difference = analysis::Difference{.value = 0.1, .low = 0.09, .high = 0.11, .margin = 0.005, .unit = 0.5};
  const results::ContrastRow row = row_of(made);
  EXPECT_EQ(row.scale, "difference");
  EXPECT_TRUE(std::isnan(row.ratio));
  EXPECT_EQ(row.difference, 0.1);
  EXPECT_EQ(row.low, 0.09);
  EXPECT_EQ(row.high, 0.11);
  EXPECT_EQ(row.margin, 0.005);
  EXPECT_NEAR(row.resolution, 0.5 * std::log1p(0.03), 1e-12);
}

}  // namespace
}  // namespace regatta::report
