#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "measuring/measuring.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {
namespace {

class SharedCheckpoint : public testing::Test {
 protected:
  SharedCheckpoint() : path(std::filesystem::path(testing::TempDir()) / ("checkpoint-" + std::to_string(getpid()))) {}
  ~SharedCheckpoint() override { std::filesystem::remove(path); }

  void write(const std::string& text) const { std::ofstream(path) << text; }

  /// Why rank 3 cannot go on.
  [[nodiscard]] std::string refusal(const std::string& hash) const {
    try {
      require_checkpoint(path, hash, 3, 0.01);
    } catch (const measure::ArmEnded& ended) {
      return std::get<sweep::Failed>(ended.outcome).message;
    }
    return "";
  }

  std::filesystem::path path;
};

TEST_F(SharedCheckpoint, IsTheSameWhereItsBytesAre) {
  EXPECT_EQ(hash_of_checkpoint(path), "");
  EXPECT_EQ(refusal(""), "");
  write("weights");
  const std::string hash = hash_of_checkpoint(path);
  EXPECT_EQ(refusal(hash), "");
  write("others");
  EXPECT_THAT(refusal(hash),
              testing::HasSubstr("the node of rank 3 sees another file as the checkpoint " + path.string()));
}

TEST_F(SharedCheckpoint, HasToBeSeenWhereRankZeroHasIt) {
  EXPECT_THAT(refusal("abc"), testing::HasSubstr("does not see the checkpoint"));
  EXPECT_THAT(refusal("abc"), testing::HasSubstr("that rank 0 goes on from"));
  write("left by another run");
  EXPECT_THAT(refusal(""), testing::HasSubstr("rank 3 sees the checkpoint"));
  EXPECT_THAT(refusal(""), testing::HasSubstr("that rank 0 does not have"));
}

TEST_F(SharedCheckpoint, MayComeLate) {
  write("weights");
  const std::string hash = hash_of_checkpoint(path);
  std::filesystem::remove(path);
  std::thread late([&] { write("weights"); });
  EXPECT_NO_THROW(require_checkpoint(path, hash, 1, 60));
  late.join();
}

}  // namespace
}  // namespace regatta::launcher
