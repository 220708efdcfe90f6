#include "regatta/sweep/intervention.hpp"

#include <gmock/gmock.h>

#include "regatta/model/catalogue.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using ::testing::ElementsAre;

/// The texts of what can be changed about the first trial of a sweep with these axes.
std::vector<std::string> changes_of(const std::string& axes) {
  const Sweep sweep = sweep_with("\"axes\": {" + axes + "}");
  const Trial trial = make_plan(sweep).trials.front();
  const auto model = model_of(sweep, trial.parameters);
  std::vector<std::string> texts;
  for (const auto& each : interventions_for(trial.parameters, model ? &*model : nullptr))
    texts.push_back(text_of(each));
  return texts;
}

TEST(Interventions, HaveTextsThatAreReadBack) {
  for (const InterventionKind kind : intervention_kinds()) {
    const Intervention made{kind, kind == InterventionKind::batch ? 48 : 0};
    EXPECT_EQ(parse_intervention(text_of(made)), made) << text_of(made);
  }
  for (const char* text : {"", "batch", "batch ", "batch 0", "batch -1", "batch 4x", "kernels emptied"})
    EXPECT_FALSE(parse_intervention(text)) << text;
}

TEST(Interventions, OfANetworkAreItsInputItsKernelsAndTwoOtherBatches) {
  EXPECT_THAT(changes_of(R"("model": "mlp-10", "batch": 32)"),
              ElementsAre("unchanged", "input_resident", "kernels_emptied", "batch 1", "batch 4"));
  EXPECT_THAT(changes_of(R"("model": "mlp-10", "batch": 2048)"),
              ElementsAre("unchanged", "input_resident", "kernels_emptied", "batch 1", "batch 32"));
}

TEST(Interventions, OfASmallBatchGoUpward) {
  EXPECT_THAT(changes_of(R"("model": "mlp-10", "batch": 1)"),
              ElementsAre("unchanged", "input_resident", "kernels_emptied", "batch 8", "batch 64"));
  EXPECT_THAT(changes_of(R"("model": "mlp-10", "batch": 4)"),
              ElementsAre("unchanged", "input_resident", "kernels_emptied", "batch 1", "batch 64"));
}

TEST(Interventions, OfSeveralRanksAreTheirExchangeTooAndBatchesThatHaveTheShards) {
  EXPECT_THAT(changes_of(R"("model": "mlp-10", "batch": 256, "ranks": 2)"),
              ElementsAre("unchanged", "input_resident", "kernels_emptied", "exchange_off", "batch 16"));
}

TEST(Interventions, OfAProductAreItsKernelsOnly) {
  EXPECT_THAT(changes_of(R"("model": "matmul-1000")"), ElementsAre("unchanged", "kernels_emptied"));
}

TEST(Interventions, OfWhatComputesNothingAreNone) { EXPECT_THAT(changes_of(R"("model": "noop")"), ElementsAre()); }

TEST(Interventions, ChangeNoOtherParameterThanTheBatch) {
  const Parameters trial = plan_with(R"("axes": {"model": "mlp-10", "batch": 32})").trials.front().parameters;
  EXPECT_EQ(changed(trial, {InterventionKind::kernels_emptied, 0}), trial);
  Parameters at_one = trial;
  at_one[Param::batch] = std::int64_t{1};
  EXPECT_EQ(changed(trial, {InterventionKind::batch, 1}), at_one);
}

}  // namespace
}  // namespace regatta::sweep
