// Lowering, fusion, the arena and eager's allocator.
#include <algorithm>
#include <map>

#include "engine/passes/passes.hpp"
#include "engine/run/caching_allocator.hpp"
#include "engine/support.hpp"
#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine {
namespace {

using model::Activation;

const PlanHints kHints = cpu::make_backend()->plan_hints();

std::map<std::string, int> count_by_name(const std::vector<Op>& ops) {
  std::map<std::string, int> counts;
  for (const Op& op : ops) ++counts[name_of(op.spec)];
  return counts;
}

TEST(Lowering, NeverComputesTheGradientOfTheFirstLayersInput) {
  const model::Network network{
      "n",
      {20, 3},
      {model::Dropout{0.1}, model::Conv1d{4, 3}, model::Conv1d{4, 3}, model::Flatten{}, model::Dense{2}},
      model::Loss::mse,
      {}};
  const auto counts = count_by_name(step_ops(lower(network, {})));
  EXPECT_EQ(counts.at("conv1d"), 2);
  EXPECT_EQ(counts.at("conv1d_kernel_gradient"), 2);
  EXPECT_EQ(counts.at("conv1d_input_gradient"), 1);
  EXPECT_EQ(counts.count("dropout_gradient"), 0U);
}

TEST(Lowering, EveryOperandIsLargeEnoughForItsShape) {
  Random random(test_seed());
  for (int i = 0; i < 50; ++i) {
    const Program program = lower(random_network(random), {});
    for (const auto& ops : {step_ops(program), fuse(step_ops(program), program.buffers, kHints)}) {
      for (const Op& op : ops) {
        const auto bytes = operand_bytes(op.spec);
        const bool flat = std::holds_alternative<SgdUpdate>(op.spec) || std::holds_alternative<AdamUpdate>(op.spec);
        for (std::size_t operand = 0; operand < kOperands; ++operand) {
          if (bytes[operand] == 0) continue;
          ASSERT_NE(op.operands[operand], kNoBuffer) << name_of(op.spec) << ' ' << operand;
          const BufferSpec& buffer = program.buffers[static_cast<std::size_t>(op.operands[operand])];
          const std::int64_t room =
              flat && buffer.role != Role::step_state ? program.flat_bytes - buffer.offset : buffer.bytes;
          EXPECT_LE(bytes[operand], room) << name_of(op.spec) << ' ' << operand;
        }
      }
    }
  }
}

TEST(Fusion, LeavesOneOperationPerLayerAndPass) {
  const model::Network network{"n",
                               {64},
                               {model::Dense{32, Activation::relu}, model::Dense{10, Activation::softmax}},
                               model::Loss::sparse_categorical_crossentropy,
                               model::Adam{0.001}};
  const Program program = lower(network, {});
  const auto counts = count_by_name(fuse(step_ops(program), program.buffers, kHints));
  EXPECT_EQ(counts, (std::map<std::string, int>{{"advance_step", 1}, {"matmul", 5}, {"loss", 1}, {"adam_update", 1}}));
}

TEST(Fusion, OfImagesTakesBiasAndActivationIntoConvolutionsAndTheirDerivativesIntoPoolings) {
  const model::Network network{"n",
                               {12, 12, 1},
                               {model::Conv2d{4, 3, 1, model::Padding::valid, Activation::relu}, model::MaxPool{2},
                                model::Conv2d{6, 2, 1, model::Padding::same, Activation::tanh}, model::AveragePool{2},
                                model::Flatten{}, model::Dense{3, Activation::softmax}},
                               model::Loss::sparse_categorical_crossentropy,
                               model::Adam{0.001}};
  const Program program = lower(network, {});
  EXPECT_EQ(count_by_name(fuse(step_ops(program), program.buffers, kHints)),
            (std::map<std::string, int>{{"advance_step", 1},
                                        {"conv2d", 2},
                                        {"max_pool", 1},
                                        {"average_pool", 1},
                                        {"matmul", 3},
                                        {"loss", 1},
                                        {"average_pool_gradient", 1},
                                        {"conv2d_kernel_gradient", 2},
                                        {"conv2d_input_gradient", 1},
                                        {"max_pool_gradient", 1},
                                        {"adam_update", 1}}));
}

TEST(Fusion, OfRecurrentLayersLeavesOneProductOfAllInputsAndOneForEachGradient) {
  const model::Network network{"n", {5, 3}, {model::Lstm{4}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.1}};
  const Program program = lower(network, {});
  EXPECT_EQ(count_by_name(fuse(step_ops(program), program.buffers, kHints)),
            (std::map<std::string, int>{{"matmul", 5},
                                        {"lstm", 1},
                                        {"lstm_last", 1},
                                        {"loss", 1},
                                        {"lstm_gradient", 1},
                                        {"lstm_recurrent_gradient", 1},
                                        {"sgd_update", 1}}));
}

/// Products whose b is an outer product, in the fused step of these layers behind 10 inputs.
std::ptrdiff_t products_with_outer_b(std::vector<model::Layer> layers, KernelSet kernels = KernelSet::cpu) {
  const model::Network network{"n", {10}, std::move(layers), model::Loss::mse, model::Sgd{0.1}};
  const Program program = lower(network, {});
  std::vector<Op> ops = fuse(step_ops(program), program.buffers, kHints);
  fuse_outer_products(ops, program.buffers, cpu::make_backend({.kernels = kernels})->plan_hints());
  return std::count_if(ops.begin(), ops.end(), [](const Op& op) {
    const auto* product = std::get_if<MatMul>(&op.spec);
    return product != nullptr && product->outer_b;
  });
}

TEST(Fusion, MakesOuterProductsWhereOnlyOneProductReadsThem) {
  using model::Dense;
  const bool may = cpu::make_backend()->plan_hints().outer_b_rows >= 10;
  EXPECT_EQ(products_with_outer_b({Dense{50, Activation::relu}, Dense{1}}), may ? 1 : 0);
  EXPECT_EQ(products_with_outer_b({Dense{50}, Dense{1}}), may ? 1 : 0);
  EXPECT_EQ(products_with_outer_b({Dense{50, Activation::tanh}, Dense{1}}), 0) << "another derivative";
  EXPECT_EQ(products_with_outer_b({Dense{50, Activation::relu}, Dense{2}}), 0) << "two units";
  EXPECT_EQ(products_with_outer_b({Dense{20}, Dense{50, Activation::relu}, Dense{1}}), 0) << "read by a layer below";
  EXPECT_EQ(products_with_outer_b({Dense{50, Activation::relu}, model::Dropout{0.5}, Dense{1}}), 0) << "dropout";
  EXPECT_EQ(products_with_outer_b({Dense{50, Activation::relu}, Dense{1}}, KernelSet::reference), 0);
}

TEST(Arena, BuffersThatLiveTogetherNeverOverlap) {
  Random random(test_seed());
  const auto backend = cpu::make_backend();
  for (int i = 0; i < 50; ++i) {
    const Program program = lower(random_network(random), {});
    std::vector<Op> ops = step_ops(program);
    std::vector<BufferSpec> buffers = program.buffers;
    add_scratch(ops, buffers, *backend);
    const ArenaPlan plan = pack_arena(ops, buffers);
    std::int64_t sum = 0;
    std::vector<std::pair<std::size_t, std::size_t>> life(buffers.size(), {ops.size(), 0});
    for (std::size_t at = 0; at < ops.size(); ++at) {
      for (const BufferIndex index : ops[at].operands) {
        if (index == kNoBuffer) continue;
        auto& [first, last] = life[static_cast<std::size_t>(index)];
        first = std::min(first, at);
        last = at;
      }
    }
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      if (plan.offsets[a] < 0) continue;
      sum += buffers[a].bytes;
      EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
      EXPECT_EQ(plan.offsets[a] % 64, 0);
      for (std::size_t b = 0; b < a; ++b) {
        if (plan.offsets[b] < 0 || life[a].first > life[b].second || life[b].first > life[a].second) continue;
        EXPECT_TRUE(plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + buffers[b].bytes <= plan.offsets[a]);
      }
    }
    EXPECT_LE(plan.bytes, sum + 64 * static_cast<std::int64_t>(buffers.size()));
  }
}

TEST(Arena, SharesBytesBetweenBuffersThatFollowEachOther) {
  model::Network network{"deep", {64}, {}, model::Loss::mse, {}};
  for (int i = 0; i < 10; ++i) network.layers.emplace_back(model::Dense{64, Activation::relu});
  TestSettings settings;
  settings.work = Work::infer;
  const Program program = lower(network, settings);
  EXPECT_EQ(pack_arena(step_ops(program), program.buffers).bytes, 2 * 32 * 64 * 4);  // two layers at a time
}

TEST(CachingAllocator, ReusesWhatWasReleasedAndWastesAtMostAQuarter) {
  const auto backend = cpu::make_backend();
  CachingAllocator allocator(*backend);
  for (const std::int64_t bytes :
       {1, 255, 256, 257, 320, 321, 511, 512, 513, 1000, 1024, 1025, 4097, 1 << 20, (1 << 20) + 1}) {
    const std::int64_t before = allocator.held_bytes();
    void* const memory = allocator.allocate(bytes);
    const std::int64_t taken = allocator.held_bytes() - before;
    EXPECT_GE(taken, bytes);
    EXPECT_LE(taken, std::max<std::int64_t>(256, bytes + bytes / 4)) << bytes;
    allocator.release(memory, bytes);
    EXPECT_EQ(allocator.allocate(bytes), memory);
    EXPECT_EQ(allocator.held_bytes() - before, taken);
  }
}

TEST(EmptiedBackend, IssuesTheCallsOfTheFullOneAndTouchesNothing) {
  const auto full = cpu::make_backend();
  const auto emptied = cpu::make_backend({.empty_kernels = true});
  std::vector<float> values(4096, 2);
  std::array<void*, kOperands> memory{};
  memory.fill(values.data());
  for (const OpSpec& spec : {OpSpec(MatMul{8, 8, 8}), OpSpec(Fill{64, 1}), OpSpec(Softmax{4, 8})}) {
    const BoundCalls expected = full->bind(spec, memory);
    const BoundCalls bound = emptied->bind(spec, memory);
    ASSERT_EQ(bound.count, expected.count) << name_of(spec);
    for (int i = 0; i < bound.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(bound.calls[at].units, expected.calls[at].units) << name_of(spec);
      EXPECT_EQ(bound.calls[at].notes, expected.calls[at].notes) << name_of(spec);
      emptied->run(bound.calls[at]);
    }
  }
  EXPECT_EQ(values, std::vector<float>(4096, 2));
}

}  // namespace
}  // namespace regatta::engine
