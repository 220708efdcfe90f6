// A training whose gradients are some twenty buckets, shared among ranks.
#pragma once

#include <optional>

#include "engine/cuda/nccl/processes.hpp"
#include "engine/cuda/session_test.hpp"

namespace regatta::engine::cuda {

inline constexpr std::int64_t kBatch = 16;
inline constexpr int kSteps = 3;
inline constexpr int kLayers = 9;
inline constexpr int kSums = 2 * kLayers + 1;  // a step's: the loss, then each tensor is a bucket

/// Most of its tensors fill whole cache lines: no sum has room for a mistake at its end.
inline model::Network deep() {
  model::Network network{"deep", {12}, {}, model::Loss::sparse_categorical_crossentropy, model::Adam{0.01}};
  for (int i = 1; i < kLayers; ++i) network.layers.emplace_back(model::Dense{16, model::Activation::relu});
  network.layers.insert(network.layers.begin() + 2, model::Dropout{0.2});  // by sample, whatever the ranks
  network.layers.emplace_back(model::Dense{4, model::Activation::softmax});
  return network;
}

struct Shared {
  Mode mode = Mode::graph;
  int ranks = 1;
  double patience_seconds = 20;
  std::string stop = {};
  std::optional<int> device = {};  ///< all ranks'; else each has its own
  Transfers transfers = Transfers::pinned;
  exchange::BucketSizes buckets = {.first_bytes = 1, .bytes = 0};
};

inline std::vector<float> flat(const std::vector<model::Tensor>& tensors) {
  std::vector<float> all;
  for (const model::Tensor& tensor : tensors) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class T>
std::vector<T> rows(const std::vector<T>& values, std::int64_t first, std::int64_t count) {
  const std::int64_t each = std::ssize(values) / kBatch;
  return {values.begin() + first * each, values.begin() + (first + count) * each};
}

/// Losses of the steps, then weights and gradients after the last one.
inline std::vector<float> train(const Shared& how, int rank, Board& board) {
  const std::int64_t own = kBatch / how.ranks;
  Settings settings;
  settings.mode = how.mode;
  settings.ranks = how.ranks;
  settings.batch = own;
  settings.first_sample = rank * own;
  settings.buckets = how.buckets;
  std::unique_ptr<DeviceGroup> group;
  const int device = how.device.value_or(rank);
  const auto backend = make_backend({.device = device, .transfers = how.transfers});
  const model::Network network = deep();
  const auto session = make_session(network, model::initial_weights(network, 5), settings, *backend);
  if (how.ranks > 1) {
    group = join_group({.id = relayed_id(rank, board),
                        .device = device,
                        .rank = rank,
                        .ranks = how.ranks,
                        .patience_seconds = how.patience_seconds,
                        .stop = how.stop});
    session->join(*group);
  }
  Random random(7);
  std::vector<float> told;
  for (int step = 0; step < kSteps; ++step) {
    const OwnedBatch whole = random_batch(random, network, kBatch);
    const OwnedBatch part{rows(whole.x, rank * own, own), rows(whole.y_float, rank * own, own),
                          rows(whole.y_int, rank * own, own), rows(whole.x_int, rank * own, own)};
    session->step(part.view());
    told.push_back(session->mean_loss());
  }
  for (const auto& tensors : {session->weights(), session->gradients()}) {
    const std::vector<float> values = flat(tensors);
    told.insert(told.end(), values.begin(), values.end());
  }
  return told;
}

inline std::vector<Ended> trained(Processes& processes, const Shared& how, const std::string& orders = "") {
  return processes.run(how.ranks, orders, [&](int rank, Board& board) { return train(how, rank, board); });
}

}  // namespace regatta::engine::cuda
