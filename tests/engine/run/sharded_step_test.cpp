// The same training, whatever number of ranks shares the shards of a step: the same bits.
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/support.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::engine {
namespace {

constexpr std::int64_t shards = 8;
constexpr std::int64_t batch = 16;
constexpr int steps = 3;
constexpr double patience_seconds = 60;
constexpr exchange::BucketSizes small_buckets{.first_bytes = 4096, .bytes = 1 << 16};

const model::Network with_norm_and_dropout{"norm",
                                           {24},
                                           {model::Dense{40, model::Activation::relu}, model::BatchNorm{},
                                            model::Dropout{0.3}, model::Dense{10, model::Activation::softmax}},
                                           model::Loss::sparse_categorical_crossentropy,
                                           model::Adam{.learning_rate = 0.01}};

model::Network named(const char* name) { return std::get<model::Network>(*model::find_model(name, 64)); }

std::vector<float> values_of(const std::vector<model::Tensor>& tensors) {
  std::vector<float> all;
  for (const model::Tensor& tensor : tensors) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// What a training leaves and tells.
struct Trained {
  std::vector<float> weights, gradients;
  std::vector<float> losses;         ///< mean, of each step
  std::vector<float> sample_losses;  ///< the last step's
  bool operator==(const Trained&) const = default;
};

struct Training {
  model::Network network;
  std::uint64_t seed = 1;
  std::vector<OwnedBatch> batches = {};
  std::vector<model::Tensor> weights = {};

  explicit Training(model::Network of, std::uint64_t drawn = 1) : network(std::move(of)), seed(drawn) {
    Random random(seed);
    for (int step = 0; step < steps; ++step) batches.push_back(random_batch(random, network, batch));
    weights = model::initial_weights(network, seed);
  }
};

/// Samples [first, first + count) of a batch.
OwnedBatch part_of(const OwnedBatch& whole, std::int64_t first, std::int64_t count) {
  const auto part = [&](const auto& values) {
    const std::int64_t each = std::ssize(values) / batch;
    return std::remove_cvref_t<decltype(values)>(values.begin() + first * each,
                                                 values.begin() + (first + count) * each);
  };
  return {part(whole.x), part(whole.y_float), part(whole.y_int), part(whole.x_int)};
}

Trained train(Session& session, const Training& training, std::int64_t first, std::int64_t count) {
  Trained trained;
  for (const OwnedBatch& whole : training.batches) {
    const OwnedBatch own = part_of(whole, first, count);
    session.step(own.view());
    trained.losses.push_back(session.mean_loss());
    trained.sample_losses = {session.sample_losses().begin(), session.sample_losses().end()};
  }
  trained.weights = values_of(session.weights());
  trained.gradients = values_of(session.gradients());
  return trained;
}

using SettingsOfRank = std::function<TestSettings(std::size_t rank)>;

/// Each rank is a thread; sample losses are those of all ranks, in their order.
std::vector<Trained> train_in_ranks(const Training& training, std::size_t ranks, const SettingsOfRank& settings_of) {
  const exchange::Arena arena =
      exchange::make_arena(exchanged_tensors(training.network, settings_of(0).moving_moments), small_buckets, ranks);
  std::vector<exchange::Member> members;
  members.reserve(ranks);
  std::vector<int> fds;
  for (std::size_t rank = 0; rank < ranks; ++rank) fds.push_back(members.emplace_back(arena).fd());
  const exchange::Stop stop;
  std::vector<std::unique_ptr<exchange::Communicator>> communicators;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    communicators.push_back(
        exchange::make_shared_memory_communicator(arena, rank, std::move(members[rank]), fds, stop.fd()));
  std::vector<Trained> trained(ranks);
  std::vector<std::thread> threads;
  const std::int64_t own_batch = batch / static_cast<std::int64_t>(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      TestSettings settings = settings_of(rank);
      settings.batch = own_batch;
      settings.shards = shards / static_cast<std::int64_t>(ranks);
      settings.ranks = static_cast<std::int64_t>(ranks);
      settings.first_sample = static_cast<std::int64_t>(rank) * own_batch;
      settings.seed = training.seed;
      const auto backend = make_backend(settings);
      const auto session = make_session(training.network, training.weights, settings, *backend);
      session->join(*communicators[rank], patience_seconds);
      trained[rank] = train(*session, training, settings.first_sample, own_batch);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return trained;
}

Trained train_alone(const Training& training, TestSettings settings) {
  settings.batch = batch;
  settings.seed = training.seed;
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  return train(*session, training, 0, batch);
}

/// What one rank with all shards has.
Trained in_shards(const Training& training, TestSettings settings = {}) {
  settings.shards = shards;
  return train_alone(training, settings);
}

/// The moving moments of its one batch normalization, which stand behind the parameters.
std::vector<float> moments_of(const Trained& trained) {
  constexpr std::ptrdiff_t columns = 40;
  return {trained.weights.end() - 2 * columns, trained.weights.end()};
}

double size_of(const std::vector<float>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

void expect_same_bits(const std::vector<Trained>& ranks, const Trained& one) {
  std::vector<float> sample_losses;
  for (const Trained& rank : ranks) {
    EXPECT_TRUE(rank.weights == one.weights) << "weights differ";
    EXPECT_TRUE(rank.gradients == one.gradients) << "gradients differ";
    EXPECT_EQ(rank.losses, one.losses);
    sample_losses.insert(sample_losses.end(), rank.sample_losses.begin(), rank.sample_losses.end());
  }
  EXPECT_EQ(sample_losses, one.sample_losses);
}

/// "mlp-784 seed 3: weights 5f0c..."
void print_hash(const Training& training, const Trained& trained) {
  const auto* const bytes = reinterpret_cast<const char*>(trained.weights.data());
  const Hash128 hash = hash128({bytes, trained.weights.size() * sizeof(float)});
  std::cout << training.network.name << " seed " << training.seed << ": weights " << to_string(hash) << '\n';
}

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
  const Trained alone = train(*session, training, 0, batch / 2);
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

/// Once in a step, as those of the whole batch: not once for each shard.
TEST(ShardedStep, MovesMomentsOnceInAStep) {
  const Training training(with_norm_and_dropout);
  TestSettings settings;
  settings.moving_moments = true;
  const std::vector<float> whole = moments_of(train_alone(training, settings));
  const std::vector<float> sharded = moments_of(in_shards(training, settings));
  ASSERT_EQ(whole.size(), sharded.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(sharded[i], whole[i], 0.05) << i;
  EXPECT_FALSE(whole == sharded);
}

}  // namespace
}  // namespace regatta::engine
