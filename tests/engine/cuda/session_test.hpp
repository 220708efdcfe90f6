// Sessions on the emulated device: what they give, in which order of work whatever.
#pragma once

#include "engine/cuda/cuda_test.hpp"
#include "regatta/engine/session.hpp"

namespace regatta::engine::cuda {

/// How a session is run.
struct Variant {
  Mode mode = Mode::graph;
  bool fusion = true;
  Transfers transfers = Transfers::pinned;
  DeviceMemory memory = DeviceMemory::grow;
  Orders orders = {};
};

inline std::string text_of(const Variant& variant) {
  return text({static_cast<int>(variant.mode), variant.fusion, static_cast<int>(variant.transfers),
               static_cast<int>(variant.memory), static_cast<int>(variant.orders.streams),
               static_cast<int>(variant.orders.threads), static_cast<std::int64_t>(variant.orders.seed)});
}

/// Random networks, or what they are trained with.
struct Task {
  model::Network network;
  Settings settings;
  Precision precision = Precision::fp32;
  std::vector<OwnedBatch> batches;
};

inline Task random_task(Random& random) {
  Task task{.network = random_network(random), .settings = {}, .precision = {}, .batches = {}};
  task.settings.batch = uniform(random, 1, 9);
  task.settings.seed = 11;
  task.settings.moving_moments = uniform(random, 0, 1) == 1;
  if (uniform(random, 0, 2) == 0) task.settings.clip_norm = 0.1;
  if (uniform(random, 0, 2) == 0) task.settings.accumulate = 2;
  if (uniform(random, 0, 2) == 0) task.settings.weight_decay = 0.01;
  task.precision = static_cast<Precision>(uniform(random, 0, 2));
  task.settings.precision = task.precision;
  for (int i = 0; i < 4; ++i) task.batches.push_back(random_batch(random, task.network, task.settings.batch));
  return task;
}

/// Everything that a session shows, after steps of which some are in place and none is waited for, but some.
inline std::vector<std::vector<float>> outcome(Session& session, const std::vector<OwnedBatch>& batches) {
  std::vector<std::vector<float>> all;
  const auto keep = [&](std::span<const float> values) { all.emplace_back(values.begin(), values.end()); };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    OwnedBatch batch = batches[i];
    session.step(batch.view());
    batch = {};
    if (i % 2 == 1) session.step_in_place();
    if (i % 2 == 0) continue;
    all.push_back({session.mean_loss()});
    keep(session.sample_losses());
    keep(session.output());
  }
  session.set_learning_rate(0.003);
  session.step(batches[0].view());
  session.wait();
  for (const auto& tensor : session.weights()) keep(std::get<std::vector<float>>(tensor.values));
  for (const auto& tensor : session.gradients()) keep(std::get<std::vector<float>>(tensor.values));
  return all;
}

inline std::vector<std::vector<float>> outcome(const Task& task, const Variant& variant) {
  const auto backend =
      make_backend({.precision = task.precision,
                    .memory = variant.memory,
                    .transfers = variant.transfers,
                    .memory_bytes = variant.memory == DeviceMemory::preallocate ? std::int64_t{64} << 20 : 0});
  Settings settings = task.settings;
  settings.mode = variant.mode;
  settings.fusion = variant.fusion;
  const auto session = make_session(task.network, model::initial_weights(task.network, 5), settings, *backend);
  return outcome(*session, task.batches);
}

inline bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), 4 * x.size()) == 0);
         });
}

}  // namespace regatta::engine::cuda
