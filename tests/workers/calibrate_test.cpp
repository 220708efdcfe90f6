// The command `regatta-worker calibrate`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "workers/trials.hpp"

namespace regatta::testing {
namespace {

nlohmann::json calibrate(const std::string& threads) {
  WorkerProcess worker({native_worker(), "calibrate", "--threads", threads});
  EXPECT_EQ(worker.wait(), 0);
  return nlohmann::json::parse(worker.standard_output());
}

// Bounds that any processor of this century keeps, and that a loop the compiler left out does not.
TEST(Calibrate, PrintsRatesThatAProcessorCanHave) {
  const auto found = calibrate("2");
  EXPECT_EQ(found.at("threads"), 2);
  for (const char* rate : {"memory_bytes_per_second", "copy_bytes_per_second"}) {
    EXPECT_GT(found.at(rate).get<double>(), 1e8) << rate;
    EXPECT_LT(found.at(rate).get<double>(), 1e13) << rate;
  }
  constexpr double most_flop_per_core = 64 * 8e9;  // two units of 16 multiply-adds, at 8 GHz
  if (found.at("isa") == "") {
    EXPECT_TRUE(found.at("core_peak_flops_per_second").is_null());
  } else {
    EXPECT_GT(found.at("core_peak_flops_per_second").get<double>(), 1e9);
    EXPECT_LT(found.at("core_peak_flops_per_second").get<double>(), most_flop_per_core);
    EXPECT_LT(found.at("peak_flops_per_second").get<double>(), 2 * most_flop_per_core);
  }
}

TEST(Calibrate, BadCommandLinesExitWithTwo) {
  for (const char* threads : {"0", "-1", "x", ""}) {
    WorkerProcess worker({native_worker(), "calibrate", "--threads", threads});
    EXPECT_EQ(worker.wait(), 2) << threads;
  }
}

}  // namespace
}  // namespace regatta::testing
