// Trainings whose steps several ranks share, each a thread, beside those of one rank.
#pragma once

#include <cmath>
#include <functional>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/support.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::engine::in_ranks {

inline constexpr std::int64_t shards = 8;  ///< all ranks together
inline constexpr std::int64_t batch = 16;
inline constexpr int steps = 3;
inline constexpr double patience_seconds = 60;
inline constexpr exchange::BucketSizes small_buckets{.first_bytes = 4096, .bytes = 1 << 16};

inline const model::Network with_norm_and_dropout{"norm",
                                                  {24},
                                                  {model::Dense{40, model::Activation::relu}, model::BatchNorm{},
                                                   model::Dropout{0.3}, model::Dense{10, model::Activation::softmax}},
                                                  model::Loss::sparse_categorical_crossentropy,
                                                  model::Adam{.learning_rate = 0.01}};

inline model::Network named(const char* name) { return std::get<model::Network>(*model::find_model(name, 64)); }

inline std::vector<float> values_of(const std::vector<model::Tensor>& tensors) {
  std::vector<float> all;
  for (const model::Tensor& tensor : tensors) {
    const auto* const values = std::get_if<std::vector<float>>(&tensor.values);
    if (values != nullptr) all.insert(all.end(), values->begin(), values->end());
  }
  return all;
}

/// The results of a training.
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
inline OwnedBatch part_of(const OwnedBatch& whole, std::int64_t first, std::int64_t count) {
  const auto part = [&](const auto& values) {
    const std::int64_t each = std::ssize(values) / batch;
    return std::remove_cvref_t<decltype(values)>(values.begin() + first * each,
                                                 values.begin() + (first + count) * each);
  };
  return {part(whole.x), part(whole.y_float), part(whole.y_int), part(whole.x_int)};
}

/// A step for each batch, of which the session has samples [first, first + count).
inline Trained train(Session& session, const std::vector<OwnedBatch>& batches, std::int64_t first, std::int64_t count) {
  Trained trained;
  for (const OwnedBatch& whole : batches) {
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

inline TestSettings of_rank(TestSettings settings, const Training& training, std::size_t rank, std::size_t ranks) {
  settings.ranks = static_cast<std::int64_t>(ranks);
  settings.batch = batch / settings.ranks;
  settings.shards = shards / settings.ranks;
  settings.first_sample = static_cast<std::int64_t>(rank) * settings.batch;
  settings.seed = training.seed;
  return settings;
}

/// A session of a rank, which has joined the others.
using RunRank = std::function<void(Session& session, std::size_t rank, const TestSettings& settings)>;

/// Sessions of a rank come one after the other, and join by the same communicator.
inline void run_ranks(const Training& training, std::size_t ranks, const SettingsOfRank& settings_of,
                      const RunRank& run, int sessions = 1) {
  const exchange::Arena arena = exchange_arena(training.network, of_rank(settings_of(0), training, 0, ranks));
  std::vector<exchange::Member> members;
  members.reserve(ranks);
  std::vector<int> fds;
  for (std::size_t rank = 0; rank < ranks; ++rank) fds.push_back(members.emplace_back(arena).fd());
  const exchange::Stop stop;
  std::vector<std::unique_ptr<exchange::Communicator>> communicators;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    communicators.push_back(
        exchange::make_shared_memory_communicator(arena, rank, std::move(members[rank]), fds, stop.fd()));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const TestSettings settings = of_rank(settings_of(rank), training, rank, ranks);
      for (int i = 0; i < sessions; ++i) {
        const auto backend = make_backend(settings);
        const auto session = make_session(training.network, training.weights, settings, *backend);
        session->join(*communicators[rank], patience_seconds);
        run(*session, rank, settings);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Sample losses are those of all ranks, in their order.
inline std::vector<Trained> train_in_ranks(const Training& training, std::size_t ranks,
                                           const SettingsOfRank& settings_of) {
  std::vector<Trained> trained(ranks);
  const auto small = [&](std::size_t rank) {
    TestSettings settings = settings_of(rank);
    settings.buckets = small_buckets;
    return settings;
  };
  run_ranks(training, ranks, small, [&](Session& session, std::size_t rank, const TestSettings& settings) {
    trained[rank] = train(session, training.batches, settings.first_sample, settings.batch);
  });
  return trained;
}

inline Trained train_alone(const Training& training, TestSettings settings) {
  settings.batch = batch;
  settings.seed = training.seed;
  const auto backend = make_backend(settings);
  const auto session = make_session(training.network, training.weights, settings, *backend);
  return train(*session, training.batches, 0, batch);
}

/// The results of one rank with all shards.
inline Trained in_shards(const Training& training, TestSettings settings = {}) {
  settings.shards = shards;
  return train_alone(training, settings);
}

/// The moving moments of its one batch normalization, which stand behind the parameters.
inline std::vector<float> moments_of(const Trained& trained) {
  constexpr std::ptrdiff_t columns = 40;
  return {trained.weights.end() - 2 * columns, trained.weights.end()};
}

inline double size_of(const std::vector<float>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

inline void expect_same_bits(const std::vector<Trained>& ranks, const Trained& one) {
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
inline void print_hash(const Training& training, const Trained& trained) {
  const auto* const bytes = reinterpret_cast<const char*>(trained.weights.data());
  const Hash128 hash = hash128({bytes, trained.weights.size() * sizeof(float)});
  std::cout << training.network.name << " seed " << training.seed << ": weights " << to_string(hash) << '\n';
}

}  // namespace regatta::engine::in_ranks
