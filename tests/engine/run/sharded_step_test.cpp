// The same training, whatever number of ranks shares the shards of a step: the same bits.
#include "engine/run/in_ranks.hpp"
#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

using namespace in_ranks;

TEST(ShardedStep, AnyNumberOfRanksGivesTheSameBits) {
  for (const model::Network& network : {named("mlp-784"), named("conv1d-small"), with_norm_and_dropout}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Training training(network, seed);
      const Trained one = in_shards(training);
      print_hash(training, one);
      for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
        SCOPED_TRACE(network.name + " " + std::to_string(ranks));
        expect_same_bits(train_in_ranks(training, ranks, [](std::size_t) { return TestSettings(); }), one);
      }
    }
  }
}

TEST(ShardedStep, EagerAndGraphMixedGiveTheSameBitsOnEachInstructionSet) {
  const Training training(with_norm_and_dropout, test_seed());
  for (const Isa isa : supported_isas()) {
    TestSettings graph;
    graph.isa = isa;
    const Trained one = in_shards(training, graph);
    const auto mixed = [&](std::size_t rank) {
      TestSettings settings = graph;
      settings.mode = rank % 2 == 0 ? Mode::graph : Mode::eager;
      return settings;
    };
    expect_same_bits(train_in_ranks(training, 4, mixed), one);
  }
}

/// Rank 0 on the first instruction set, rank 1 on the second, and so on.
TEST(ShardedStep, InstructionSetsMixedGiveTheSameBits) {
  const std::vector<Isa> isas = agreeing_isas();
  for (const model::Network& network : {named("mlp-784"), named("conv1d-small"), with_norm_and_dropout}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Training training(network, seed);
      TestSettings first;
      first.isa = isas.front();
      const Trained one = in_shards(training, first);
      const auto mixed = [&](std::size_t rank) {
        TestSettings settings;
        settings.isa = isas[rank % isas.size()];
        return settings;
      };
      print_hash(training, one);
      for (const std::size_t ranks : {2U, 4U, 8U}) {
        SCOPED_TRACE(network.name + " " + std::to_string(ranks));
        expect_same_bits(train_in_ranks(training, ranks, mixed), one);
      }
    }
  }
}

TEST(ShardedStep, AnyNumberOfRanksMovesMomentsAlike) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Training training(with_norm_and_dropout, seed);
    TestSettings settings;
    settings.moving_moments = true;
    const Trained one = in_shards(training, settings);
    for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
      SCOPED_TRACE(ranks);
      expect_same_bits(train_in_ranks(training, ranks, [&](std::size_t) { return settings; }), one);
    }
  }
}

TEST(ShardedStep, IsTheStepOfTheWholeBatchButForRounding) {
  for (const model::Network& network : {named("mlp-784"), named("conv1d-small")}) {
    const Training training(network);
    const Trained whole = train_alone(training, {});
    const Trained sharded = in_shards(training);
    for (int step = 0; step < steps; ++step)
      EXPECT_NEAR(sharded.losses[static_cast<std::size_t>(step)], whole.losses[static_cast<std::size_t>(step)], 1e-4);
    EXPECT_FALSE(sharded.weights == whole.weights) << "shards are not taken";
    EXPECT_NEAR(size_of(sharded.gradients), size_of(whole.gradients), 1e-3 * size_of(whole.gradients));
  }
}

TEST(ShardedStep, ClipsByTheNormOfAllGradientsTogether) {
  const Training training(with_norm_and_dropout);
  TestSettings clipped;
  clipped.clip_norm = 0.01;
  const Trained one = in_shards(training, clipped);
  EXPECT_FALSE(one.weights == in_shards(training).weights);
  expect_same_bits(train_in_ranks(training, 4, [&](std::size_t) { return clipped; }), one);
}

/// Two of the steps make an update, the third one waits.
TEST(ShardedStep, AccumulatesOverSteps) {
  TestSettings accumulating;
  accumulating.accumulate = 2;
  accumulating.clip_norm = 1;
  for (const model::Network& network : {named("mlp-784"), with_norm_and_dropout}) {
    const Training training(network);
    const Trained one = in_shards(training, accumulating);
    EXPECT_FALSE(one.weights == in_shards(training).weights);
    for (const std::size_t ranks : {2U, 8U})
      expect_same_bits(train_in_ranks(training, ranks, [&](std::size_t) { return accumulating; }), one);
  }
  const Training training(named("mlp-784"));
  const Trained whole = train_alone(training, accumulating);
  const Trained sharded = in_shards(training, accumulating);
  EXPECT_NEAR(sharded.losses.back(), whole.losses.back(), 1e-4);
  EXPECT_NEAR(size_of(sharded.weights), size_of(whole.weights), 1e-5 * size_of(whole.weights));
}

TEST(ShardedStep, OfARankThatJoinsNobodyIsItsOwn) {
  const Training training(with_norm_and_dropout);
  TestSettings settings;
  settings.batch = batch / 2;
  settings.shards = shards / 2;
  settings.ranks = 2;
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  const Trained alone = train(*session, training.batches, 0, batch / 2);
  EXPECT_FALSE(alone.weights == in_shards(training).weights);
}

TEST(ShardedStep, EvaluatesAndInfersUndivided) {
  const Training training(with_norm_and_dropout);
  for (const Work work : {Work::infer, Work::evaluate}) {
    TestSettings settings;
    settings.work = work;
    TestSettings in_parts = settings;
    in_parts.shards = shards;
    EXPECT_TRUE(train_alone(training, in_parts) == train_alone(training, settings));
  }
}

TEST(ShardedStep, ThatCannotBeIsRefused) {
  const Training training(with_norm_and_dropout);
  const auto refuses = [&](const auto& change) {
    TestSettings settings;
    settings.batch = batch;
    change(settings);
    const auto backend = make_backend(settings);
    EXPECT_THROW(make_session(training.network, training.weights, settings, *backend), InputError);
  };
  refuses([](TestSettings& settings) { settings.shards = 3; });
  refuses([](TestSettings& settings) { settings.ranks = 128; });
  refuses([](TestSettings& settings) { settings.shards = 32; });  // than there are samples
}

/// Only steps in shards exchange gradients between processors.
TEST(ShardedStep, ThatIsNoneJoinsNobody) {
  const Training training(with_norm_and_dropout);
  TestSettings settings;
  settings.batch = batch;
  const exchange::Arena arena = exchange_arena(training.network, settings);
  exchange::Member member(arena);
  const std::vector<int> fds = {member.fd()};
  const exchange::Stop stop;
  const auto communicator = exchange::make_shared_memory_communicator(arena, 0, std::move(member), fds, stop.fd());
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  EXPECT_THROW(session->join(*communicator, patience_seconds), InternalError);
  DeviceGroup group;
  EXPECT_THROW(session->join(group), InternalError);
  EXPECT_TRUE(session->take_arrivals().buckets().empty());
  EXPECT_EQ(session->exposed_exchange_seconds(), 0);
}

/// Once in a step, not once for each shard: means over steps of means over shards are those over batches. Variances
/// within shards leave out how far the shards' means lie apart. Weights that stay make the steps alike.
TEST(ShardedStep, MovesMomentsOnceInAStep) {
  model::Network network = with_norm_and_dropout;
  network.optimizer = model::Sgd{.learning_rate = 0};
  const Training training(network);
  TestSettings settings;
  settings.moving_moments = true;
  const std::vector<float> whole = moments_of(train_alone(training, settings));
  const std::vector<float> sharded = moments_of(in_shards(training, settings));
  ASSERT_EQ(whole.size(), sharded.size());
  const std::size_t columns = whole.size() / 2;
  for (std::size_t i = 0; i < columns; ++i) {
    EXPECT_NEAR(sharded[i], whole[i], 1e-5) << i;
    EXPECT_LE(sharded[columns + i], whole[columns + i] + 1e-5F) << i;
  }
  EXPECT_FALSE(whole == sharded);
}

}  // namespace
}  // namespace regatta::engine
