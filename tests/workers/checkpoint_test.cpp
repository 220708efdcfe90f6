#include "checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace regatta::worker {
namespace {

RunState some() {
  RunState state;
  state.step = 12345678901;
  state.loss_sum = 1.0 / 3;
  state.loss_count = 7;
  state.train_seconds = 0.1;
  state.evaluate_seconds = 1e-9;
  state.without_gain = 2;
  state.gained = 0.97;
  state.learned.curve = {{"train_loss"}, {{5, 50, 0.05, 0, {2.0 / 3}}}};
  state.learned.best_step = 5;
  state.learned.best = {2.0 / 3};
  state.weights = {{"dense_0/kernel", {2}, std::vector<float>{1, 2}}};
  state.optimizer = {{"step", {2}, std::vector<std::int32_t>{3, 0}}};
  state.best = {{"dense_0/kernel", {2}, std::vector<float>{3, 4}}};
  return state;
}

class Checkpoint : public ::testing::Test {
 protected:
  support::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "run.safetensors";
};

TEST_F(Checkpoint, IsReadBackToTheLastBit) {
  write_checkpoint(path, some());
  const auto read = read_checkpoint(path);
  ASSERT_TRUE(read);
  const RunState state = some();
  EXPECT_EQ(read->step, state.step);
  EXPECT_EQ(read->loss_sum, state.loss_sum);
  EXPECT_EQ(read->loss_count, state.loss_count);
  EXPECT_EQ(read->train_seconds, state.train_seconds);
  EXPECT_EQ(read->evaluate_seconds, state.evaluate_seconds);
  EXPECT_EQ(read->without_gain, state.without_gain);
  EXPECT_EQ(read->gained, state.gained);
  EXPECT_FALSE(read->is_over);
  EXPECT_EQ(read->learned, state.learned);
  ASSERT_EQ(read->weights.size(), 1U);
  EXPECT_EQ(read->weights[0].name, "dense_0/kernel");
  EXPECT_EQ(read->weights[0].values, state.weights[0].values);
  EXPECT_EQ(read->best[0].values, state.best[0].values);
  EXPECT_EQ(read->optimizer[0].values, state.optimizer[0].values);
}

TEST_F(Checkpoint, HoldsARunThatDiverged) {
  RunState state = some();
  state.loss_sum = std::nan("");
  state.gained = std::nan("");
  state.is_over = true;
  state.learned.end = sweep::LegEnd::diverged;
  state.best.clear();
  write_checkpoint(path, state);
  const auto read = read_checkpoint(path);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::isnan(read->loss_sum));
  EXPECT_TRUE(std::isnan(read->gained));
  EXPECT_TRUE(read->is_over);
  EXPECT_EQ(read->learned.end, sweep::LegEnd::diverged);
  EXPECT_TRUE(read->best.empty());
}

TEST_F(Checkpoint, ThatIsMissingOrDamagedBeginsTheRunAgain) {
  EXPECT_FALSE(read_checkpoint(path));
  write_checkpoint(path, some());
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, bytes - 1);
  EXPECT_FALSE(read_checkpoint(path));
  std::ofstream(path) << "nothing of the kind";
  EXPECT_FALSE(read_checkpoint(path));
}

TEST_F(Checkpoint, WithASingleFlippedBitBeginsTheRunAgain) {
  write_checkpoint(path, some());
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t bit = 64; bit < 8 * whole.size(); bit += 7) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path, std::ios::binary) << flipped;
    const auto read = read_checkpoint(path);
    const bool is_padding = whole[bit / 8] == ' ' && (flipped[bit / 8] == '\n' || flipped[bit / 8] == '\r');
    EXPECT_TRUE(!read || is_padding) << "bit " << bit;
  }
}

TEST_F(Checkpoint, OfAnotherRunIsNotGoneOnFrom) {
  write_checkpoint(path, some());
  const auto other = folder.path() / "other.safetensors";
  std::filesystem::rename(path, other);
  EXPECT_FALSE(read_checkpoint(other));
  std::filesystem::rename(other, path);
  EXPECT_TRUE(read_checkpoint(path));
}

}  // namespace
}  // namespace regatta::worker
