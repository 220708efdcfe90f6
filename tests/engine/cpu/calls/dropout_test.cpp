#include <algorithm>

#include "engine/cpu/calls/calls.hpp"
#include "engine/support.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine {
namespace {

std::vector<float> mask(const Dropout& op, std::int64_t step, Isa isa = Isa::automatic) {
  std::vector<float> values(static_cast<std::size_t>(op.batch * op.units));
  StepState state;
  state.step = step;
  cpu::fill_dropout_mask(cpu::kernels_for(isa), op, state, 0, op.batch, values.data());
  return values;
}

TEST(Dropout, KeepsTheStatedShareAndScalesIt) {
  const Dropout op{1000, 100, 0.25, 9, 0};
  const std::vector<float> values = mask(op, 1);
  const auto kept = std::count(values.begin(), values.end(), 1 / 0.75F);
  EXPECT_EQ(kept + std::count(values.begin(), values.end(), 0.0F), 100000);
  EXPECT_NEAR(static_cast<double>(kept), 75000, 5 * std::sqrt(100000 * 0.25 * 0.75));
}

TEST(Dropout, DropsWhereTheRandomUnitOfItsCounterIsBelowTheRateWithEveryInstructionSet) {
  for (const double rate : {0.1, 0.25, 0.5, 0.999}) {
    const Dropout op{3, 33, rate, 9, 5};
    const std::uint64_t key = random_bits(9, 7);
    std::vector<float> expected;
    for (std::uint64_t i = 0; i < 99; ++i) {
      const bool drops = random_unit(key, 5 * 33 + i) < static_cast<float>(rate);
      expected.push_back(drops ? 0.0F : static_cast<float>(1 / (1 - rate)));
    }
    for (const Isa isa : supported_isas()) EXPECT_EQ(mask(op, 7, isa), expected) << isa_name(isa) << ' ' << rate;
  }
}

TEST(Dropout, DependsOnKeyStepAndUnit) {
  const Dropout op{4, 50, 0.5, 9, 0};
  Dropout other_key = op;
  other_key.key = 10;
  EXPECT_EQ(mask(op, 1), mask(op, 1));
  EXPECT_NE(mask(op, 1), mask(op, 2));
  EXPECT_NE(mask(op, 1), mask(other_key, 1));
}

TEST(Dropout, IsKeyedByTheGlobalSampleSoThatRanksTogetherDrawOneMask) {
  const Dropout whole{8, 33, 0.5, 9, 0};
  const Dropout half{4, 33, 0.5, 9, 4};
  const std::vector<float> all = mask(whole, 3);
  EXPECT_TRUE(std::equal(all.begin() + 4 * 33, all.end(), mask(half, 3).begin()));
}

TEST(Dropout, LayersDrawDifferentMasksAndTheSeedMatters) {
  const model::Network network{
      "two", {40}, {model::Dropout{0.5}, model::Dropout{0.5}, model::Dense{1}}, model::Loss::mse, model::Sgd{0}};
  const auto weights = model::initial_weights(network, 1);
  Random random(1);
  const OwnedBatch batch = random_batch(random, network, 4);
  const auto loss = [&](std::uint64_t seed, bool dropout) {
    TestSettings settings;
    settings.batch = 4;
    settings.seed = seed;
    settings.dropout = dropout;
    return make_session(network, weights, settings)->step(batch.view());
  };
  EXPECT_EQ(loss(1, true), loss(1, true));
  EXPECT_NE(loss(1, true), loss(2, true));
  EXPECT_NE(loss(1, true), loss(1, false));
  EXPECT_EQ(loss(1, false), loss(2, false));
  EXPECT_NE(random_bits(1, 0), random_bits(1, 1));  // keys of the two layers
}

}  // namespace
}  // namespace regatta::engine
