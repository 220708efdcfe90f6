#include <gtest/gtest.h>

#include "bench/bench.hpp"
#include "bench/sweep_run.hpp"
#include "os/scratch_folder.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

TEST(DurableRate, IsThatOfResultsWhichAreAllKept) {
  constexpr std::size_t trials = 3000;  // more than are unacknowledged at once
  const ScratchFolder scratch("durable");
  const SweepPlace place = noops(scratch.path, "noops", trials);
  const sweep::Sweep sweep = sweep::read_sweep(place.sweep_file(), sweep::any_environment());
  const sweep::Plan plan = sweep::make_plan(sweep);
  EXPECT_GT(durable_rate(sweep, plan, place.store(), 2, 0), 0);
  EXPECT_EQ(results::finished_blocks(results::read_store(place.store())).size(), trials);
  EXPECT_EQ(sample_bytes(place), trials * 2 * sizeof(stats::Sample));
}

TEST(DurableRate, WaitsForEachSlowSync) {
  constexpr std::size_t trials = 3000;
  constexpr double slower_seconds = 0.05;
  const ScratchFolder scratch("durable");
  const SweepPlace place = noops(scratch.path, "noops", trials);
  const sweep::Sweep sweep = sweep::read_sweep(place.sweep_file(), sweep::any_environment());
  const sweep::Plan plan = sweep::make_plan(sweep);
  const double least_seconds = 2 * 2 * slower_seconds;  // two groups of results, each in two files
  EXPECT_LT(durable_rate(sweep, plan, place.store(), 1, slower_seconds), trials / least_seconds);
}

}  // namespace
}  // namespace regatta::launcher
