// Steps taken in row blocks, and updates behind their gradients: what moves, and that no bit does.
#include <algorithm>
#include <cstring>

#include "engine/passes/passes.hpp"
#include "engine/support.hpp"
#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine {
namespace {

using model::Activation;

const model::Network kSmall{"small",
                            {10},
                            {model::Dense{50, Activation::relu}, model::Dropout{0.3}, model::Dense{1}},
                            model::Loss::mse,
                            model::Sgd{0.01}};

std::vector<Op> fused_step(const model::Network& network, std::int64_t batch, std::vector<BufferSpec>& buffers,
                           const PlanHints& hints = cpu::make_backend()->plan_hints()) {
  TestSettings settings;
  settings.batch = batch;
  const Program program = lower(network, settings);
  buffers = program.buffers;
  return fuse(step_ops(program), buffers, hints);
}

std::size_t calls_in_blocks(const model::Network& network, std::int64_t batch, KernelSet kernels = KernelSet::cpu) {
  std::vector<BufferSpec> buffers;
  std::vector<Op> ops = fused_step(network, batch, buffers);
  const std::size_t whole = ops.size();
  take_in_row_blocks(ops, buffers, batch, cpu::make_backend({.kernels = kernels})->plan_hints());
  return ops.size() == whole ? 0 : ops.size();
}

TEST(RowBlocks, CutWhereTheSumsOverTheBatchAreCutAnyway) {
  std::vector<BufferSpec> buffers;
  std::vector<Op> ops = fused_step(kSmall, 400, buffers);
  take_in_row_blocks(ops, buffers, 400, cpu::make_backend()->plan_hints());
  std::vector<std::int64_t> terms;
  std::vector<bool> continued;
  for (const Op& op : ops) {
    const auto* product = std::get_if<MatMul>(&op.spec);
    if (product == nullptr || !product->transpose_a || product->m != 10) continue;
    terms.push_back(product->k);
    continued.push_back(product->add_to_c);
  }
  EXPECT_EQ(terms, (std::vector<std::int64_t>{134, 134, 132}));
  EXPECT_EQ(continued, (std::vector<bool>{false, true, true}));
  const auto* mean = std::get_if<Loss>(&ops[ops.size() - 2].spec);
  ASSERT_NE(mean, nullptr);
  EXPECT_TRUE(mean->mean);
  EXPECT_EQ(mean->rows, 400);
  EXPECT_TRUE(std::holds_alternative<SgdUpdate>(ops.back().spec));
}

TEST(RowBlocks, LeaveStepsAloneThatTheyWouldNotHelp) {
  EXPECT_GT(calls_in_blocks(kSmall, 400), 0U);
  EXPECT_EQ(calls_in_blocks(kSmall, 100), 0U) << "one block";
  EXPECT_EQ(calls_in_blocks(kSmall, 400, KernelSet::reference), 0U) << "sums that are not cut";
  EXPECT_EQ(calls_in_blocks(kSmall, std::int64_t{1} << 22), 0U) << "too many blocks";
  model::Network network = kSmall;
  network.layers = {model::Dense{5000}, model::Dense{1}};
  EXPECT_EQ(calls_in_blocks(network, 400), 0U) << "large weights";
  network.input = {7, 3};
  network.layers = {model::Dense{4}, model::Flatten{}, model::Dense{1}};
  EXPECT_EQ(calls_in_blocks(network, 400), 0U) << "rows that are not those of the batch";
  network.layers = {model::Conv1d{4, 3}, model::GlobalAveragePool{}, model::Dense{1}};
  EXPECT_EQ(calls_in_blocks(network, 400), 0U) << "a convolution";
}

model::Network random_dense(Random& random) {
  const auto activation = [&] { return static_cast<Activation>(uniform(random, 0, 3)); };
  model::Network network{"random", {uniform(random, 1, 30)}, {}, static_cast<model::Loss>(uniform(random, 0, 2)), {}};
  for (std::int64_t i = uniform(random, 0, 2); i > 0; --i) {
    network.layers.emplace_back(model::Dense{uniform(random, 1, 60), activation()});
    if (uniform(random, 0, 2) == 0) network.layers.emplace_back(model::Dropout{0.3});
  }
  const Activation last = network.loss == model::Loss::mse                   ? activation()
                          : network.loss == model::Loss::binary_crossentropy ? Activation::sigmoid
                                                                             : Activation::softmax;
  network.layers.emplace_back(model::Dense{uniform(random, 1, 12), last});
  if (uniform(random, 0, 1) == 0) network.optimizer = model::Adam{0.01};
  return network;
}

/// Losses, outputs, weights and gradients after three steps on two batches in turns.
std::vector<float> outcome(const model::Network& network, const std::vector<OwnedBatch>& batches,
                           TestSettings settings) {
  std::vector<float> all;
  const auto take = [&](std::span<const float> values) { all.insert(all.end(), values.begin(), values.end()); };
  const auto session = make_session(network, model::initial_weights(network, 5), settings);
  for (std::size_t i = 0; i < 3; ++i) {
    all.push_back(session->step(batches[i % batches.size()].view()));
    take(session->sample_losses());
    take(session->output());
  }
  for (const auto& tensor : session->weights()) take(std::get<std::vector<float>>(tensor.values));
  for (const auto& tensor : session->gradients()) take(std::get<std::vector<float>>(tensor.values));
  return all;
}

TEST(RowBlocks, ChangeNoBit) {
  Random random(test_seed());
  int cut = 0;
  for (int i = 0; i < 40; ++i) {
    const model::Network network = random_dense(random);
    TestSettings settings;
    settings.batch = uniform(random, 150, 900);
    settings.work = i % 8 == 0 ? Work::infer : Work::train;
    const auto isas = supported_isas();
    settings.isa = isas[static_cast<std::size_t>(i) % isas.size()];
    const std::vector<OwnedBatch> batches{random_batch(random, network, settings.batch),
                                          random_batch(random, network, settings.batch)};
    settings.mode = Mode::eager;
    const std::vector<float> eager = outcome(network, batches, settings);
    settings.mode = Mode::graph;
    const std::vector<float> graph = outcome(network, batches, settings);
    ASSERT_EQ(eager.size(), graph.size());
    EXPECT_EQ(std::memcmp(eager.data(), graph.data(), eager.size() * sizeof(float)), 0)
        << describe(network) << ", batch " << settings.batch << ", " << isa_name(settings.isa);
    cut += calls_in_blocks(network, settings.batch) > 0 ? 1 : 0;
  }
  EXPECT_GT(cut, 20);
}

std::vector<std::string> names(const std::vector<Op>& ops) {
  std::vector<std::string> all;
  for (const Op& op : ops) all.emplace_back(name_of(op.spec));
  return all;
}

TEST(PlaceUpdates, AreOneOperationWhereNoUpdateIsLargeForTheBackend) {
  const model::Network network{
      "n", {400}, {model::Dense{300}, model::Dense{200}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.01}};
  std::vector<BufferSpec> buffers;
  std::vector<Op> ops = fused_step(network, 32, buffers, PlanHints{});
  place_updates(ops, PlanHints{});
  EXPECT_EQ(std::ranges::count(names(ops), "sgd_update"), 1);
  EXPECT_EQ(names(ops).back(), "sgd_update");
}

TEST(PlaceUpdates, PutsLargeOnesBehindTheirGradientsAndKeepsTheRestTogether) {
  const model::Network network{"n",
                               {400},
                               {model::Dense{300, Activation::relu}, model::Dense{200}, model::Dense{1}},
                               model::Loss::mse,
                               model::Sgd{0.01}};
  std::vector<BufferSpec> buffers;
  std::vector<Op> ops = fused_step(network, 32, buffers);
  place_updates(ops, cpu::make_backend()->plan_hints());
  // Forward 3, loss, gradients of the last layer 2, of the middle one: input, weights, update; of the first: weights,
  // update.
  EXPECT_EQ(names(ops),
            (std::vector<std::string>{"matmul", "matmul", "matmul", "loss", "matmul", "matmul", "matmul", "matmul",
                                      "sgd_update", "matmul", "sgd_update", "sgd_update", "sgd_update"}));
  EXPECT_TRUE(std::get<MatMul>(ops[6].spec).transpose_b) << "the input gradient reads the weights before their update";
  EXPECT_EQ(ops[8].operands[1], ops[7].operands[2]);
  EXPECT_EQ(ops[10].operands[1], ops[9].operands[2]);
}

}  // namespace
}  // namespace regatta::engine
