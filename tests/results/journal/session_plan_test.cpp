#include "results/journal/session_plan.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "regatta/sweep/final_block.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/record_codec.hpp"
#include "results/sample_sweep.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

TEST(SessionPlan, SweepHashFollowsTextAndAxes) {
  sweep::Sweep sweep = sample_sweep().sweep;
  const Hash128 before = sweep_hash(sweep);
  sweep.axes.back().levels.pop_back();
  EXPECT_NE(sweep_hash(sweep), before);
  sweep = sample_sweep().sweep;
  EXPECT_EQ(sweep_hash(sweep), before);
  sweep.text += "\n";
  EXPECT_NE(sweep_hash(sweep), before);
}

TEST(SessionPlan, PlanThatStandsEarlierIsNamedByItsContent) {
  const Record plan = to_record(PlanRecord{"text", "/a.json", {}, {}, {}}, hash128("sweep"));
  const Record other = to_record(PlanRecord{"text", "/b.json", {}, {}, {}}, hash128("sweep"));
  const Record again = plan_again(plan);
  EXPECT_LT(again.payload.size(), 17U);
  EXPECT_EQ(parse_plan(whole_plan({other, plan, again}, again)).file, "/a.json");
  EXPECT_EQ(parse_plan(whole_plan({other, plan, again}, other)).file, "/b.json");
  EXPECT_THAT(message_of<InputError>([&] { whole_plan({other, again}, again); }), HasSubstr("not in the journal"));
}

/// A session's plan, its axes changed by the command line.
struct Planned {
  SampleSweep sample = sample_sweep();
  Record header;
  Record plan;
  Record copy;

  Planned() {
    sweep::set_axis(sample.sweep, "batch=4,8");
    sweep::keep_only(sample.sweep, "mode=eager,graph");
    sample.plan = sweep::make_plan(sample.sweep);
    const Hash128 hash = sweep_hash(sample.sweep);
    const PlanRecord planned = plan_record(sample.sweep, sample.plan);
    header = to_record(HeaderRecord{"small", sample_provenance(sample.sweep.text)}, hash);
    plan = to_record(planned, hash);
    copy = plan_copy(header, planned, plan);
  }
};

TEST(SessionPlan, CopyBringsBackHeaderAndPlanToTheLastByte) {
  const Planned planned;
  EXPECT_EQ(planned.copy.hash, planned.plan.hash);
  EXPECT_EQ(parse_plan_copy(planned.copy).header.payload, planned.header.payload);
  EXPECT_EQ(plan_of(planned.copy).payload, planned.plan.payload);
  EXPECT_EQ(plan_of(planned.copy).hash, planned.plan.hash);
}

TEST(SessionPlan, CopyHoldsNoIds) {
  const Planned planned;
  EXPECT_LT(planned.copy.payload.size(), planned.header.payload.size() + planned.sample.sweep.text.size() + 400);
}

TEST(SessionPlan, CopyWhoseSweepMakesOtherTrialsIsRefused) {
  Planned planned;
  const Hash128 hash = planned.plan.hash;
  PlanRecord of_another_version = parse_plan(planned.plan);
  of_another_version.trials.pop_back();
  planned.copy = plan_copy(planned.header, of_another_version, to_record(of_another_version, hash));
  EXPECT_THAT(message_of<InputError>([&] { plan_of(planned.copy); }),
              HasSubstr("its sweep makes other trials in this version"));
}

TEST(SessionPlan, CopyThatEndsTooEarlyIsRefused) {
  Planned planned;
  planned.copy.payload.pop_back();
  EXPECT_THAT(message_of<InputError>([&] { parse_plan_copy(planned.copy); }), HasSubstr("it ends too early"));
}
TEST(SessionPlan, HoldsNoFinals) {
  const SampleSweep sample = sample_sweep();
  const auto& arms = sample.plan.blocks[0].arms;
  const auto final = sweep::final_block(sample.plan, {arms[0], arms[1]});
  ASSERT_TRUE(final);
  EXPECT_EQ(plan_record(sample.sweep, sweep::with_finals(sample.plan, {*final})).blocks,
            plan_record(sample.sweep, sample.plan).blocks);
}

}  // namespace
}  // namespace regatta::results
