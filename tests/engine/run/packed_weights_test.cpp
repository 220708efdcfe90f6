#include "engine/run/packed_weights.hpp"

#include <gtest/gtest.h>

#include "engine/forwarding_backend.hpp"
#include "engine/support.hpp"

namespace regatta::engine {
namespace {

/// Copies operand 1 to where it is packed.
Call copy_of(float& weight, void* panels) {
  Call call;
  call.launch = [](const Call& own, std::int64_t, std::int64_t) {
    *static_cast<float*>(own.operands[kScratch]) = *static_cast<const float*>(own.operands[1]);
  };
  call.operands[1] = &weight;
  call.operands[kScratch] = panels;
  return call;
}

TEST(PackedWeights, AreAtOnePlaceForAllWhoAskAndAsTheWeightsAreWhenPacked) {
  const auto backend = cpu::make_backend();
  PackedWeights packed(*backend);
  float first = 1, second = 2, of_nobody = 3;
  auto* const panels = static_cast<float*>(packed.panels(4, sizeof(float)));
  auto* const others = static_cast<float*>(packed.panels(7, sizeof(float)));
  packed.add(4, copy_of(first, panels));
  packed.add(7, copy_of(second, others));
  packed.pack();
  EXPECT_EQ(packed.panels(4, sizeof(float)), panels);
  packed.add(4, copy_of(of_nobody, panels));
  first = 5;
  packed.pack();
  EXPECT_EQ(*panels, 5) << "the first call for a place is kept";
  EXPECT_EQ(*others, 2);
  EXPECT_EQ(packed.bytes(), static_cast<std::int64_t>(2 * sizeof(float)));
  EXPECT_EQ(packed.calls(), 2);
}

/// Calls that pack, in all.
int packs = 0;

class PackCounting final : public ForwardingBackend {
 public:
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const override {
    BoundCalls bound = ForwardingBackend::bind(spec, memory);
    if (!packs_first(spec)) return bound;
    bound.calls[0].launch = [](const Call&, std::int64_t, std::int64_t) { ++packs; };
    return bound;
  }
};

const model::Network convolutions{"n",
                                  {30, 20},
                                  {model::Conv1d{20, 3}, model::Conv1d{20, 3}, model::Flatten{}, model::Dense{1}},
                                  model::Loss::mse,
                                  model::Sgd{0.1}};
constexpr int packing_operations = 3;  // two forward, and back through the second one

float loss_after(int steps, std::int64_t shards, Mode mode, Backend& backend) {
  Random random(1);
  const Settings settings{.mode = mode, .batch = 16, .shards = shards};
  const OwnedBatch batch = random_batch(random, convolutions, settings.batch);
  const auto session = make_session(convolutions, model::initial_weights(convolutions, 1), settings, backend);
  for (int step = 0; step < steps; ++step) session->step(batch.view());
  return session->mean_loss();
}

int packs_of(int steps, std::int64_t shards) {
  PackCounting backend;
  packs = 0;
  loss_after(steps, shards, Mode::graph, backend);
  return packs;
}

TEST(PackedWeights, AreMadeOnceInAStepHoweverManyShardsReadThem) {
  EXPECT_EQ(packs_of(2, 1), 2 * packing_operations);
  EXPECT_EQ(packs_of(2, 8), 2 * packing_operations);
}

TEST(PackedWeights, AreThoseOfEachStep) {
  const auto backend = cpu::make_backend();
  const float eager = loss_after(3, 8, Mode::eager, *backend);  // packs for each operation
  EXPECT_EQ(loss_after(3, 8, Mode::graph, *backend), eager);
  EXPECT_NE(loss_after(2, 8, Mode::graph, *backend), eager);
}

}  // namespace
}  // namespace regatta::engine
