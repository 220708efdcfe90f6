// Eager, graph with and without fusion, any number of threads, and instruction sets with fused multiply-add give the
// same bits.
#include <cstring>

#include "engine/support.hpp"

namespace regatta::engine {
namespace {

struct Variant {
  std::string name;
  Mode mode;
  bool fusion;
  int threads;
};

const std::vector<Variant> kVariants{{"eager", Mode::eager, true, 1},
                                     {"graph", Mode::graph, true, 1},
                                     {"graph without fusion", Mode::graph, false, 1},
                                     {"graph on 2 threads", Mode::graph, true, 2},
                                     {"eager on 2 threads", Mode::eager, true, 2}};

/// Everything that a session shows, after some steps.
std::vector<std::vector<float>> outcome(const model::Network& network, const std::vector<OwnedBatch>& batches,
                                        TestSettings settings, const Variant& variant) {
  settings.mode = variant.mode;
  settings.fusion = variant.fusion;
  settings.threads = variant.threads;
  const auto session = make_session(network, model::initial_weights(network, 5), settings);
  std::vector<std::vector<float>> all;
  for (const OwnedBatch& batch : batches) {
    all.push_back({session->step(batch.view())});
    all.emplace_back(session->sample_losses().begin(), session->sample_losses().end());
    all.emplace_back(session->output().begin(), session->output().end());
  }
  for (const auto& tensor : session->weights()) all.push_back(std::get<std::vector<float>>(tensor.values));
  if (settings.work != Work::train) return all;
  for (const auto& tensor : session->gradients()) all.push_back(std::get<std::vector<float>>(tensor.values));
  return all;
}

bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    if (!a[i].empty() && std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0) return false;
  }
  return true;
}

void expect_same_bits(const model::Network& network, TestSettings settings, Random& random, int steps) {
  std::vector<OwnedBatch> batches;
  for (int i = 0; i < steps; ++i) batches.push_back(random_batch(random, network, settings.batch));
  const auto first = outcome(network, batches, settings, kVariants.front());
  for (const Variant& variant : kVariants) {
    if (on_device() && variant.threads > 1) continue;
    EXPECT_TRUE(same_bits(first, outcome(network, batches, settings, variant)))
        << variant.name << " differs from eager; " << describe(network) << ", batch " << settings.batch;
  }
  if (on_device() || settings.in_plugin || settings.kernels == KernelSet::reference || settings.isa == Isa::baseline)
    return;
  for (const Isa isa : agreeing_isas()) {
    settings.isa = isa;
    EXPECT_TRUE(same_bits(first, outcome(network, batches, settings, kVariants[1])))
        << "graph on " << isa_name(isa) << " differs; " << describe(network) << ", batch " << settings.batch;
  }
}

TEST(SameBits, RandomModelsOverSeveralSteps) {
  Random random(test_seed());
  for (int i = 0; i < reduced(60); ++i) {
    TestSettings settings;
    settings.batch = uniform(random, 1, 20);
    settings.seed = 11;
    settings.work = i % 6 == 0 ? Work::infer : Work::train;
    settings.moving_moments = i % 2 == 0;
    const auto isas = supported_isas();
    settings.isa = isas[static_cast<std::size_t>(i) % isas.size()];
    if (i % 7 == 0) settings.take(all_kernels().front());
    if (i % 7 == 1) settings.take(all_kernels().back());
    expect_same_bits(random_network(random), settings, random, 4);
  }
}

TEST(SameBits, EverySettingOfTheUpdate) {
  Random random(test_seed());
  for (int i = 0; i < reduced(30); ++i) {
    TestSettings settings;
    settings.batch = uniform(random, 1, 20);
    settings.weight_decay = i % 2 == 0 ? 0.1 : 0;
    settings.clip_norm = i % 3 != 0 ? 0.1 : 0;
    settings.accumulate = i % 4 + 1;
    if (i % 7 == 0) settings.take(all_kernels().front());
    if (i % 7 == 1) settings.take(all_kernels().back());
    expect_same_bits(random_network(random), settings, random, 5);
  }
}

TEST(SameBits, UpdatesThatWaitForAllGradientsOfLargeAndOfBlockedModels) {
  using model::Activation;
  Random random(test_seed());
  const model::Network large{
      "l",
      {reduced(700, 10)},
      {model::Dense{reduced(900, 10), Activation::tanh}, model::Dense{reduced(300, 10)}, model::Dense{1}},
      model::Loss::mse,
      {}};
  const model::Network blocked{
      "b", {10}, {model::Dense{50, Activation::relu}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.01}};
  for (const std::int64_t accumulate : {1, 2}) {
    for (const double clip_norm : {0.0, 0.01}) {
      TestSettings settings;
      settings.accumulate = accumulate;
      settings.clip_norm = clip_norm;
      settings.weight_decay = 0.1;
      settings.batch = 16;
      for (const model::Optimizer& optimizer :
           {model::Optimizer{model::Adam{0.001}}, model::Optimizer{model::Sgd{0.01, 0.9}}}) {
        model::Network network = large;
        network.optimizer = optimizer;
        expect_same_bits(network, settings, random, 4);
      }
      settings.batch = reduced(1000, 20);  // in blocks of rows
      expect_same_bits(blocked, settings, random, 4);
    }
  }
}

TEST(SameBits, Evaluation) {
  Random random(test_seed());
  for (int i = 0; i < reduced(20); ++i) {
    TestSettings settings;
    settings.work = Work::evaluate;
    settings.batch = uniform(random, 1, i % 2 == 0 ? 20 : reduced(600, 10));
    if (i % 7 == 0) settings.take(all_kernels().front());
    if (i % 7 == 1) settings.take(all_kernels().back());
    expect_same_bits(random_network(random), settings, random, 2);
  }
}

TEST(SameBits, ModelsLargeEnoughToBeSplitAmongThreads) {
  using model::Activation;
  Random random(test_seed());
  const model::Network dense{
      "d",
      {300},
      {model::Dense{520, Activation::relu}, model::Dropout{0.2}, model::Dense{10, Activation::softmax}},
      model::Loss::sparse_categorical_crossentropy,
      model::Adam{0.001}};
  const model::Network wide{
      "w", {700}, {model::Dense{900, Activation::tanh}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.01, 0.9}};
  const model::Network convolution{
      "c",
      {140, 12},
      {model::Conv1d{64, 20, 2, model::Padding::same, Activation::relu}, model::Conv1d{48, 9, 1},
       model::GlobalAveragePool{}, model::Dense{1, Activation::sigmoid}},
      model::Loss::binary_crossentropy,
      model::Adam{0.001}};
  const model::Network image{"i",
                             {28, 27, 3},
                             {model::Conv2d{40, 3, 1, model::Padding::same, Activation::relu}, model::MaxPool{2},
                              model::BatchNorm{}, model::Conv2d{72, 3, 2}, model::AveragePool{2}, model::Flatten{},
                              model::LayerNorm{}, model::Dense{3, Activation::softmax}},
                             model::Loss::sparse_categorical_crossentropy,
                             model::Adam{0.001}};
  const model::Network recurrent{"r",
                                 {12},
                                 {model::Embedding{50, 40}, model::Bidirectional{{70, Activation::relu, true}},
                                  model::Lstm{90, Activation::tanh}, model::Dense{1, Activation::sigmoid}},
                                 model::Loss::binary_crossentropy,
                                 model::Sgd{0.1}};
  TestSettings settings;
  settings.batch = reduced(384);
  expect_same_bits(dense, settings, random, 2);
  settings.batch = reduced(16);
  expect_same_bits(wide, settings, random, 2);
  settings.batch = reduced(12);
  expect_same_bits(convolution, settings, random, 2);
  expect_same_bits(image, settings, random, 2);
  settings.moving_moments = true;
  expect_same_bits(image, settings, random, 2);
  settings.batch = reduced(33);
  expect_same_bits(recurrent, settings, random, 2);
}

TEST(SameBits, TheOtherModelsInBothModes) {
  Random random(test_seed());
  const auto a = uniform_floats(random, 130 * 130);
  const auto b = uniform_floats(random, 130 * 130);
  const std::vector<float> x{3};
  std::vector<std::vector<float>> products;
  for (const Variant& variant : kVariants) {
    TestSettings settings;
    settings.mode = variant.mode;
    settings.fusion = variant.fusion;
    settings.threads = variant.threads;
    const auto product = make_session(model::Matmul{"matmul", 130}, {}, settings);
    product->step({a, b, {}});
    products.emplace_back(product->output().begin(), product->output().end());
    EXPECT_EQ(products.front(), products.back());
    const auto derivative = make_session(model::ScalarGradient{"x2"}, {}, settings);
    EXPECT_EQ(derivative->step({x, {}, {}}), 0.0F);
    EXPECT_EQ(derivative->output()[0], 6.0F);
    const auto noop = make_session(model::Noop{"noop"}, {}, settings);
    EXPECT_EQ(noop->step({}), 0.0F);
    EXPECT_TRUE(noop->output().empty());
  }
  double exact = 0;
  for (std::size_t l = 0; l < 130; ++l) exact += static_cast<double>(a[130 + l]) * b[l * 130 + 2];
  EXPECT_NEAR(products.front()[132], exact, 1e-4);
}

}  // namespace
}  // namespace regatta::engine
