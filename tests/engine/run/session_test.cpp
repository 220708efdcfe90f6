#include "regatta/engine/session.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <new>

#include "engine/support.hpp"
#include "regatta/base/error.hpp"
#include "regatta/engine/cpu_backend.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REGATTA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REGATTA_SANITIZED
#endif
#endif

namespace regatta::engine {
namespace {

using model::Activation;

const model::Network kSmall{
    "small", {10}, {model::Dense{50, Activation::relu}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.01}};

std::string refusal(const model::Model& model, const TestSettings& settings = {}) {
  try {
    const auto* network = std::get_if<model::Network>(&model);
    make_session(model, network != nullptr ? model::initial_weights(*network, 1) : std::vector<model::Tensor>{},
                 settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Session, RefusesWhatItLacksAndNamesTheLayer) {
  using testing::HasSubstr;
  model::Network network = kSmall;
  network.input = {12, 3};
  network.layers = {model::Lstm{4, Activation::softmax}, model::Dense{1}};
  EXPECT_THAT(refusal(network), HasSubstr("small: layer 0 (lstm)"));
  network.layers = {model::Conv1d{4, 3}, model::Bidirectional{{4, Activation::softmax}}, model::Dense{1}};
  EXPECT_THAT(refusal(network), HasSubstr("small: layer 1 (bidirectional)"));
  network.layers = {model::Flatten{}, model::Dense{3, Activation::softmax}, model::Dense{1}};
  EXPECT_THAT(refusal(network), HasSubstr("small: layer 1 (dense)"));
  network.layers = {model::Flatten{}, model::Dense{3}};
  network.loss = model::Loss::sparse_categorical_crossentropy;
  EXPECT_THAT(refusal(network), HasSubstr("activation softmax"));
  network.loss = model::Loss::binary_crossentropy;
  EXPECT_THAT(refusal(network), HasSubstr("activation sigmoid"));
  network.layers = {};
  EXPECT_THAT(refusal(network), HasSubstr("no layers"));
  network = kSmall;
  network.layers = {model::Flatten{}};
  EXPECT_THAT(refusal(network), HasSubstr("no layer"));
}

TEST(Session, RefusesSettingsThatCannotBe) {
  TestSettings settings;
  settings.batch = 0;
  EXPECT_THAT(refusal(kSmall, settings), testing::HasSubstr("batch is 0"));
  settings.batch = 1;
  settings.threads = 0;  // a device does not read it
  if (!on_device()) {
    EXPECT_THAT(refusal(kSmall, settings), testing::HasSubstr("threads is 0"));
  }
}

TEST(Session, RefusesBatchesOfAnotherSizeAndClassesOutOfRange) {
  Random random(1);
  model::Network network = kSmall;
  network.layers = {model::Dense{3, Activation::softmax}};
  network.loss = model::Loss::sparse_categorical_crossentropy;
  TestSettings settings;
  settings.batch = 4;
  const auto session = make_session(network, model::initial_weights(network, 1), settings);
  OwnedBatch batch = random_batch(random, network, 5);
  EXPECT_THROW(session->step(batch.view()), InputError);
  batch = random_batch(random, network, 4);
  session->step(batch.view());
  for (const std::int32_t label : {3, -1}) {
    batch.y_int[2] = label;
    EXPECT_THROW(session->step(batch.view()), InputError) << label;
  }
}

TEST(Session, RefusesIndicesOutsideTheVocabulary) {
  Random random(1);
  const model::Network network{
      "words", {3}, {model::Embedding{5, 4}, model::Lstm{2}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.1}};
  TestSettings settings;
  settings.batch = 2;
  const auto session = make_session(network, model::initial_weights(network, 1), settings);
  OwnedBatch batch = random_batch(random, network, 2);
  session->step(batch.view());
  for (const std::int32_t index : {5, -1}) {
    batch.x_int[4] = index;
    try {
      session->step(batch.view());
      ADD_FAILURE() << "accepted " << index;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "batch: x_int[4] is " + std::to_string(index) + " (indices lie in [0, 5)); correct them");
    }
  }
  batch = random_batch(random, network, 3);
  EXPECT_THROW(session->step(batch.view()), InputError);
}

TEST(Session, RefusesWeightsOfAnotherModel) {
  const auto session = make_session(kSmall, model::initial_weights(kSmall, 1), {});
  auto weights = session->weights();
  weights[0].shape = {50, 10};
  EXPECT_THROW(session->load(weights), InputError);
  weights.erase(weights.begin());
  EXPECT_THROW(session->load(weights), InputError);
}

TEST(Session, WeightsComeBackAsTheyWereLoaded) {
  const auto weights = model::initial_weights(kSmall, 9);
  const auto session = make_session(kSmall, weights, {});
  const auto back = session->weights();
  ASSERT_EQ(back.size(), weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(back[i].name, weights[i].name);
    EXPECT_EQ(back[i].shape, weights[i].shape);
    EXPECT_EQ(back[i].values, weights[i].values);
  }
}

TEST(Session, ShowsTheLossOfEachSampleAndItsMean) {
  Random random(2);
  const OwnedBatch batch = random_batch(random, kSmall, 32);
  const auto session = make_session(kSmall, model::initial_weights(kSmall, 1), {});
  const float mean = session->step(batch.view());
  ASSERT_EQ(session->sample_losses().size(), 32U);
  double sum = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const double error = session->output()[i] - batch.y_float[i];
    EXPECT_NEAR(session->sample_losses()[i], error * error, 1e-6);
    sum += error * error;
  }
  EXPECT_NEAR(mean, sum / 32, 1e-6);
}

TEST(Session, InferenceNeedsNoTargetsAndGivesTheTrainingOutput) {
  Random random(2);
  model::Network network = kSmall;
  network.layers = {model::Dense{20, Activation::tanh}, model::Dropout{0.5}, model::Dense{4, Activation::softmax}};
  network.loss = model::Loss::sparse_categorical_crossentropy;
  const OwnedBatch batch = random_batch(random, network, 32);
  const auto weights = model::initial_weights(network, 1);
  TestSettings settings;
  settings.dropout = false;
  const auto training = make_session(network, weights, settings);
  training->step(batch.view());
  settings.work = Work::infer;
  settings.dropout = true;
  const auto inference = make_session(network, weights, settings);
  EXPECT_EQ(inference->step({batch.x, {}, {}}), 0.0F);
  EXPECT_TRUE(inference->sample_losses().empty());
  EXPECT_TRUE(std::equal(inference->output().begin(), inference->output().end(), training->output().begin(),
                         training->output().end()));
}

TEST(Session, BatchNormOfInferenceUsesItsInitialMoments) {
  const model::Network network{"norm", {2}, {model::BatchNorm{}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.1}};
  std::vector<model::Tensor> weights = model::initial_weights(network, 1);
  weights[2].values = std::vector<float>{1, 0};
  TestSettings settings;
  settings.batch = 2;
  settings.work = Work::infer;
  const std::vector<float> x{3, 0, 5, 0};
  const auto session = make_session(network, weights, settings);
  session->step({x, {}, {}});
  EXPECT_FLOAT_EQ(session->output()[0], 3 / std::sqrt(1.001F));
  EXPECT_FLOAT_EQ(session->output()[1], 5 / std::sqrt(1.001F));
}

TEST(Session, LossesStayFiniteWhereProbabilitiesDoNot) {
  for (const auto loss : {model::Loss::binary_crossentropy, model::Loss::sparse_categorical_crossentropy}) {
    const bool binary = loss == model::Loss::binary_crossentropy;
    const model::Network network{"steep",
                                 {1},
                                 {model::Dense{binary ? 1 : 2, binary ? Activation::sigmoid : Activation::softmax}},
                                 loss,
                                 model::Sgd{0}};
    std::vector<model::Tensor> weights = model::initial_weights(network, 1);
    weights[0].values = binary ? std::vector<float>{-200} : std::vector<float>{200, 0};
    TestSettings settings;
    settings.batch = 1;
    const auto session = make_session(network, weights, settings);
    const std::vector<float> x{1}, y{1};
    const std::vector<std::int32_t> label{1};
    EXPECT_FLOAT_EQ(session->step({x, binary ? std::span<const float>(y) : std::span<const float>{},
                                   binary ? std::span<const std::int32_t>{} : std::span<const std::int32_t>(label)}),
                    200.0F);
  }
}

TEST(Session, OutputFollowsTheInputWhenItsMemoryMovesOrChanges) {
  const auto session = make_session(model::ScalarGradient{"x2"}, {}, {});
  std::vector<float> x{2};
  const std::vector<float> other{5};
  session->step({x, {}, {}});
  EXPECT_EQ(session->output()[0], 4.0F);
  x[0] = 3;
  session->step({x, {}, {}});
  EXPECT_EQ(session->output()[0], 6.0F);
  session->step({other, {}, {}});
  EXPECT_EQ(session->output()[0], 10.0F);
}

TEST(Session, PlanCountsOperationsAndCalls) {
  Random random(3);
  TestSettings settings;
  const auto fused = make_session(kSmall, model::initial_weights(kSmall, 1), settings);
  EXPECT_EQ(fused->plan().eager_ops, 18);
  const auto backend = make_backend(settings);
  const bool outer_in_registers = backend->plan_hints().outer_b_rows >= 10;
  EXPECT_EQ(fused->plan().graph_calls, outer_in_registers ? 6 : 7);  // one per layer and pass, the loss, the update
  EXPECT_EQ(fused->plan().isa, std::string(backend->isa()));
  EXPECT_GT(fused->plan().arena_bytes, 0U);
  settings.fusion = false;
  EXPECT_EQ(make_session(kSmall, model::initial_weights(kSmall, 1), settings)->plan().graph_calls, 18);
}

TEST(Session, ReportsRangesOfGradientsFromTheFrontOfTheArenaInEveryMode) {
  Random random(3);
  const OwnedBatch batch = random_batch(random, kSmall, 32);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    std::vector<float> seen;
    std::vector<const float*> begins;
    TestSettings settings;
    settings.mode = mode;
    std::unique_ptr<TestSession> session;
    settings.gradient_ready = [&](std::span<float> range) {
      begins.push_back(range.data());
      const std::vector<float> values = session->read(range);
      seen.insert(seen.end(), values.begin(), values.end());
    };
    session = make_session(kSmall, model::initial_weights(kSmall, 1), settings);
    session->step(batch.view());
    ASSERT_GE(begins.size(), 2U);
    EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
    const auto gradients = session->gradients();  // the arena begins with the last bias
    EXPECT_EQ(seen[0], std::get<std::vector<float>>(gradients[3].values)[0]);
    EXPECT_EQ(seen[16], std::get<std::vector<float>>(gradients[2].values)[0]);
    EXPECT_EQ(seen.size(), 16U + 64 + 64 + 512);  // floats, each tensor rounded up to cache lines
  }
}

TEST(Session, ReportedGradientsAreFinishedInEveryLayer) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    const model::Network network = random_network(random);
    const OwnedBatch batch = random_batch(random, network, 3);
    std::vector<std::pair<std::span<float>, std::vector<float>>> reported;
    TestSettings settings;
    settings.batch = 3;
    settings.mode = i % 2 == 0 ? Mode::eager : Mode::graph;
    std::unique_ptr<TestSession> session;
    settings.gradient_ready = [&](std::span<float> range) { reported.emplace_back(range, session->read(range)); };
    session = make_session(network, model::initial_weights(network, 1), settings);
    session->step(batch.view());
    std::size_t floats = 0;
    for (const auto& [range, then] : reported) {
      EXPECT_EQ(then, session->read(range)) << describe(network);
      EXPECT_EQ(range.data(), reported.front().first.data() + floats) << describe(network);
      floats += range.size();
    }
    std::size_t expected = 0;  // each tensor rounded up to cache lines
    for (const auto& parameter : model::parameters(network)) {
      expected += (static_cast<std::size_t>(model::element_count(parameter.shape)) + 15) / 16 * 16;
    }
    EXPECT_EQ(floats, expected) << describe(network);
  }
}

TEST(Session, MemoryThatCannotExistIsBadAlloc) {
  TestSettings settings;
  for (const std::int64_t batch : {std::int64_t{1} << 36, std::int64_t{1} << 44, std::int64_t{1} << 62}) {
    settings.batch = batch;
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      settings.mode = mode;
      EXPECT_THROW(make_session(kSmall, model::initial_weights(kSmall, 1), settings), std::bad_alloc) << batch;
    }
  }
  EXPECT_THROW(make_session(model::Matmul{"huge", std::int64_t{1} << 30}, {}, {}), std::bad_alloc);
}

#if !defined(REGATTA_SANITIZED)  // sanitizers reserve terabytes of addresses: no limit to test against

[[noreturn]] void ask_for_more_than_the_limit() {
  const rlimit limit{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
  try {
    make_session(model::Matmul{"large", 20000}, {}, {});  // 1.6 GB of result
  } catch (const std::bad_alloc&) {
    _exit(17);
  }
  _exit(1);
}

TEST(SessionDeathTest, RunningOutOfMemoryIsBadAllocNotACrash) {
  EXPECT_EXIT(ask_for_more_than_the_limit(), testing::ExitedWithCode(17), "");
}

#endif

TEST(Session, AStepInPlaceIsAStepOnTheSameBatch) {
  Random random(test_seed());
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    TestSettings settings;
    settings.mode = mode;
    settings.batch = 8;
    const auto weights = model::initial_weights(kSmall, 1);
    const OwnedBatch batch = random_batch(random, kSmall, settings.batch);
    const auto fed = make_session(kSmall, weights, settings);
    const auto in_place = make_session(kSmall, weights, settings);
    in_place->step(batch.view());
    fed->step(batch.view());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(in_place->step_in_place(), fed->step(batch.view()));
    EXPECT_EQ(in_place->weights().front().values, fed->weights().front().values);
  }
}

TEST(Session, NumbersTooSmallForFullPrecisionAreZeroInAStepAndNowhereElse) {
  constexpr std::int64_t kSize = 300;  // worth a second thread
  // A GPU computes with them at full speed: their sums are what they are.
  const testing::Matcher<float> expected =
      on_device() ? testing::Matcher<float>(testing::AllOf(testing::Gt(2.99e-38F), testing::Lt(3.01e-38F)))
                  : testing::Matcher<float>(0.0F);
  const std::vector<float> tiny(kSize * kSize, 1e-40F), ones(kSize * kSize, 1.0F);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    for (const int threads : {1, 2}) {
      const auto session =
          make_session(model::Matmul{"tiny", kSize}, {}, {Settings{.mode = mode}, {.threads = threads}});
      session->step({tiny, ones, {}, {}});
      EXPECT_THAT(session->output(), testing::Each(expected)) << threads;
    }
  }
  volatile float still = 1e-40F;
  EXPECT_GT(still * 1.0F, 0.0F);
}

TEST(Session, AStepInPlaceNeedsABatchBeforeIt) {
  const auto session = make_session(kSmall, model::initial_weights(kSmall, 1), {});
  EXPECT_THROW(session->step_in_place(), InternalError);
}

TEST(Session, EmptiedKernelsAreAllIssuedAndComputeNothing) {
  Random random(test_seed());
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    TestSettings settings;
    settings.mode = mode;
    settings.batch = 8;
    const auto weights = model::initial_weights(kSmall, 1);
    const auto full = make_session(kSmall, weights, settings);
    settings.empty_kernels = true;
    const auto emptied = make_session(kSmall, weights, settings);
    const OwnedBatch batch = random_batch(random, kSmall, settings.batch);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(emptied->step(batch.view()), 0);
    full->step(batch.view());
    EXPECT_EQ(emptied->plan().eager_ops, full->plan().eager_ops);
    EXPECT_EQ(emptied->plan().graph_calls, full->plan().graph_calls);
    EXPECT_EQ(emptied->plan().arena_bytes, full->plan().arena_bytes);  // eager took memory for every operation
    EXPECT_EQ(emptied->weights().front().values, weights.front().values);
    EXPECT_NE(full->weights().front().values, weights.front().values);
    EXPECT_THAT(emptied->sample_losses(), testing::Each(0));
  }
}

}  // namespace
}  // namespace regatta::engine
