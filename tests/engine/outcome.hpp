// The outcome of a session of one batch after some steps, to be compared between settings.
#pragma once

#include "engine/support.hpp"

namespace regatta::engine {

/// The mean loss, the samples' losses and the gradients of each step; then the weights.
inline std::vector<float> outcome(const model::Network& network, const OwnedBatch& batch,
                                  const TestSettings& settings) {
  const auto session = make_session(network, model::initial_weights(network, 4), settings);
  std::vector<float> all;
  const auto keep = [&](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
  for (int step = 0; step < 5; ++step) {
    all.push_back(session->step(batch.view()));
    keep(session->sample_losses());
    for (const auto& tensor : session->gradients()) keep(std::get<std::vector<float>>(tensor.values));
  }
  for (const auto& tensor : session->weights()) keep(std::get<std::vector<float>>(tensor.values));
  return all;
}

/// Eager and graph, on one thread and on two.
inline void expect_same_outcome(const model::Network& network, const OwnedBatch& batch, TestSettings settings) {
  const auto expected = outcome(network, batch, settings);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    for (const int threads : {1, 2}) {
      settings.mode = mode;
      settings.threads = threads;
      EXPECT_EQ(expected, outcome(network, batch, settings)) << threads << " threads";
    }
  }
}

}  // namespace regatta::engine
