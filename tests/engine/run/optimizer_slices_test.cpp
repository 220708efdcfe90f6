// Ranks of which each updates its part of the parameters have the bits of ranks that update all, and of one rank.
#include "engine/run/optimizer_slices.hpp"

#include <gmock/gmock.h>

#include "engine/run/in_ranks.hpp"
#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

using namespace in_ranks;

const model::Optimizer optimizers[] = {model::Sgd{.learning_rate = 0.1}, model::Sgd{0.1, 0.9},
                                       model::Adam{.learning_rate = 0.01}};

model::Network with(model::Network network, const model::Optimizer& optimizer) {
  network.optimizer = optimizer;
  return network;
}

TestSettings sharded(TestSettings settings = {}) {
  settings.optimizer_state = OptimizerState::sharded;
  return settings;
}

std::vector<Trained> train_sharded(const Training& training, std::size_t ranks, const TestSettings& settings = {}) {
  return train_in_ranks(training, ranks, [&](std::size_t) { return sharded(settings); });
}

TEST(OptimizerSlices, HaveTheBitsOfOneRankWithEachOptimizer) {
  for (const model::Network& network : {named("mlp-784"), with_norm_and_dropout}) {
    for (const model::Optimizer& optimizer : optimizers) {
      const Training training(with(network, optimizer), test_seed());
      const Trained one = in_shards(training);
      print_hash(training, one);
      for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
        SCOPED_TRACE(network.name + " " + std::to_string(ranks));
        expect_same_bits(train_sharded(training, ranks), one);
      }
    }
  }
}

TEST(OptimizerSlices, HaveTheSameBitsInBucketsOfAnySize) {
  const Training training(named("conv1d-small"));
  const Trained one = in_shards(training);
  for (const std::uint64_t bytes : {0U, 4096U, 25U << 20U}) {
    TestSettings settings = sharded();
    settings.buckets = {.first_bytes = std::min<std::uint64_t>(bytes, 1U << 20U), .bytes = bytes};
    std::vector<Trained> trained(4);
    run_ranks(
        training, 4, [&](std::size_t) { return settings; },
        [&](Session& session, std::size_t rank, const TestSettings& own) {
          trained[rank] = train(session, training.batches, own.first_sample, own.batch);
        });
    SCOPED_TRACE(bytes);
    expect_same_bits(trained, one);
  }
}

TEST(OptimizerSlices, HaveTheSameBitsInEagerAndGraphMixedOnEachInstructionSet) {
  const Training training(with_norm_and_dropout, test_seed());
  for (const Isa isa : supported_isas()) {
    TestSettings graph = sharded();
    graph.isa = isa;
    const Trained one = in_shards(training, graph);
    const auto mixed = [&](std::size_t rank) {
      TestSettings settings = graph;
      settings.mode = rank % 2 == 0 ? Mode::graph : Mode::eager;
      settings.threads = rank % 2 == 0 ? 1 : 2;
      return settings;
    };
    expect_same_bits(train_in_ranks(training, 4, mixed), one);
  }
}

/// The norm is that of all gradients, which each rank reads in one order; gradients are told as updates read them.
TEST(OptimizerSlices, ClipByTheNormOfAllGradientsAndDecayWeights) {
  TestSettings clipped;
  clipped.clip_norm = 0.01;
  clipped.weight_decay = 0.1;
  for (const model::Optimizer& optimizer : optimizers) {
    const Training training(with(named("mlp-784"), optimizer));
    const Trained one = in_shards(training, clipped);
    EXPECT_FALSE(one.gradients == in_shards(training).gradients);
    for (const std::size_t ranks : {2U, 8U}) expect_same_bits(train_sharded(training, ranks, clipped), one);
  }
}

/// Two of the steps make an update, the third one waits.
TEST(OptimizerSlices, AccumulateOverSteps) {
  TestSettings accumulating;
  accumulating.accumulate = 2;
  accumulating.clip_norm = 1;
  const Training training(with_norm_and_dropout);
  const Trained one = in_shards(training, accumulating);
  for (const std::size_t ranks : {2U, 8U}) expect_same_bits(train_sharded(training, ranks, accumulating), one);
}

/// Weights and optimizer's state of one rank after a step, and what the other steps make of them in other ranks.
struct Leg {
  std::vector<model::Tensor> weights, state;
};

Leg first_step_of(const Training& training, std::size_t ranks, const TestSettings& settings) {
  std::vector<Leg> legs(ranks);
  run_ranks(
      training, ranks, [&](std::size_t) { return settings; },
      [&](Session& session, std::size_t rank, const TestSettings& own) {
        train(session, {training.batches.front()}, own.first_sample, own.batch);
        legs[rank] = {session.weights(), session.optimizer_state()};
      });
  for (const Leg& leg : legs) {
    EXPECT_EQ(values_of(leg.weights), values_of(legs[0].weights));
    EXPECT_EQ(values_of(leg.state), values_of(legs[0].state));
  }
  return legs[0];
}

std::vector<Trained> other_steps_of(const Training& training, std::size_t ranks, const TestSettings& settings,
                                    const Leg& leg) {
  const std::vector<OwnedBatch> rest(training.batches.begin() + 1, training.batches.end());
  std::vector<Trained> trained(ranks);
  run_ranks(
      training, ranks, [&](std::size_t) { return settings; },
      [&](Session& session, std::size_t rank, const TestSettings& own) {
        session.restore(leg.weights, leg.state);
        trained[rank] = train(session, rest, own.first_sample, own.batch);
      });
  return trained;
}

/// Trainings to an end show each rank's moments to the others: what is saved does not tell how they were kept.
TEST(OptimizerSlices, GoOnInAnotherNumberOfRanksAndReplicated) {
  for (const model::Optimizer& optimizer : optimizers) {
    const Training training(with(with_norm_and_dropout, optimizer));
    TestSettings replicated;
    replicated.moving_moments = true;
    const Leg of_one = first_step_of(training, 1, replicated);
    const Leg of_four = first_step_of(training, 4, sharded(replicated));
    EXPECT_EQ(values_of(of_four.weights), values_of(of_one.weights));
    EXPECT_EQ(values_of(of_four.state), values_of(of_one.state));
    const Trained whole = other_steps_of(training, 1, replicated, of_one).front();
    EXPECT_EQ(whole.weights, in_shards(training, replicated).weights);
    expect_same_bits(other_steps_of(training, 2, sharded(replicated), of_four), whole);
    expect_same_bits(other_steps_of(training, 2, replicated, of_four), whole);
  }
}

TEST(OptimizerSlices, BeginAgainWithMomentsOfZero) {
  const Training training(with_norm_and_dropout);
  for (const bool to_an_end : {false, true}) {
    TestSettings settings = sharded();
    settings.moving_moments = to_an_end;
    run_ranks(
        training, 2, [&](std::size_t) { return settings; },
        [&](Session& session, std::size_t, const TestSettings& own) {
          const Trained once = train(session, training.batches, own.first_sample, own.batch);
          session.load(training.weights);
          EXPECT_TRUE(train(session, training.batches, own.first_sample, own.batch) == once);
        });
  }
}

TEST(OptimizerSlices, OfALaterSessionBeginWithMomentsOfZero) {
  const Training training(with_norm_and_dropout);
  TestSettings settings = sharded();
  settings.moving_moments = true;
  std::vector<std::vector<Trained>> trained(2);
  run_ranks(
      training, 2, [&](std::size_t) { return settings; },
      [&](Session& session, std::size_t rank, const TestSettings& own) {
        trained[rank].push_back(train(session, training.batches, own.first_sample, own.batch));
      },
      2);
  for (const auto& of_rank : trained) EXPECT_TRUE(of_rank.at(0) == of_rank.at(1));
}

/// Parameters and gradients whole, of each moment one rank's part: that of four ranks is a quarter but for padding.
TEST(OptimizerSlices, TakeTheMemoryOfOnePartOfTheMoments) {
  const model::Network network = with(named("mlp-784"), model::Adam{.learning_rate = 0.01});
  const Training training(network);
  const auto state_bytes = [&](std::size_t ranks, OptimizerState state) {
    TestSettings settings;
    settings.optimizer_state = state;
    settings = of_rank(settings, training, 0, ranks);
    const auto backend = make_backend(settings);
    return make_session(network, training.weights, settings, *backend)->plan().state_bytes;
  };
  const std::uint64_t moments = 2 * sizeof(float) * values_of(training.weights).size();
  const std::uint64_t whole = state_bytes(4, OptimizerState::replicated);
  EXPECT_EQ(state_bytes(1, OptimizerState::sharded), state_bytes(1, OptimizerState::replicated));
  EXPECT_NEAR(static_cast<double>(whole - state_bytes(4, OptimizerState::sharded)), 0.75 * static_cast<double>(moments),
              0.02 * static_cast<double>(moments));
}

/// The update alone, as an intervention without the exchange measures it: the others' weights stay as they were.
TEST(OptimizerSlices, OfARankThatJoinsNobodyAreUpdatedAlone) {
  const Training training(with(named("mlp-784"), model::Sgd{0.1, 0.9}));
  const TestSettings settings = of_rank(sharded(), training, 1, 2);
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  const std::vector<float> before = values_of(training.weights);
  const std::vector<float> after = train(*session, training.batches, batch / 2, batch / 2).weights;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1 : 0;
  EXPECT_GT(moved, before.size() / 4);
  EXPECT_LT(moved, before.size() * 3 / 5);
}

/// A rank that ends before it has shown its weights.
TEST(OptimizerSlices, OfARankThatDoesNotComeAreNamed) {
  const Training training(with_norm_and_dropout);
  const TestSettings settings = of_rank(sharded(), training, 0, 2);
  const exchange::Arena arena = exchange_arena(training.network, settings);
  exchange::Member own(arena), other(arena);
  const std::vector<int> fds = {own.fd(), other.fd()};
  const exchange::Stop stop;
  const auto mine = exchange::make_shared_memory_communicator(arena, 0, std::move(own), fds, stop.fd());
  const auto others = exchange::make_shared_memory_communicator(arena, 1, std::move(other), fds, stop.fd());
  std::thread peer([&] {
    for (std::size_t bucket = 0; bucket < arena.buckets.size(); ++bucket) others->ready(bucket);
    for (std::size_t bucket = 0; bucket < arena.buckets.size(); ++bucket) others->wait(bucket, patience_seconds);
  });
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  session->join(*mine, 1);
  try {
    train(*session, training.batches, 0, settings.batch);
    ADD_FAILURE() << "weights that nobody has shown were read";
  } catch (const exchange::ExchangeFailed& failed) {
    EXPECT_THAT(failed.what(), testing::HasSubstr("rank 1 has not updated its part of bucket 0 of step 1"));
    EXPECT_EQ(failed.rank, 1U);
  }
  peer.join();
}

}  // namespace
}  // namespace regatta::engine
