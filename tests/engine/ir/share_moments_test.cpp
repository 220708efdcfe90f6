#include <gmock/gmock.h>

#include "engine/ir/ir.hpp"

namespace regatta::engine {
namespace {

using testing::ElementsAre;

/// A network that normalizes its input, and what a layer gives.
Program shared(bool moving_moments) {
  const model::Network network{"norms",
                               {3},
                               {model::BatchNorm{}, model::Dense{2}, model::BatchNorm{0.75, 0.5}},
                               model::Loss::mse,
                               model::Sgd{.learning_rate = 0.1}};
  Settings settings;
  settings.batch = 8;
  settings.shards = 2;
  settings.ranks = 2;
  settings.moving_moments = moving_moments;
  settings.batch_statistics = BatchStatistics::batch;
  return lower(network, settings);
}

std::vector<std::string> waiting(const Program& program) {
  std::vector<std::string> names;
  for (const Op& op : step_ops(program)) {
    if (awaits_sums(op.spec)) names.emplace_back(name_of(op.spec));
  }
  return names;
}

TEST(ShareMoments, LetsOperationsAwaitTheStatisticsInTheirOrder) {
  const Program program = shared(false);
  EXPECT_THAT(waiting(program),
              ElementsAre("batch_sums", "batch_norm", "batch_sums", "batch_norm", "batch_norm_input_gradient"))
      << "nobody reads the gradient of the first layer's input";
  std::vector<std::int64_t> columns;
  std::vector<BatchStatistic::Becomes> becomes;
  for (const BatchStatistic& statistic : program.statistics) {
    columns.push_back(statistic.columns);
    becomes.push_back(statistic.becomes);
    EXPECT_EQ(statistic.rows, 4) << "those of a shard";
    EXPECT_EQ(statistic.moving, kNoBuffer);
  }
  EXPECT_THAT(columns, ElementsAre(3, 3, 2, 2, 2));
  using enum BatchStatistic::Becomes;
  EXPECT_THAT(becomes, ElementsAre(mean, scale, mean, scale, gradient_means));
}

TEST(ShareMoments, LeavesMovingMomentsToTheStatistics) {
  const Program program = shared(true);
  ASSERT_EQ(program.moving_moments.size(), 4U);
  const BatchStatistic& scale = program.statistics[3];
  EXPECT_EQ(scale.moving, program.moving_moments[2].buffer);
  EXPECT_EQ(program.moving_moments[3].buffer, scale.moving);
  EXPECT_EQ(program.moving_moments[3].offset, 2) << "the variance stands behind the mean";
  EXPECT_FLOAT_EQ(scale.smallest_share, 0.25F);
  EXPECT_FLOAT_EQ(scale.epsilon, 0.5F);
  for (const Node& node : program.nodes) {
    const auto* const norm = std::get_if<BatchNorm>(&node.op.spec);
    EXPECT_TRUE(norm == nullptr || !norm->moving_moments);
  }
}

}  // namespace
}  // namespace regatta::engine
