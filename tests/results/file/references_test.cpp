#include <gmock/gmock.h>

#include <functional>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"

namespace regatta::results {
namespace {

TEST(References, OfWhatWasCollectedAreThere) { EXPECT_NO_THROW(expect_references(varied_results())); }

TEST(References, ToNoRowAreRefusedWithTheirTable) {
  constexpr std::uint32_t none = 10'000;
  const auto refused = [](const char* table, const std::function<void(Results&)>& change) {
    Results results = varied_results();
    change(results);
    EXPECT_THAT(message_of<InputError>([&] { expect_references(results); }),
                testing::HasSubstr(std::string("/") + table + ": row 0"));
  };
  refused("trials", [&](Results& all) { all.trials[0].env = none; });
  refused("trials", [&](Results& all) { all.trials[0].host = -2; });
  refused("trials", [&](Results& all) { all.trials[0].device = none; });
  refused("trials", [&](Results& all) { all.trials[0].source = none; });
  refused("trials", [](Results& all) { all.trials[0].parameters.set(sweep::Param::engine, {}); });
  refused("blocks", [&](Results& all) { all.blocks[0].arms[0].value = none; });
  refused("samples", [&](Results& all) { all.samples[0].trial.value = none; });
  refused("samples", [&](Results& all) { all.samples[0].block.value = none; });
  refused("samples", [&](Results& all) { all.samples[0].sample.arm = 99; });
  refused("interventions", [&](Results& all) { all.interventions[0].trial.value = none; });
  refused("intervention_samples", [&](Results& all) { all.intervention_samples[0].row = none; });
  refused("devices", [&](Results& all) { all.devices[0].host = -1; });
}

}  // namespace
}  // namespace regatta::results
