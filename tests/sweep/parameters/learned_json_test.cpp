#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::sweep {
namespace {

Learned some() {
  Learned learned;
  learned.end = LegEnd::stopped;
  learned.curve = {{"train_loss", "validation_loss"},
                   {{10, 320, 0.25, 0.5, {1.0 / 3, 2}}, {20, 640, 0.5, 1, {0.1, 1e-9}}}};
  learned.best_step = 20;
  learned.best = {0.1, 1e-9};
  learned.test_loss = 0.125;
  learned.training_samples = 1120;
  learned.validation_samples = 280;
  learned.test_samples = 397;
  learned.repeated_samples = 2;
  learned.peak_bytes = 123456789;
  learned.checkpoint = "0123.safetensors";
  return learned;
}

std::string error_of(const std::string& json) {
  try {
    parse_learned(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LearnedJson, IsReadBackToTheLastBit) { EXPECT_EQ(parse_learned(to_json(some())), some()); }

TEST(LearnedJson, HoldsNullForWhatIsNotFinite) {
  Learned learned = some();
  learned.curve.points[1].values = {std::nan(""), std::numeric_limits<double>::infinity()};
  const Learned read = parse_learned(to_json(learned));
  EXPECT_TRUE(std::isnan(read.curve.points[1].values[0]));
  EXPECT_TRUE(std::isnan(read.curve.points[1].values[1]));
}

TEST(LearnedJson, ALegThatOnlyTestsHasNoPoint) {
  Learned learned;
  learned.test_accuracy = 0.5;
  EXPECT_EQ(parse_learned(to_json(learned)), learned);
}

TEST(LearnedJson, HoldsWhichTestSamplesWereRight) {
  const std::vector<bool> hits = {true, false, true, true, false, true};
  EXPECT_EQ(hits_text(hits), "b4") << "the first in the highest bit, the rest 0";
  EXPECT_EQ(hits_of("b4", 6), hits);
  Learned learned;
  learned.test_samples = 6;
  learned.test_hits = "b4";
  EXPECT_EQ(parse_learned(to_json(learned)), learned);
  learned.test_samples = 9;
  EXPECT_EQ(error_of(to_json(learned)), "the results of a leg: right and wrong of 9 test samples, in 2 digits");
  learned.test_samples = 8;
  learned.test_hits = "G4";
  EXPECT_EQ(error_of(to_json(learned)),
            "the results of a leg: test samples that were right, not in hexadecimal digits");
}

TEST(LearnedJson, NeedsNoCountOfRepeatedSamples) {
  EXPECT_EQ(parse_learned(R"({"end":"reached","metrics":[],"points":[],"best_step":0,"best":[],"samples":[3,2,1]})")
                .repeated_samples,
            0);
}

TEST(LearnedJson, IsRefusedWhereNoLegCouldGiveIt) {
  EXPECT_EQ(error_of("[]"), "the results of a leg: it has no \"end\"");
  const auto with = [](const std::string& points) {
    return R"({"end":"reached","metrics":["a"],"points":)" + points + R"(,"best_step":0,"best":[],"samples":[1,1,1]})";
  };
  EXPECT_EQ(error_of(with("[[1,2,3,4,5]]")), "no error");
  EXPECT_EQ(error_of(with("[[1,2,3,4]]")), "the results of a leg: a point of 4 numbers, expected 5");
  EXPECT_EQ(error_of(with("[[2,2,3,4,5],[2,2,3,4,5]]")), "the results of a leg: steps that do not grow");
  EXPECT_EQ(error_of(with("[[-1,2,3,4,5]]")), "the results of a leg: found -1, expected a count");
  EXPECT_EQ(error_of(with("[[1,2,null,4,5]]")), "the results of a leg: found null, expected seconds");
  EXPECT_EQ(error_of(R"({"end":"won"})"),
            "the results of a leg: it ended with \"won\", expected one of reached, stopped, diverged");
}

}  // namespace
}  // namespace regatta::sweep
