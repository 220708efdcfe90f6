// Whatever the order in which streams, graphs and threads get on, and however batches and memory come: the same bits.
#include "engine/cuda/session_test.hpp"

namespace regatta::engine::cuda {
namespace {

class SessionOrders : public CudaTest {
 protected:
  /// Sessions of other tests are closed to the host: it would take most of the time here.
  void SetUp() override {
    CudaTest::SetUp();
    control.set_protection(cuda_fakes::Protection::off);
  }

  void expect_same(const Task& task, const std::vector<std::vector<float>>& expected, const Variant& variant) {
    control.set_orders(variant.orders);
    EXPECT_TRUE(same_bits(outcome(task, variant), expected))
        << "variant " << text_of(variant) << "differs; " << engine::describe(task.network) << ", batch "
        << task.settings.batch << ", precision " << static_cast<int>(task.precision);
    EXPECT_EQ(control.complaints(), 0) << control.complaint(0);
  }
};

TEST_F(SessionOrders, RandomSessionsGiveTheSameBitsInEveryOrder) {
  Random random(test_seed());
  for (int i = 0; i < 12; ++i) {
    const Task task = random_task(random);
    control.set_orders(kAllOrders.front());
    const auto expected = outcome(task, {.mode = Mode::eager});
    for (const Orders& orders : kAllOrders) {
      expect_same(task, expected, {.mode = Mode::eager, .orders = orders});
      expect_same(task, expected, {.orders = orders});
      expect_same(task, expected, {.transfers = Transfers::overlapped, .orders = orders});
    }
    expect_same(task, expected, {.fusion = false, .transfers = Transfers::pageable, .orders = kAllOrders[2]});
    expect_same(task, expected, {.memory = DeviceMemory::preallocate, .orders = kAllOrders[3]});
    expect_same(task, expected,
                {.mode = Mode::eager,
                 .transfers = Transfers::overlapped,
                 .memory = DeviceMemory::preallocate,
                 .orders = kAllOrders[4]});
  }
}

TEST_F(SessionOrders, TheOtherModelsToo) {
  Random random(1);
  const auto a = uniform_floats(random, 900), b = uniform_floats(random, 900);
  const std::vector<float> x{3};
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    std::vector<std::vector<float>> products;
    for (const Orders& orders : kAllOrders) {
      control.set_orders(orders);
      for (const Mode mode : {Mode::eager, Mode::graph}) {
        const auto backend = make_backend({.precision = precision, .transfers = Transfers::overlapped});
        const Settings settings{.mode = mode, .precision = precision};
        const auto product = make_session(model::Matmul{"matmul", 30}, {}, settings, *backend);
        for (int i = 0; i < 3; ++i) product->step({a, b, {}});
        products.emplace_back(product->output().begin(), product->output().end());
        EXPECT_EQ(products.front(), products.back());
        const auto derivative = make_session(model::ScalarGradient{"x2"}, {}, settings, *backend);
        derivative->step({x, {}, {}});
        EXPECT_EQ(derivative->output()[0], 6.0F);
        const auto noop = make_session(model::Noop{"noop"}, {}, settings, *backend);
        noop->step({});
        noop->wait();
        EXPECT_TRUE(noop->output().empty());
      }
    }
  }
}

TEST_F(SessionOrders, SessionsOfTwoBackendsDoNotDisturbEachOther) {
  Random random(test_seed());
  const Task one = random_task(random), two = random_task(random);
  const auto alone_one = outcome(one, {}), alone_two = outcome(two, {});
  for (const Orders& orders : kAllOrders) {
    control.set_orders(orders);
    const auto first = make_backend({.precision = one.precision}), second = make_backend({.precision = two.precision});
    const auto session_one = make_session(one.network, model::initial_weights(one.network, 5), one.settings, *first);
    const auto session_two = make_session(two.network, model::initial_weights(two.network, 5), two.settings, *second);
    session_two->step(two.batches[1].view());
    session_one->step(one.batches[1].view());
    session_two->load(model::initial_weights(two.network, 5));
    session_one->load(model::initial_weights(one.network, 5));
    EXPECT_TRUE(same_bits(outcome(*session_one, one.batches), alone_one));
    EXPECT_TRUE(same_bits(outcome(*session_two, two.batches), alone_two));
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
