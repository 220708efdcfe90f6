#include "pipeline.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "regatta/base/error.hpp"
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
    if (step == 3) made = loader->times().gather_seconds;
  }
  EXPECT_EQ(loader->times().gather_seconds, made) << "nothing is copied after the first round";
}

TEST(Pipeline, FeedsTheStepsOfATrial) {
  using namespace testing;
  const ScratchFolder folder;
  const auto worker = start_native();
  const auto prepared = [&](const TrialSpec& spec) {
    return expect_reply<protocol::Prepared>(worker->ask(prepare_request(spec, folder.path())));
  };
  const std::uint64_t of_array = prepared({.model = "mlp-784"}).peak_bytes;
  for (const std::int64_t workers : {0, 2}) {
    const auto piped = prepared({.model = "mlp-784", .input = "pipeline", .loader_workers = workers});
    EXPECT_GT(piped.peak_bytes, of_array) << "the batches that it makes ahead";
    const auto samples =
        expect_reply<protocol::Samples>(worker->ask(protocol::Slice{{0}, stats::Phase::steady, 0, 5, 40, 1})).samples;
    EXPECT_THAT(samples, ::testing::SizeIs(45));
  }
}

}  // namespace
}  // namespace regatta::worker
