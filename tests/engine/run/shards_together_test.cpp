#include "engine/run/shards_together.hpp"

#include <gtest/gtest.h>

namespace regatta::engine {
namespace {

constexpr std::int64_t bytes_of_temporaries = 1000;

/// Writes the number of its run to the first result, and to what shards share.
class Counting final : public Executor {
 public:
  explicit Counting(const std::vector<void*>& addresses) : addresses_(addresses) {}
  void run(const Inputs& /*inputs*/) override {
    for (void* const place : addresses_) *static_cast<float*>(place) = ++runs_;
  }
  [[nodiscard]] std::int64_t temporary_bytes() const override { return bytes_of_temporaries; }
  [[nodiscard]] std::int64_t calls() const override { return 3; }

 private:
  const std::vector<void*>& addresses_;
  float runs_ = 0;
};

Program of_two_buffers() {
  Program program;
  program.buffers = {{Role::parameter, 4}, {Role::mean_loss, 4}};
  return program;
}

struct Fixture {
  float parameter = 0, loss = 0;
  Program program = of_two_buffers();
  ShardsTogether together{program, {{&parameter, &loss}, {&parameter, &loss}}, [](const std::vector<void*>& addresses) {
                            return std::make_unique<Counting>(addresses);
                          }};

  [[nodiscard]] float loss_of(std::size_t shard) const {
    return *static_cast<const float*>(together.addresses(shard)[1]);
  }
};

TEST(ShardsTogether, KeepTheResultsOfEach) {
  Fixture made;
  made.together.run(0, {});
  made.together.run(1, {});
  made.together.run(0, {});
  EXPECT_EQ(made.loss_of(0), 4);
  EXPECT_EQ(made.loss_of(1), 2);
  EXPECT_EQ(made.parameter, 3) << "the last one's, as they share it";
  EXPECT_EQ(made.loss, 0);
}

TEST(ShardsTogether, HoldMemoryForEach) {
  const Fixture made;
  EXPECT_EQ(made.together.temporary_bytes(), 2 * (bytes_of_temporaries + kAlignment));
  EXPECT_EQ(made.together.calls(), 3) << "a step's, of one shard";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.together.addresses(1)[1]) % kAlignment, 0U);
}

}  // namespace
}  // namespace regatta::engine
