#include "batches/pipeline.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::worker {
namespace {

using model::Tensor;

constexpr std::size_t batches = 3, rows = 4, width = 2;

/// "x" and "y" whose numbers count up.
std::vector<Tensor> counting() {
  std::vector<float> x(batches * rows * width);
  std::vector<std::int32_t> y(batches * rows);
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(y.begin(), y.end(), 100);
  return {{"x", {batches, rows, width}, x}, {"y", {batches, rows}, y}};
}

TEST(Pipeline, GivesTheBatchesInTheirOrderAgainAndAgain) {
  const std::vector<Tensor> tensors = counting();
  const auto& x = std::get<std::vector<float>>(tensors[0].values);
  const auto& y = std::get<std::vector<std::int32_t>>(tensors[1].values);
  for (const int threads : {0, 1, 2}) {
    const auto loader = make_pipeline(tensors, {.threads = threads});
    for (std::size_t step = 0; step < 10 * batches; ++step) {
      const auto loaded = loader->next();
      const engine::Batch batch = batch_in(*loader, *loaded);
      const std::size_t at = step % batches;
      EXPECT_TRUE(std::ranges::equal(batch.x, std::span(x).subspan(at * rows * width, rows * width)));
      EXPECT_TRUE(std::ranges::equal(batch.y_int, std::span(y).subspan(at * rows, rows)));
      EXPECT_TRUE(batch.x_int.empty() && batch.y_float.empty());
    }
  }
}

TEST(Pipeline, RefusesTensorsThatAreNoBatches) {
  std::vector<Tensor> tensors = counting();
  tensors[1].shape = {batches * rows};
  EXPECT_THROW(arrays_of_batches(tensors), InputError);
  EXPECT_THROW(make_pipeline({tensors[0]}, {}), InputError);
}

TEST(Pipeline, GivesIndicesAndTargetsOfSeveralNumbers) {
  const std::vector<Tensor> tensors = {{"x", {1, 2, 2}, std::vector<std::int32_t>{1, 2, 3, 4}},
                                       {"y", {1, 2, 1}, std::vector<float>{0.5F, 1.5F}}};
  const auto loader = make_pipeline(tensors, {.threads = 1});
  const auto loaded = loader->next();
  const engine::Batch batch = batch_in(*loader, *loaded);
  EXPECT_THAT(std::vector(batch.x_int.begin(), batch.x_int.end()), ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(std::vector(batch.y_float.begin(), batch.y_float.end()), ::testing::ElementsAre(0.5F, 1.5F));
}

TEST(Pipeline, HeadspaceGivesTheSameBatchesWithoutMakingThemAgain) {
  std::vector<float> values(8);
  std::iota(values.begin(), values.end(), 0.0F);
  const std::vector<model::Tensor> tensors = {{"x", {4, 1, 2}, values}, {"y", {4, 1, 1}, std::vector<float>(4)}};
  const auto loader = make_pipeline(tensors, {.depth = 4, .is_headspace = true});
  EXPECT_EQ(loader->depth(), 4);
  double made = 0;
  for (int step = 0; step < 12; ++step) {
    const auto loaded = loader->next();
    EXPECT_EQ(batch_in(*loader, *loaded).x[0], static_cast<float>(2 * (step % 4)));
    if (step == 3) made = loader->times().collate_seconds;
  }
  EXPECT_EQ(loader->times().collate_seconds, made) << "nothing is copied after the first round";
}

TEST(Pipeline, TellsWhatItsTimeSaysOfAStep) {
  using sweep::Fact;
  EXPECT_TRUE(input_facts({}).empty()) << "no step was fed";
  const sweep::Facts facts = input_facts({.wait_seconds = 4, .consume_seconds = 6, .decode_seconds = 3, .batches = 2});
  EXPECT_EQ(sweep::text_of(facts, Fact::input_bound_by), "decode");
  EXPECT_EQ(sweep::number_of(facts, Fact::input_wait), 2);
  EXPECT_EQ(sweep::number_of(facts, Fact::input_compute), 3);
  EXPECT_EQ(sweep::number_of(facts, Fact::input_decode), 1.5);
  EXPECT_EQ(facts.size(), 4U) << "what is 0 is not known";
}

TEST(Pipeline, TellsFactsAfterScoredSlicesOfArmsThatItFeeds) {
  using namespace testing;
  using sweep::Fact;
  const support::TemporaryFolder folder;
  const auto worker = start_native();
  const auto facts_after = [&](stats::Phase phase, std::int64_t reentry) {
    return expect_reply<protocol::Samples>(worker->ask(protocol::Slice{{0}, {phase, 0, {reentry, 40, 1}}}));
  };
  const auto prepare = [&](const TrialSpec& spec) {
    expect_reply<protocol::Prepared>(worker->ask(prepare_request(spec, folder.path())));
  };
  prepare({.model = "mlp-784"});
  EXPECT_TRUE(facts_after(stats::Phase::steady, 0).facts.empty()) << "an array has no loader";
  prepare({.model = "mlp-784", .intervention = "input_resident", .input = "pipeline"});
  EXPECT_TRUE(facts_after(stats::Phase::steady, 0).facts.empty()) << "its steps read no batch";
  for (const std::int64_t workers : {0, 2}) {
    prepare({.model = "mlp-784", .input = "pipeline", .loader_workers = workers});
    EXPECT_TRUE(facts_after(stats::Phase::warmup, 5).facts.empty()) << "nothing was scored yet";
    const protocol::Samples told = facts_after(stats::Phase::steady, 5);
    double seconds = 0;
    for (const stats::Sample& sample : told.samples)
      if (sample.phase == stats::Phase::steady) seconds += sample.seconds / 40;
    EXPECT_NE(sweep::text_of(told.facts, Fact::input_bound_by), "");
    const double wait = sweep::number_of(told.facts, Fact::input_wait);
    EXPECT_NEAR(wait + sweep::number_of(told.facts, Fact::input_compute), seconds, 1e-9) << "a scored step";
    EXPECT_EQ(sweep::number_of(told.facts, Fact::input_decode), 0) << "floats are copied as they are";
    EXPECT_TRUE(wait > 0 || workers > 0) << "a step makes its batches itself";
    EXPECT_TRUE(sweep::number_of(told.facts, Fact::input_slot_wait) == 0 || workers > 0);
  }
}

TEST(Pipeline, FeedsTheStepsOfATrial) {
  using namespace testing;
  const support::TemporaryFolder folder;
  const auto worker = start_native();
  const auto prepared = [&](const TrialSpec& spec) {
    return expect_reply<protocol::Prepared>(worker->ask(prepare_request(spec, folder.path())));
  };
  const std::uint64_t of_array = prepared({.model = "mlp-784"}).peak_bytes;
  for (const std::int64_t workers : {0, 2}) {
    const auto piped = prepared({.model = "mlp-784", .input = "pipeline", .loader_workers = workers});
    EXPECT_GT(piped.peak_bytes, of_array) << "the batches that it makes ahead";
    const auto samples =
        expect_reply<protocol::Samples>(worker->ask(protocol::Slice{{0}, {stats::Phase::steady, 0, {5, 40, 1}}}))
            .samples;
    EXPECT_THAT(samples, ::testing::SizeIs(45));
  }
}

}  // namespace
}  // namespace regatta::worker
