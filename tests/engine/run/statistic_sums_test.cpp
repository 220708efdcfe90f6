// Batch normalization by the moments of the whole batch, whatever it is cut into.
#include "engine/run/in_ranks.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

using namespace in_ranks;

/// Normalizes what it reads (biases before that have no gradient but noise, which Adam would make updates of), images
/// and rows; the first one has no gradient to pass on, and the last one is the output.
const model::Network norms_everywhere{"norms",
                                      {6, 5, 2},
                                      {model::BatchNorm{}, model::Conv2d{3, 3, 1, model::Padding::same},
                                       model::BatchNorm{}, model::Flatten{}, model::Dense{20, model::Activation::relu},
                                       model::BatchNorm{}, model::Dropout{0.2}, model::Dense{4}, model::BatchNorm{}},
                                      model::Loss::mse,
                                      model::Sgd{.learning_rate = 0.1, .momentum = 0.9}};

TestSettings over_the_batch() {
  TestSettings settings;
  settings.batch_statistics = BatchStatistics::batch;
  settings.moving_moments = true;
  return settings;
}

double distance(std::vector<float> a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return size_of(a);
}

TEST(StatisticSums, GiveTheSameBitsForAnyNumberOfRanks) {
  for (const model::Network& network : {with_norm_and_dropout, norms_everywhere}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Training training(network, seed);
      const Trained one = in_shards(training, over_the_batch());
      print_hash(training, one);
      for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
        SCOPED_TRACE(network.name + " " + std::to_string(ranks));
        expect_same_bits(train_in_ranks(training, ranks, [](std::size_t) { return over_the_batch(); }), one);
      }
    }
  }
}

TEST(StatisticSums, GiveTheSameBitsInEagerAndGraphOnEachInstructionSet) {
  const Training training(norms_everywhere, test_seed());
  for (const Isa isa : supported_isas()) {
    TestSettings graph = over_the_batch();
    graph.isa = isa;
    const Trained one = in_shards(training, graph);
    const auto mixed = [&](std::size_t rank) {
      TestSettings settings = graph;
      settings.mode = rank % 2 == 0 ? Mode::eager : Mode::graph;
      settings.fusion = rank != 1;
      return settings;
    };
    expect_same_bits(train_in_ranks(training, 4, mixed), one);
  }
}

/// Without dropout, so that nothing but rounding is in the way; by every kind of kernels.
TEST(StatisticSums, MakeTheStepThatOfTheWholeBatchButForRounding) {
  for (const model::Network& network : {with_norm_and_dropout, norms_everywhere}) {
    for (const Kernels kernels : all_kernels()) {
      const Training training(network);
      TestSettings settings = over_the_batch();
      settings.take(kernels);
      settings.dropout = false;
      const Trained whole = train_alone(training, settings);
      const Trained sharded = in_shards(training, settings);
      for (int step = 0; step < steps; ++step)
        EXPECT_NEAR(sharded.losses[static_cast<std::size_t>(step)], whole.losses[static_cast<std::size_t>(step)], 1e-4);
      EXPECT_LT(distance(sharded.gradients, whole.gradients), 1e-3 * size_of(whole.gradients)) << network.name;
      EXPECT_LT(distance(sharded.weights, whole.weights), 1e-3 * size_of(whole.weights)) << network.name;
      TestSettings by_shard = settings;
      by_shard.batch_statistics = BatchStatistics::shard;
      const Trained apart = in_shards(training, by_shard);
      EXPECT_GT(distance(apart.gradients, whole.gradients), 0.03 * size_of(whole.gradients))
          << "this test sees nothing";
    }
  }
}

/// The mean loss of all shards, along random directions of length 1.
TEST(StatisticSums, GiveGradientsThatAreTheSlopesOfTheLoss) {
  constexpr float step = 0.01F;
  const Training training(norms_everywhere);
  TestSettings settings = over_the_batch();
  settings.dropout = false;
  settings.batch = batch;
  settings.shards = shards;
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  const auto loss_at = [&](const std::vector<model::Tensor>& weights) {
    session->load(weights);
    session->step(training.batches.front().view());
    return static_cast<double>(session->mean_loss());
  };
  loss_at(training.weights);
  const std::vector<float> gradient = values_of(session->gradients());
  Random random(test_seed());
  for (int i = 0; i < 8; ++i) {
    std::vector<float> direction = uniform_floats(random, std::ssize(gradient));
    const double size = size_of(direction);
    for (float& value : direction) value = static_cast<float>(value / size);
    const auto moved = [&](float by) {
      std::vector<model::Tensor> weights = training.weights;
      auto from = direction.begin();
      for (model::Tensor& tensor : weights) {
        for (float& value : std::get<std::vector<float>>(tensor.values)) value += by * *from++;
      }
      return weights;
    };
    const double slope = (loss_at(moved(step)) - loss_at(moved(-step))) / (2 * step);
    const double expected = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
    EXPECT_NEAR(slope, expected, 3e-3 * size_of(gradient));
  }
}

TEST(StatisticSums, AccumulateAndClipAsOthersDo) {
  const Training training(norms_everywhere);
  TestSettings settings = over_the_batch();
  settings.accumulate = 2;
  settings.clip_norm = 0.1;
  const Trained one = in_shards(training, settings);
  EXPECT_FALSE(one.weights == in_shards(training, over_the_batch()).weights);
  for (const std::size_t ranks : {2U, 8U})
    expect_same_bits(train_in_ranks(training, ranks, [&](std::size_t) { return settings; }), one);
}

/// Ranks that update slices of the parameters count their buckets behind those of the sums.
TEST(StatisticSums, GoWithAnOptimizerThatIsSharded) {
  const Training training(with_norm_and_dropout);
  const Trained one = in_shards(training, over_the_batch());
  TestSettings sharded = over_the_batch();
  sharded.optimizer_state = OptimizerState::sharded;
  expect_same_bits(train_in_ranks(training, 4, [&](std::size_t) { return sharded; }), one);
}

/// A moving moment takes a share of the batch's moments, once in a step.
TEST(StatisticSums, MoveMomentsToThoseOfTheBatch) {
  const Training training(with_norm_and_dropout);
  const std::vector<float> whole = moments_of(train_alone(training, over_the_batch()));
  const std::vector<float> sharded = moments_of(in_shards(training, over_the_batch()));
  ASSERT_EQ(whole.size(), sharded.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(sharded[i], whole[i], 1e-4) << i;
}

/// A rank that joins nobody has the moments of its own shards, not a part of them.
TEST(StatisticSums, AreThoseOfTheRankWhereNothingIsExchanged) {
  const Training training(with_norm_and_dropout);
  const TestSettings alone = of_rank(over_the_batch(), training, 0, 2);
  const auto backend = make_backend(alone);
  const auto session = make_session(training.network, training.weights, alone, *backend);
  const Trained half = train(*session, training.batches, 0, batch / 2);
  TestSettings whole = over_the_batch();
  whole.batch = batch / 2;
  whole.seed = training.seed;
  const auto other_backend = make_backend(whole);
  const auto other = make_session(training.network, training.weights, whole, *other_backend);
  const Trained undivided = train(*other, training.batches, 0, batch / 2);
  for (std::size_t i = 0; i < moments_of(half).size(); ++i)
    EXPECT_NEAR(moments_of(half)[i], moments_of(undivided)[i], 1e-3) << i;
}

TEST(StatisticSums, AreSummedInBucketsOfTheirOwnBeforeAnyGradient) {
  TestSettings settings = over_the_batch();
  const Training training(norms_everywhere);
  const exchange::Arena shared = exchange_arena(norms_everywhere, of_rank(settings, training, 0, 2));
  ASSERT_EQ(shared.awaited, 4U * 2U + 3U) << "two in forward, one in backward but for the first layer";
  EXPECT_EQ(shared.bucket_of[shared.awaited], shared.awaited);
  settings.batch_statistics = BatchStatistics::shard;
  const exchange::Arena apart = exchange_arena(norms_everywhere, of_rank(settings, training, 0, 2));
  EXPECT_EQ(apart.awaited, 0U);
  EXPECT_EQ(apart.tensors.size() - 1, shared.tensors.size() - shared.awaited) << "moving moments are not exchanged";
}

/// Buffers that live on between the parts of a step are there once for each shard, and are counted.
TEST(StatisticSums, HoldWhatEachShardHasComputedSoFar) {
  const Training training(norms_everywhere);
  TestSettings settings = over_the_batch();
  settings.batch = 16 * batch;  // so that packed weights, which shards share, are little beside it
  settings.shards = shards;
  const auto backend = make_backend(settings);
  const auto bytes_of = [&](const TestSettings& of) {
    return make_session(training.network, training.weights, of, *backend)->plan().arena_bytes;
  };
  const auto shared = bytes_of(settings);
  settings.batch_statistics = BatchStatistics::shard;
  EXPECT_GT(shared, 3 * bytes_of(settings));
}

/// Where the batch is not cut nothing has to be summed.
TEST(StatisticSums, OfOneShardAreThoseOfTheUndividedStep) {
  const Training training(norms_everywhere);
  TestSettings settings = over_the_batch();
  const Trained batch_wide = train_alone(training, settings);
  settings.batch_statistics = BatchStatistics::shard;
  EXPECT_TRUE(batch_wide == train_alone(training, settings));
}

}  // namespace
}  // namespace regatta::engine
