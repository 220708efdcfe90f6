// A session that goes on from saved weights and state has the bits of one that was never interrupted.
#include "engine/run/optimizer_state.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

using Tensors = std::vector<model::Tensor>;
using Values = decltype(model::Tensor::values);

constexpr int kSteps = 7;

const std::vector<model::Optimizer> kOptimizers{model::Sgd{0.05}, model::Sgd{0.05, 0.9}, model::Adam{0.01}};

model::Network dropping(const model::Optimizer& optimizer) {
  return {"dropping",
          {30},
          {model::Dense{40, model::Activation::tanh}, model::Dropout{0.4}, model::Dense{3}},
          model::Loss::mse,
          optimizer};
}

model::Network plain(const model::Optimizer& optimizer) {
  return {"plain", {300}, {model::Dense{200, model::Activation::relu}, model::Dense{3}}, model::Loss::mse, optimizer};
}

model::Network normalizing(const model::Optimizer& optimizer) {
  return {"normalizing",
          {30},
          {model::Dense{40, model::Activation::tanh}, model::BatchNorm{}, model::Dense{3}, model::BatchNorm{}},
          model::Loss::mse,
          optimizer};
}

void expect_equal(const Tensors& found, const Tensors& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name) << what;
    EXPECT_EQ(found[i].shape, expected[i].shape) << what << ' ' << found[i].name;
    EXPECT_EQ(found[i].values, expected[i].values) << what << ' ' << found[i].name;
  }
}

/// Through a file, as a checkpoint goes.
Tensors stored(const Tensors& tensors) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + ".safetensors");
  model::write_safetensors(path, tensors);
  Tensors back = model::read_safetensors(path);
  std::filesystem::remove(path);
  return back;
}

/// Step `index`, at a rate that falls from the third step on.
void step(TestSession& session, const std::vector<OwnedBatch>& batches, int index) {
  if (index == 2) session.set_learning_rate(0.003);
  session.step(batches[static_cast<std::size_t>(index)].view());
}

void expect_to_go_on(const model::Network& network, const TestSettings& settings, int saved_after) {
  Random random(2);
  std::vector<OwnedBatch> batches;
  for (int i = 0; i < kSteps; ++i) batches.push_back(random_batch(random, network, settings.batch));
  const auto whole = make_session(network, model::initial_weights(network, 1), settings);
  Tensors weights, state;
  for (int i = 0; i < kSteps; ++i) {
    if (i == saved_after) weights = stored(whole->weights()), state = stored(whole->optimizer_state());
    step(*whole, batches, i);
  }
  const auto second = make_session(network, model::initial_weights(network, 9), settings);
  second->step(batches.front().view());  // restore() must undo this step
  second->restore(weights, state);
  for (int i = saved_after; i < kSteps; ++i) step(*second, batches, i);
  const std::string what = network.name + ", saved after " + std::to_string(saved_after);
  expect_equal(second->weights(), whole->weights(), what);
  expect_equal(second->optimizer_state(), whole->optimizer_state(), what);
}

TEST(OptimizerState, ARestoredSessionGoesOnWithTheSameBits) {
  for (const model::Optimizer& optimizer : kOptimizers) {
    for (const model::Network& network : {dropping(optimizer), plain(optimizer), normalizing(optimizer)}) {
      for (const Mode mode : {Mode::eager, Mode::graph}) {
        for (const int threads : thread_counts()) {
          TestSettings settings(Settings{.mode = mode, .batch = 16, .seed = 5, .moving_moments = true},
                                {.threads = threads});
          for (const int saved_after : {0, 1, 4}) expect_to_go_on(network, settings, saved_after);
        }
      }
    }
  }
}

TEST(OptimizerState, HoldsGradientsThatWaitForTheirUpdate) {
  for (const model::Optimizer& optimizer : kOptimizers) {
    for (const Kernels kernels : all_kernels()) {
      for (const Mode mode : {Mode::eager, Mode::graph}) {
        TestSettings settings(
            Settings{.mode = mode, .batch = 4, .weight_decay = 0.1, .clip_norm = 0.5, .accumulate = 3});
        settings.take(kernels);
        settings.moving_moments = true;  // every step moves them
        for (const model::Network& network : {dropping(optimizer), normalizing(optimizer)}) {
          for (const int saved_after : {3, 4, 5}) expect_to_go_on(network, settings, saved_after);
        }
      }
    }
  }
}

std::vector<std::string> names(const Tensors& tensors) {
  std::vector<std::string> all;
  for (const model::Tensor& tensor : tensors) all.push_back(tensor.name);
  return all;
}

TEST(OptimizerState, NamesWhatTheOptimizerKeeps) {
  using testing::ElementsAre;
  const auto of = [](const model::Optimizer& optimizer, const Settings& settings) {
    const model::Network network{"n", {2}, {model::Dense{1}}, model::Loss::mse, optimizer};
    return names(make_session(network, model::initial_weights(network, 1), settings)->optimizer_state());
  };
  EXPECT_THAT(of(model::Sgd{0.1}, {}), ElementsAre("step", "learning_rate"));
  EXPECT_THAT(of(model::Sgd{0.1, 0.9}, {}),
              ElementsAre("step", "learning_rate", "first_moment/0.kernel", "first_moment/0.bias"));
  EXPECT_THAT(of(model::Adam{0.1}, {}),
              ElementsAre("step", "learning_rate", "beta_powers", "first_moment/0.kernel", "first_moment/0.bias",
                          "second_moment/0.kernel", "second_moment/0.bias"));
  EXPECT_THAT(of(model::Sgd{0.1}, {.accumulate = 2}),
              ElementsAre("step", "learning_rate", "gradient_sum/0.kernel", "gradient_sum/0.bias"));
  EXPECT_THAT(of(model::Adam{0.1}, {.work = Work::infer}), ElementsAre());
  EXPECT_THAT(of(model::Adam{0.1}, {.work = Work::evaluate}), ElementsAre());
}

TEST(OptimizerState, CountsStepsThatDoNotFitInt32) {
  const model::Network network = dropping(model::Adam{0.01});
  const auto session = make_session(network, model::initial_weights(network, 1), Settings{.batch = 2});
  Tensors state = session->optimizer_state();
  state[0].values = std::vector<std::int32_t>{-1, 2};  // 3 * 2^32 - 1
  session->restore(session->weights(), state);
  Random random(1);
  session->step(random_batch(random, network, 2).view());
  EXPECT_EQ(std::get<std::vector<std::int32_t>>(session->optimizer_state()[0].values),
            (std::vector<std::int32_t>{0, 3}));
}

/// The tensor of that name, to be changed.
model::Tensor& named(Tensors& tensors, const std::string& name) {
  return const_cast<model::Tensor&>(model::tensor_named(tensors, name));
}

struct Damage {
  std::string text;  ///< part of the refusal
  std::function<void(Tensors& weights, Tensors& state)> apply;
};

std::vector<Damage> damages() {
  const auto less = [](Tensors& tensors, const std::string& name) {
    std::erase_if(tensors, [&](const model::Tensor& tensor) { return tensor.name == name; });
  };
  using Ints = std::vector<std::int32_t>;
  using Floats = std::vector<float>;
  return {
      {"0.kernel", [=](Tensors& weights, Tensors&) { less(weights, "0.kernel"); }},
      {"weights: tensor 2.bias",
       [](Tensors& weights, Tensors&) {
         named(weights, "2.bias").shape = {1, 3};
       }},
      {"weights: tensor 2.bias", [](Tensors& weights, Tensors&) { named(weights, "2.bias").values = Floats{1}; }},
      {"\"step\" is missing", [=](Tensors&, Tensors& state) { less(state, "step"); }},
      {"tensor step has another",
       [](Tensors&, Tensors& state) {
         named(state, "step").values = Floats{1, 0};
       }},
      {"tensor step holds -1",
       [](Tensors&, Tensors& state) {
         named(state, "step").values = Ints{-1, -1};
       }},
      {"learning_rate is -1", [](Tensors&, Tensors& state) { named(state, "learning_rate").values = Floats{-1}; }},
      {"\"beta_powers\" is missing", [=](Tensors&, Tensors& state) { less(state, "beta_powers"); }},
      {"tensor beta_powers holds",
       [](Tensors&, Tensors& state) {
         named(state, "beta_powers").values = Ints{0, -1, 0, 0};
       }},
      {"second_moment/2.bias", [=](Tensors&, Tensors& state) { less(state, "second_moment/2.bias"); }},
      {"first_moment/0.kernel",
       [](Tensors&, Tensors& state) {
         named(state, "first_moment/0.kernel").shape = {40, 30};
       }},
      {"first_moment/1.kernel",
       [](Tensors&, Tensors& state) { named(state, "first_moment/0.kernel").name = "first_moment/1.kernel"; }},
      {"gradient_sum/2.bias",
       [](Tensors&, Tensors& state) {
         state.push_back({"gradient_sum/2.bias", {3}, Floats(3)});
       }},
  };
}

TEST(OptimizerState, RefusesWhatDoesNotFitAndChangesNothing) {
  const model::Network network = dropping(model::Adam{0.01});
  const auto session = make_session(network, model::initial_weights(network, 1), Settings{.batch = 2});
  Random random(1);
  session->step(random_batch(random, network, 2).view());
  const Tensors weights = session->weights(), state = session->optimizer_state();
  for (const Damage& damage : damages()) {
    Tensors other_weights = model::initial_weights(network, 8), other_state = state;
    named(other_state, "step").values = std::vector<std::int32_t>{77, 0};
    damage.apply(other_weights, other_state);
    try {
      session->restore(other_weights, other_state);
      ADD_FAILURE() << "accepted " << damage.text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(damage.text));
    }
    expect_equal(session->weights(), weights, damage.text);
    expect_equal(session->optimizer_state(), state, damage.text);
  }
}

TEST(OptimizerState, MovingMomentsAreAmongTheWeightsAndBeginAnewWithoutThem) {
  const model::Network network = normalizing(model::Sgd{0.05});
  const Tensors initial = model::initial_weights(network, 1);
  const auto session = make_session(network, initial, Settings{.batch = 16, .moving_moments = true});
  const Tensors begun = session->weights();
  ASSERT_EQ(begun.size(), initial.size() + 4);
  EXPECT_EQ(names(begun).at(initial.size()), "1.moving_mean");
  EXPECT_EQ(begun.at(initial.size()).values, Values(std::vector<float>(40, 0)));
  EXPECT_EQ(names(begun).back(), "3.moving_variance");
  EXPECT_EQ(begun.back().values, Values(std::vector<float>(3, 1)));
  Random random(1);
  session->step(random_batch(random, network, 16).view());
  const Tensors moved = session->weights(), state = session->optimizer_state();
  EXPECT_NE(model::tensor_named(moved, "1.moving_mean").values, model::tensor_named(begun, "1.moving_mean").values);
  Tensors less = moved;
  less.pop_back();
  EXPECT_THROW(session->load(less), InputError) << "three of four";
  EXPECT_THROW(session->restore(initial, state), InputError) << "and of a step they are never missing";
  expect_equal(session->weights(), moved, "refused");
  session->load(initial);
  expect_equal(session->weights(), begun, "begun anew");
  EXPECT_EQ(make_session(network, initial, Settings{})->weights().size(), initial.size()) << "a benchmark has none";
}

TEST(OptimizerState, ASessionThatDoesNotTrainTakesWeightsOnly) {
  const model::Network network = dropping(model::Adam{0.01});
  const auto training = make_session(network, model::initial_weights(network, 1), {});
  const auto session = make_session(network, model::initial_weights(network, 2), Settings{.work = Work::evaluate});
  EXPECT_THROW(session->restore(training->weights(), training->optimizer_state()), InputError);
  session->restore(training->weights(), {});
  expect_equal(session->weights(), training->weights(), "restored");
}

}  // namespace
}  // namespace regatta::engine
