// A step reads nothing back from its device: whoever wants a figure asks for it.
#include <gtest/gtest.h>

#include "engine/forwarding_backend.hpp"
#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

/// The host's reads from the device and its waits for it.
struct Reads {
  int views = 0, waits = 0;
  Event issued = 0, last_wait = 0;
};

/// The processor as a device that counts; an event is the number of calls and replays.
class CountingBackend final : public ForwardingBackend {
 public:
  explicit CountingBackend(Reads& reads) : reads_(reads) {}

  const void* host_view(const void* memory, std::int64_t bytes) override {
    ++reads_.views;
    return ForwardingBackend::host_view(memory, bytes);
  }
  void run(const Call& call) override {
    ++reads_.issued;
    ForwardingBackend::run(call);
  }
  void replay(const Recording& recording) override {
    ++reads_.issued;
    ForwardingBackend::replay(recording);
  }
  Event event() override { return reads_.issued; }
  void synchronize(Event event) override {
    ++reads_.waits;
    reads_.last_wait = event;
  }

 private:
  Reads& reads_;
};

TEST(HostReads, AStepMakesNoneAndAWaitIsForTheLastStep) {
  const model::Network network{"n", {4}, {model::Dense{3}}, model::Loss::mse, model::Sgd{0.1}};
  Random random(1);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    Reads reads;
    CountingBackend backend(reads);
    const Settings settings{.mode = mode, .batch = 2};
    const OwnedBatch batch = random_batch(random, network, settings.batch);
    const auto session = make_session(network, model::initial_weights(network, 1), settings, backend);
    for (int i = 0; i < 3; ++i) session->step(batch.view());
    session->step_in_place();
    EXPECT_EQ(reads.views, 0);
    EXPECT_EQ(reads.waits, 0);
    session->wait();
    EXPECT_GE(reads.issued, 4U);
    EXPECT_EQ(reads.last_wait, reads.issued);
    EXPECT_GT(session->mean_loss(), 0.0F);
    EXPECT_EQ(reads.views, 1);
  }
}

TEST(HostReads, ASessionRefusesABackendOfAnotherPrecision) {
  Reads reads;
  CountingBackend backend(reads);
  EXPECT_THROW(make_session(model::Matmul{"m", 2}, {}, {.precision = Precision::bf16}, backend), InternalError);
}

}  // namespace
}  // namespace regatta::engine
