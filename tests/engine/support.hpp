// Shared by the engine's tests: random data and models, memory with guards around it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/device_under_test.hpp"
#include "regatta/engine/cpu_backend.hpp"
#include "regatta/engine/open_plugin.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/shapes.hpp"
#include "support/places.hpp"

namespace regatta::engine {

/// A fresh seed for each run, printed so that a failure can be repeated with REGATTA_TEST_SEED.
inline std::uint64_t test_seed() {
  const char* const given = std::getenv("REGATTA_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "REGATTA_TEST_SEED=" << seed << '\n';
  testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

using Random = std::mt19937_64;

inline std::int64_t uniform(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline std::vector<float> uniform_floats(Random& random, std::int64_t count, float low = -1, float high = 1) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = distribution(random);
  return values;
}

inline bool on_device() { return !plugin_under_test().empty(); }

/// The instruction sets that a test computes with, each in turn; a device has one.
inline std::vector<Isa> supported_isas() {
  if (on_device()) return {Isa::automatic};
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (cpu::supported(isa)) isas.push_back(isa);
  }
  return isas;
}

/// Instruction sets of the processor whose kernels give the same bits.
inline std::vector<Isa> agreeing_isas() {
  std::vector<Isa> isas = supported_isas();
  std::erase(isas, Isa::baseline);  // it cannot fuse a product and a sum
  return isas;
}

inline std::string isa_name(Isa isa) { return on_device() ? "device" : cpu::kernels_for(isa).isa; }

/// With which a test repeats what threads must not change; a device has none.
inline std::vector<int> thread_counts() { return on_device() ? std::vector<int>{1} : std::vector<int>{1, 2}; }

/// A number of repetitions, or a size, of tests for a processor: a device that is emulated takes a part of it.
inline std::int64_t reduced(std::int64_t count, std::int64_t by = 4) {
  return on_device() ? (count + by - 1) / by : count;
}

/// Kernels that compute a test: `plugin` is the reference ones behind the plugin boundary. Where there is a plugin
/// under test, its kernels compute in place of the processor's.
enum class Kernels { reference, cpu, plugin };

inline std::vector<Kernels> all_kernels() {
  if (on_device()) return {Kernels::cpu};
  return {Kernels::reference, Kernels::cpu, Kernels::plugin};
}

/// The settings of a test's session: both kinds in one.
struct TestSettings : Settings, cpu::Settings {
  TestSettings(engine::Settings step = {}, cpu::Settings processor = {})
      : engine::Settings(std::move(step)), cpu::Settings(std::move(processor)) {}

  void take(Kernels by) {
    kernels = by == Kernels::reference ? KernelSet::reference : KernelSet::cpu;
    in_plugin = by == Kernels::plugin;
  }

  bool in_plugin = false;
  Transfers transfers = Transfers::pinned;   ///< a device's
  DeviceMemory memory = DeviceMemory::grow;  ///< a device's
};

/// The plugin of that name that is built for tests.
inline std::string plugin_path(const std::string& name) {
  return support::binary_folder() + "/tests/engine/libregatta_" + name + ".so";
}

inline std::unique_ptr<Backend> make_backend(const TestSettings& settings) {
  const bool on_host = settings.in_plugin || settings.kernels == KernelSet::reference;
  if (on_device() && !on_host) {
    return open_plugin(plugin_under_test(), {.precision = settings.precision,
                                             .memory = settings.memory,
                                             .transfers = settings.transfers,
                                             .empty_kernels = settings.empty_kernels});
  }
  if (settings.in_plugin) return open_plugin(plugin_path("reference"), {.precision = settings.precision});
  return cpu::make_backend(settings, settings.precision);
}

/// A session with a backend of its own, whose steps tell their loss.
class TestSession {
 public:
  TestSession(const model::Model& model, const std::vector<model::Tensor>& weights, const TestSettings& settings)
      : backend_(engine::make_backend(settings)), session_(make_session(model, weights, settings, *backend_)) {}

  float step(const Batch& batch) {
    session_->step(batch);
    return session_->mean_loss();
  }
  float step_in_place() {
    session_->step_in_place();
    return session_->mean_loss();
  }
  [[nodiscard]] std::span<const float> sample_losses() const { return session_->sample_losses(); }
  [[nodiscard]] std::span<const float> output() const { return session_->output(); }
  [[nodiscard]] std::vector<model::Tensor> weights() const { return session_->weights(); }
  [[nodiscard]] std::vector<model::Tensor> gradients() const { return session_->gradients(); }
  void load(const std::vector<model::Tensor>& weights) { session_->load(weights); }
  void set_learning_rate(double learning_rate) { session_->set_learning_rate(learning_rate); }
  [[nodiscard]] std::vector<model::Tensor> optimizer_state() const { return session_->optimizer_state(); }
  void restore(const std::vector<model::Tensor>& weights, const std::vector<model::Tensor>& state) {
    session_->restore(weights, state);
  }
  [[nodiscard]] const PlanInfo& plan() const { return session_->plan(); }

  /// The values in the backend's memory, after all work so far.
  [[nodiscard]] std::vector<float> read(std::span<const float> memory) const {
    const auto bytes = static_cast<std::int64_t>(memory.size_bytes());
    const auto* const values = static_cast<const float*>(backend_->host_view(memory.data(), bytes));
    return {values, values + memory.size()};
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Session> session_;
};

inline std::unique_ptr<TestSession> make_session(const model::Model& model, const std::vector<model::Tensor>& weights,
                                                 const TestSettings& settings) {
  return std::make_unique<TestSession>(model, weights, settings);
}

/// A batch that fits a model, with memory of its own.
struct OwnedBatch {
  std::vector<float> x, y_float;
  std::vector<std::int32_t> y_int, x_int;
  [[nodiscard]] Batch view() const { return {x, y_float, y_int, x_int}; }
};

inline OwnedBatch random_batch(Random& random, const model::Network& network, std::int64_t batch) {
  const std::int64_t outputs = model::element_count(model::infer_shapes(network).back());
  OwnedBatch owned;
  const std::int64_t inputs = batch * model::element_count(network.input);
  if (const auto* embedding = std::get_if<model::Embedding>(&network.layers.front())) {
    for (std::int64_t i = 0; i < inputs; ++i)
      owned.x_int.push_back(static_cast<std::int32_t>(uniform(random, 0, embedding->vocabulary - 1)));
  } else {
    owned.x = uniform_floats(random, inputs);
  }
  switch (network.loss) {
    case model::Loss::mse:
      owned.y_float = uniform_floats(random, batch * outputs);
      break;
    case model::Loss::binary_crossentropy:
      for (std::int64_t i = 0; i < batch * outputs; ++i)
        owned.y_float.push_back(static_cast<float>(uniform(random, 0, 1)));
      break;
    case model::Loss::sparse_categorical_crossentropy:
      for (std::int64_t i = 0; i < batch; ++i)
        owned.y_int.push_back(static_cast<std::int32_t>(uniform(random, 0, outputs - 1)));
      break;
  }
  return owned;
}

inline model::Activation random_activation(Random& random) {
  return static_cast<model::Activation>(uniform(random, 0, 3));
}

inline model::Padding random_padding(Random& random) { return static_cast<model::Padding>(uniform(random, 0, 1)); }

inline void add_sequence_layers(Random& random, model::Network& network) {
  network.input = {uniform(random, 20, 40), uniform(random, 1, 6)};
  for (std::int64_t i = uniform(random, 1, 2); i > 0; --i) {
    network.layers.emplace_back(model::Conv1d{uniform(random, 1, 40), uniform(random, 1, 7), uniform(random, 1, 3),
                                              random_padding(random), random_activation(random)});
    if (model::infer_shapes(network).back()[0] < 7) break;
    if (uniform(random, 0, 2) == 0) network.layers.emplace_back(model::MaxPool{2});
    if (model::infer_shapes(network).back()[0] < 7) break;
  }
}

inline void add_image_layers(Random& random, model::Network& network) {
  network.input = {uniform(random, 9, 13), uniform(random, 9, 13), uniform(random, 1, 3)};
  for (std::int64_t i = uniform(random, 1, 2); i > 0; --i) {
    network.layers.emplace_back(model::Conv2d{uniform(random, 1, 40), uniform(random, 1, 3), uniform(random, 1, 2),
                                              random_padding(random), random_activation(random)});
    if (uniform(random, 0, 2) == 0) network.layers.emplace_back(model::BatchNorm{});
    const model::Shape shape = model::infer_shapes(network).back();
    if (shape[0] < 6 || shape[1] < 6) break;
    if (uniform(random, 0, 1) == 0) {
      network.layers.emplace_back(model::MaxPool{2});
    } else {
      network.layers.emplace_back(model::AveragePool{2});
    }
  }
}

inline void add_recurrent_layers(Random& random, model::Network& network) {
  if (uniform(random, 0, 1) == 0) {
    network.input = {uniform(random, 1, 6), uniform(random, 1, 5)};
  } else {
    network.input = {uniform(random, 1, 6)};
    network.layers.emplace_back(model::Embedding{uniform(random, 1, 9), uniform(random, 1, 20)});
  }
  for (std::int64_t i = uniform(random, 1, 2); i > 0; --i) {
    const model::Lstm lstm{uniform(random, 1, 20), random_activation(random), i > 1 || uniform(random, 0, 1) == 0};
    if (uniform(random, 0, 1) == 0) {
      network.layers.emplace_back(lstm);
    } else {
      network.layers.emplace_back(model::Bidirectional{lstm});
    }
  }
  if (uniform(random, 0, 2) == 0) network.layers.emplace_back(model::LayerNorm{});
}

/// A small network of random layers, activations, loss and optimizer.
inline model::Network random_network(Random& random) {
  using model::Activation;
  model::Network network;
  network.name = "random";
  switch (uniform(random, 0, 3)) {
    case 0:
      network.input = {uniform(random, 1, 40)};
      break;
    case 1:
      add_sequence_layers(random, network);
      break;
    case 2:
      add_image_layers(random, network);
      break;
    default:
      add_recurrent_layers(random, network);
  }
  if (model::infer_shapes(network).back().size() > 1) {
    if (uniform(random, 0, 1) == 0) {
      network.layers.emplace_back(model::GlobalAveragePool{});
    } else {
      network.layers.emplace_back(model::Flatten{});
    }
  }
  for (std::int64_t i = uniform(random, 0, 2); i > 0; --i) {
    network.layers.emplace_back(model::Dense{uniform(random, 1, 70), random_activation(random)});
    if (uniform(random, 0, 1) == 0) network.layers.emplace_back(model::Dropout{0.3});
  }
  network.loss = static_cast<model::Loss>(uniform(random, 0, 2));
  const Activation last = network.loss == model::Loss::mse                   ? random_activation(random)
                          : network.loss == model::Loss::binary_crossentropy ? Activation::sigmoid
                                                                             : Activation::softmax;
  network.layers.emplace_back(model::Dense{uniform(random, 1, 12), last});
  if (uniform(random, 0, 1) == 0) {
    network.optimizer = model::Adam{0.01};
  } else {
    network.optimizer = model::Sgd{0.05, uniform(random, 0, 1) == 0 ? 0.0 : 0.9};
  }
  return network;
}

/// A description of the network, for messages.
inline std::string describe(const model::Network& network) {
  std::string text = "input";
  for (const std::int64_t size : network.input) text += ' ' + std::to_string(size);
  for (const auto& layer : network.layers) text += ", kind " + std::to_string(layer.index());
  for (const auto& parameter : model::parameters(network)) {
    text += ", " + parameter.name + " (";
    for (const std::int64_t size : parameter.shape) text += std::to_string(size) + ' ';
    text += ')';
  }
  return text + ", loss " + std::to_string(static_cast<int>(network.loss));
}

}  // namespace regatta::engine
