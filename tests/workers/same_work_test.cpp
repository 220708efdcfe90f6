// Engines are only compared after they were shown to do the same work: here for those of this repository.
#include <gmock/gmock.h>

#include <cmath>

#include "support/places.hpp"
#include "support/temporary_folder.hpp"
#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;
using Losses = std::vector<std::vector<double>>;

constexpr std::int64_t check_steps = 3;
constexpr double tolerance = 1e-4;

Checked checked(TrialSpec spec, const std::string& engine, const std::string& mode) {
  const support::TemporaryFolder folder;
  spec.engine = engine;
  spec.mode = mode;
  const auto worker = engine == "native" ? start_native() : start_python(engine);
  expect_reply<Prepared>(worker->ask(prepare_request(spec, folder.path())));
  return expect_reply<Checked>(worker->ask(Check{{0}, check_steps, true}));
}

Losses losses_of(const TrialSpec& spec, const std::string& engine, const std::string& mode) {
  return checked(spec, engine, mode).losses;
}

/// Largest difference relative to the tensors' norms.
double distance(const std::vector<Projections>& a, const std::vector<Projections>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size()) return INFINITY;
    for (const auto& [name, values] : a[step]) {
      const auto other = b[step].find(name);
      if (other == b[step].end() || other->second.size() != values.size()) return INFINITY;
      for (std::size_t i = 0; i < values.size(); ++i)
        largest = std::max(largest, std::abs(values[i] - other->second[i]) / values.front());
    }
  }
  return largest;
}

/// Largest difference relative to the larger of both and 1e-3.
double distance(const Losses& a, const Losses& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size() || a[step].empty()) return INFINITY;
    for (std::size_t i = 0; i < a[step].size(); ++i) {
      const double scale = std::max({std::abs(a[step][i]), std::abs(b[step][i]), 1e-3});
      const double apart = std::abs(a[step][i] - b[step][i]) / scale;
      largest = apart <= largest ? largest : apart;
    }
  }
  return largest;
}

struct Case {
  TrialSpec spec;
  std::string name;
};

class SameWork : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Models, SameWork,
                         ::testing::Values(Case{{.model = "mlp-10"}, "mlp_10"},
                                           Case{{.model = "mlp-10", .batch = 1000}, "mlp_10_full_batch"},
                                           Case{{.model = "mlp-784"}, "mlp_784"},
                                           Case{{.model = "digits-mlp", .dataset = "digits"}, "digits_mlp"},
                                           Case{{.model = "digits-mlp", .dataset = "digits", .batch = 100, .seed = 7},
                                                "digits_mlp_other_seed"},
                                           Case{{.model = "digits-mlp", .work = "infer", .dataset = "digits"},
                                                "digits_mlp_inference"},
                                           Case{{.model = "matmul-1000"}, "matmul_1000"}),
                         [](const auto& test) { return test.param.name; });

TEST_P(SameWork, NativeEagerNativeGraphAndNumpyAgreeOverThreeSteps) {
  const TrialSpec& spec = GetParam().spec;
  const Losses graph = losses_of(spec, "native", "graph");
  ASSERT_EQ(graph.size(), static_cast<std::size_t>(check_steps));
  EXPECT_EQ(losses_of(spec, "native", "eager"), graph) << "eager and graph give the same bits";
  EXPECT_LE(distance(losses_of(spec, "numpy", ""), graph), tolerance);
}

TEST(SameWorkEvidence, OfNativeAndNumpyAgrees) {
  for (const char* model : {"mlp-10", "mlp-784"}) {  // SGD, Adam
    const auto native = checked({.model = model}, "native", "graph").evidence;
    const auto numpy = checked({.model = model}, "numpy", "").evidence;
    ASSERT_TRUE(native && numpy);
    ASSERT_EQ(native->gradients.size(), static_cast<std::size_t>(check_steps));
    EXPECT_EQ(native->gradients.front().begin()->second.size(), 9U);
    EXPECT_LE(distance(native->gradients, numpy->gradients), 1e-3) << model;
    EXPECT_LE(distance(native->updates, numpy->updates), 1e-2) << model;
    EXPECT_LE(distance(Losses{native->probe}, Losses{numpy->probe}), 1e-3) << model;
    for (const auto& [name, size] : native->resolution) EXPECT_NEAR(size, numpy->resolution.at(name), 1e-3 * size);
  }
}

void expect_evidence_of(const TrialSpec& other, const char* model) {
  const auto plain = checked({.model = model}, "native", "graph");
  const auto found = checked(other, "native", "graph");
  ASSERT_TRUE(plain.evidence && found.evidence);
  EXPECT_NE(plain.losses, found.losses) << "nothing was computed in another way";
  EXPECT_LE(distance(plain.losses, found.losses), tolerance);
  EXPECT_LE(distance(plain.evidence->gradients, found.evidence->gradients), 1e-3);
  EXPECT_EQ(plain.evidence->probe, found.evidence->probe);
}

TEST(SameWorkEvidence, OfARewriteIsThatOfWhatIsWritten) {
  expect_evidence_of({.model = "conv1d-small", .rewrite = "algebraic"}, "conv1d-small");
}

TEST(SameWorkEvidence, OfFourierTransformsIsThatOfTheSumsAsTheyStand) {
  expect_evidence_of({.model = "conv1d-question", .algorithm = "fft"}, "conv1d-question");
}

TEST(SameWorkEvidence, OfADeviceInAPluginIsThatOfTheProcessor) {
  const support::TemporaryFolder folder;
  const auto worker = start_with_plugin(folder.path());
  for (const char* mode : {"eager", "graph"}) {
    const TrialSpec spec{.model = "mlp-784", .mode = mode};
    TrialSpec on_device = spec;
    on_device.device = "cuda";
    const auto prepared = expect_reply<Prepared>(worker->ask(prepare_request(on_device, folder.path())));
    EXPECT_EQ(sweep::text_of(prepared.facts, sweep::Fact::kernels), "reference") << "the processor computed it";
    const Samples slice = expect_reply<Samples>(worker->ask(Slice{{0}, {stats::Phase::steady, 0, {0, 3, 1}}}));
    EXPECT_EQ(slice.samples.size(), 3U);
    const auto found = expect_reply<Checked>(worker->ask(Check{{0}, check_steps, true}));
    const auto plain = checked(spec, "native", mode);
    ASSERT_TRUE(plain.evidence && found.evidence);
    EXPECT_LE(distance(plain.losses, found.losses), tolerance);
    EXPECT_LE(distance(plain.evidence->gradients, found.evidence->gradients), 1e-3);
    EXPECT_LE(distance(plain.evidence->updates, found.evidence->updates), 1e-2);
    EXPECT_LE(distance(Losses{plain.evidence->probe}, Losses{found.evidence->probe}), 1e-3);
  }
}

TEST(SameWorkEvidence, IsOfTrainingOnly) {
  for (const char* engine : {"native", "numpy"}) {
    const std::string mode = engine == std::string("native") ? "graph" : "";
    EXPECT_FALSE(checked({.model = "digits-mlp", .work = "infer", .dataset = "digits"}, engine, mode).evidence);
    EXPECT_FALSE(checked({.model = "matmul-1000"}, engine, mode).evidence);
  }
}

TEST(SameWorkOfOtherTrials, IsSeenToDiffer) {
  const Losses one = losses_of({.model = "mlp-10"}, "native", "graph");
  const Losses other = losses_of({.model = "mlp-10", .seed = 1}, "native", "graph");
  EXPECT_GT(distance(one, other), 100 * tolerance);
}

}  // namespace
}  // namespace regatta::testing
