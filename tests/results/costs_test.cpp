// The cost of a no-op trial for a reader of its journal, counted, not timed: allocations. The limits are the counts,
// and a tenth.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <string>

#include "regatta/results/open_work.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "support/counted_allocations.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using support::allocations;

constexpr std::uint32_t trials = 4000;

SampleSweep noops() {
  auto sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"model": "noop"}, "repeats": )" + std::to_string(trials) + "}", "s.json",
      sweep::any_environment());
  auto plan = sweep::make_plan(sweep);
  return {std::move(sweep), std::move(plan)};
}

class CostsOfManyTrials : public testing::Test {
 protected:
  CostsOfManyTrials() {
    StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.agent(sample_agent());
    for (const sweep::Block& block : sample.plan.blocks) {
      writer.granted(block.hash, {0}, {1});
      writer.result(finished_block(sample.plan, block.index), block_samples(sample.plan, block.index, 1));
    }
    writer.end_session();
  }

  /// Allocations for each trial.
  static double of(const char* what, const std::function<void()>& work) {
    const std::uint64_t before = allocations;
    work();
    const double each = static_cast<double>(allocations - before) / trials;
    std::cout << what << ": " << each << " allocations for a trial\n";
    return each;
  }

  support::TemporaryFolder base;
  std::filesystem::path folder = base / "s.regatta";
  SampleSweep sample = noops();
};

TEST_F(CostsOfManyTrials, OfAPlan) {
  EXPECT_LE(of("a plan", [&] { static_cast<void>(sweep::make_plan(sample.sweep)); }), 7.8);
}

TEST_F(CostsOfManyTrials, OfAResume) {
  Scan journal;
  EXPECT_LE(of("a scan", [&] { journal = read_store(folder); }), 1.1);
  EXPECT_LE(of("finished blocks", [&] { EXPECT_EQ(finished_blocks(journal).size(), trials); }), 1.1);
}

TEST_F(CostsOfManyTrials, OfStatusWhichMakesOnePlan) {
  EXPECT_LE(of("status", [&] { EXPECT_TRUE(open_work(folder).blocks.empty()); }), 27.4);
}

TEST_F(CostsOfManyTrials, OfCollectingWithoutAnotherPlan) {
  const Scan journal = read_store(folder);
  const double anew = of("collecting", [&] { static_cast<void>(collect(folder, journal)); });
  const double given = of("collecting, the plan given", [&] {
    static_cast<void>(collect(folder, journal, {sample.sweep, sample.plan}));
  });
  EXPECT_LE(given, anew - 2);
}

}  // namespace
}  // namespace regatta::results
