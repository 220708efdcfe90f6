// Models that keep their weights in other tensors: measure/same_work.hpp and measure/results_apart.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/same_work.hpp"

namespace regatta::measure {
namespace {

using protocol::Checked;
using protocol::Evidence;
using protocol::Projections;
using sweep::Verified;
using ::testing::HasSubstr;

const Tolerances fp32 = tolerances_of(protocol::NumberType::fp32, {});

/// Norm and one sum of a tensor.
std::vector<double> tensor(double norm, double sum) { return {norm, sum}; }

Checked with(const Projections& gradients, double loss = 1) {
  Evidence evidence;
  for (int step = 0; step < 3; ++step) {
    evidence.gradients.push_back(gradients);
    Projections& updates = evidence.updates.emplace_back(gradients);
    for (auto& [name, values] : updates) values.front() *= 0.01;
  }
  for (const auto& [name, values] : gradients) evidence.resolution[name] = 1e-9;
  return {{0}, {{loss}}, evidence};
}

/// Two kernels and a bias, as torch names and lays them out.
Checked rows() {
  return with({{"in.weight", tensor(3, 1)}, {"in.bias", tensor(1, 0.5)}, {"out.weight", tensor(2, 1)}});
}

/// The same in another engine: other names, and kernels transposed, so that sums with random signs are others.
Checked columns(double kernel = 3, double bias = 1) {
  return with({{"['a']", tensor(kernel, -2)}, {"['b']", tensor(bias, -0.5)}, {"['c']", tensor(2, 0.1)}});
}

Answer answer(const Checked& its) { return compared_in_any_layout(rows(), its, fp32, {}); }

TEST(AnyLayout, KnowsTheSameWorkUnderOtherNamesAndTransposed) {
  EXPECT_EQ(compared(rows(), columns(), fp32, {}).verified, Verified::no) << "by name there is nothing to compare";
  EXPECT_EQ(answer(columns()).verified, Verified::yes);
}

TEST(AnyLayout, FindsOtherLosses) {
  Checked other = columns();
  other.losses = {{1.01}};
  EXPECT_EQ(answer(other).verified, Verified::no);
}

TEST(AnyLayout, FindsAGradientThatIsScaled) { EXPECT_EQ(answer(columns(3.01)).verified, Verified::close); }

TEST(AnyLayout, FindsABiasThatIsNotTrained) {
  Checked other = columns();
  for (Projections& step : other.evidence->updates) step["['b']"] = tensor(0, 0);
  const Answer found = answer(other);
  EXPECT_EQ(found.verified, Verified::no);
  EXPECT_THAT(found.detail, HasSubstr("update: the norm of size 003"));
}

TEST(AnyLayout, FindsAnotherOptimizer) {
  Checked here = rows();
  Checked there = columns();
  here.evidence->probe = {1e-3};
  there.evidence->probe = {1e-4};
  EXPECT_EQ(compared_in_any_layout(here, there, fp32, {}).verified, Verified::no);
}

TEST(AnyLayout, AllowsUpdatesWhatRoundingOfTheWeightsLeavesOpen) {
  Checked other = columns();
  for (Projections& step : other.evidence->updates) step["['c']"].front() += 1e-3;
  EXPECT_NE(answer(other).verified, Verified::yes);
  for (auto& [name, open] : other.evidence->resolution) open = 2e-3;
  EXPECT_EQ(compared_in_any_layout(other, rows(), fp32, {}).verified, Verified::yes);
}

TEST(AnyLayout, IsCloseAtBestWhereTensorsAreJoined) {
  const Answer found = answer(with({{"joined", tensor(std::hypot(3, 1), 0)}, {"out", tensor(2, 1)}}));
  EXPECT_EQ(found.verified, Verified::close);
  EXPECT_THAT(found.detail, HasSubstr("in 3 and 2 tensors"));
  EXPECT_EQ(answer(with({{"joined", tensor(4, 0)}, {"out", tensor(2, 1)}})).verified, Verified::no);
}

TEST(AnyLayout, TellsModelsThatAreNotOfOneSize) {
  Checked here = rows();
  Checked there = rows();
  EXPECT_EQ(other_number_of_weights(here, there), "");
  here.own_weights = {10, 1};
  there.own_weights = {12, 1};
  EXPECT_EQ(other_number_of_weights(here, there), "the models have 10 and 12 weights");
}

TEST(AnyLayout, TellsModelsThatStartFromOtherWeights) {
  Checked here = rows();
  Checked there = rows();
  EXPECT_EQ(other_start(here, there), "");
  here.own_weights = {10, 2};
  there.own_weights = {10, 2 + 1e-12};
  EXPECT_EQ(other_start(here, there), "") << "summed up in another order";
  there.own_weights = {10, 2.5};
  EXPECT_EQ(other_start(here, there), "the models start from other weights (norms 2 and 2.5)");
}

}  // namespace
}  // namespace regatta::measure
