// A group of one rank through the plugin, the emulated one or a real one with the NCCL that is installed: sums of one
// rank are what they were, and a step that is cut into buckets for them is the same step.
#include <gmock/gmock.h>

#include <cstring>

#include "engine/device_under_test.hpp"
#include "engine/support.hpp"
#include "regatta/base/error.hpp"
#include "regatta/engine/open_plugin.hpp"

namespace regatta::engine {
namespace {

constexpr std::int64_t kBatch = 16;

std::unique_ptr<DeviceGroup> group_of_one() {
  return join_group(plugin_under_test(), {.id = new_group_id(plugin_under_test()), .patience_seconds = 60});
}

std::string why_no_groups() {
  try {
    require_groups(plugin_under_test());
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

class OneRank : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_groups(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(OneRank, SumsChangeNoBit) {
  const auto group = group_of_one();
  const auto backend = open_plugin(plugin_under_test(), {});
  backend->join(*group);
  constexpr std::size_t kCount = 100'003;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i) * 0.37F - 5000;
  auto* const memory = static_cast<float*>(backend->allocate(floats(kCount)));
  for (int step = 0; step < 3; ++step) {
    backend->write(memory, values.data(), floats(kCount));
    backend->sum_over_ranks(memory, 1000);
    backend->sum_over_ranks(memory + 1000, kCount - 1000);
    backend->await_sums();
    EXPECT_EQ(std::memcmp(backend->host_view(memory, floats(kCount)), values.data(), floats(kCount)), 0);
  }
  EXPECT_GE(backend->exposed_exchange_seconds(), 0);
  backend->release(memory);
}

/// Weights after some steps of what is made for two ranks: with `group` summed over those that are there.
std::vector<float> trained(Mode mode, DeviceGroup* group) {
  const model::Network network{"deep",
                               {12},
                               {model::Dense{10, model::Activation::relu}, model::Dense{10, model::Activation::relu},
                                model::Dense{4, model::Activation::softmax}},
                               model::Loss::sparse_categorical_crossentropy,
                               model::Adam{0.01}};
  Settings settings;
  settings.mode = mode;
  settings.batch = kBatch;
  settings.ranks = 2;
  settings.buckets = {.first_bytes = 1, .bytes = 0};
  const auto backend = open_plugin(plugin_under_test(), {});
  const auto session = make_session(network, model::initial_weights(network, 5), settings, *backend);
  if (group != nullptr) session->join(*group);
  Random random(7);
  for (int step = 0; step < 4; ++step) {
    const OwnedBatch batch = random_batch(random, network, kBatch);
    session->step(batch.view());
    session->step_in_place();
  }
  std::vector<float> all;
  for (const model::Tensor& tensor : session->weights()) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST_F(OneRank, AStepThatIsCutIntoBucketsIsTheSameStep) {
  const auto group = group_of_one();
  const std::vector<float> alone = trained(Mode::graph, nullptr);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    EXPECT_EQ(trained(mode, nullptr), alone);
    EXPECT_EQ(trained(mode, group.get()), alone);
  }
}

TEST_F(OneRank, AnIdThatIsNoneIsRefusedByThePlugin) {
  EXPECT_THROW(join_group(plugin_under_test(), {.id = "none"}), DeviceError);
}

}  // namespace
}  // namespace regatta::engine
