// A backend behind the plugin boundary computes what it computes in front of it, and what goes wrong is told.
#include "regatta/engine/open_plugin.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/kernel_comparison.hpp"
#include "engine/outcome.hpp"
#include "regatta/base/error.hpp"
#include "support/command_output.hpp"

namespace regatta::engine {
namespace {

using testing::HasSubstr;

/// The text of the DeviceError that opening the file throws; "opened" if it does not throw.
std::string device_error(const std::string& path) {
  try {
    open_plugin(path, {});
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "opened";
}

TEST(OpenPlugin, NamesAFileThatIsNotThere) {
  EXPECT_THAT(device_error(plugin_path("nowhere")), HasSubstr("libregatta_nowhere.so cannot be opened: "));
}

TEST(OpenPlugin, NamesAFileThatIsNoLibrary) {
  const std::string path = testing::TempDir() + "regatta_no_library.so";
  std::ofstream(path) << "text";
  EXPECT_THAT(device_error(path), HasSubstr("cannot be opened"));
  std::filesystem::remove(path);
}

TEST(OpenPlugin, RefusesALibraryWithoutTheEntry) {
  EXPECT_THAT(device_error(plugin_path("no_plugin")), HasSubstr("has no function regatta_engine_plugin"));
}

TEST(OpenPlugin, RefusesAPluginOfAnotherBuildAndNamesBoth) {
  const std::string error = device_error(plugin_path("other_build"));
  EXPECT_THAT(error, HasSubstr("is of the build '0.0.1 of another tree'"));
  EXPECT_THAT(error, HasSubstr(std::string("this program is of '") + plugin_build_id() + "'"));
}

TEST(OpenPlugin, AStatusOtherThanDoneBecomesTheErrorThatItStandsFor) {
  const auto backend = open_plugin(plugin_path("reference"), {});
  EXPECT_THROW(backend->allocate(std::int64_t{1} << 60), std::bad_alloc);
  try {
    open_plugin(plugin_path("reference"), {.precision = Precision::bf16});
    ADD_FAILURE() << "refused nothing";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the reference kernels compute in fp32 only; take precision fp32");
  }
  try {
    backend->synchronize(backend->event() + 7);
    ADD_FAILURE() << "waited for what never comes";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "event 7 was never issued");
  }
  backend->release(backend->allocate(64));  // nothing of it stays
}

TEST(OpenPlugin, APluginWithoutGroupsOfRanksSaysSo) {
  const std::string path = plugin_path("reference");
  EXPECT_THROW(require_groups(path), InputError);
  EXPECT_THROW(new_group_id(path), InputError);
  EXPECT_THROW(join_group(path, {}), InputError);
}

TEST(OpenPlugin, SeveralBackendsOfOnePluginAreApart) {
  const auto first = open_plugin(plugin_path("reference"), {});
  const auto second = open_plugin(plugin_path("reference"), {});
  first->run(first->bind(Fill{1, 3.0F}, {first->import(0, "1234", 4)}).calls[0]);
  EXPECT_EQ(first->event(), 1U);
  EXPECT_EQ(second->event(), 0U);
}

TEST(OpenPlugin, EachOperationGivesTheBitsOfTheKernelsBehindIt) {
  Random random(test_seed());
  const auto plugin = open_plugin(plugin_path("reference"), {});
  const auto direct = cpu::make_backend({.kernels = KernelSet::reference});
  for (int i = 0; i < 30; ++i) {
    const OpSpec spec =
        i % 2 == 0 ? OpSpec(random_product(random, i)) : OpSpec(Conv1d{random_convolution(random, 3, 5, 40)});
    Memories expected = random_operands(random, spec);
    Memories actual = expected;
    run(*direct, spec, expected);
    run(*plugin, spec, actual);
    EXPECT_EQ(actual, expected) << name_of(spec);
  }
}

TEST(OpenPlugin, SessionsGiveTheBitsOfTheKernelsBehindThePluginInEveryMode) {
  Random random(test_seed());
  for (int i = 0; i < 25; ++i) {
    const model::Network network = random_network(random);
    TestSettings settings;
    settings.batch = uniform(random, 1, 20);
    settings.seed = 11;
    const OwnedBatch batch = random_batch(random, network, settings.batch);
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      settings.mode = mode;
      settings.take(Kernels::reference);
      const std::vector<float> expected = outcome(network, batch, settings);
      settings.take(Kernels::plugin);
      const std::vector<float> actual = outcome(network, batch, settings);
      ASSERT_EQ(actual.size(), expected.size());
      EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(float)), 0) << describe(network);
    }
  }
}

TEST(AskPlugin, TellsDevicesAndVersions) {
  const PluginReport report = ask_plugin(plugin_path("reference"));
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_STREQ(report.devices[0].name, "reference kernels");
  EXPECT_STREQ(report.devices[0].uuid, "REFERENCE-0");
  EXPECT_EQ(report.versions, "reference kernels of this build");
}

TEST(AskPlugin, TellsWhyThereIsNothingToAsk) {
  EXPECT_THROW(ask_plugin(plugin_path("nowhere")), DeviceError);
  EXPECT_THROW(ask_plugin(plugin_path("other_build")), DeviceError);
}

TEST(OpenPlugin, ShowsOneFunctionAndNothingElse) {
  const std::string symbols = support::command_output("nm -D --defined-only '" + plugin_path("reference") + "'");
  EXPECT_THAT(symbols, testing::MatchesRegex("[0-9a-f]+ T regatta_engine_plugin\n"));
}

}  // namespace
}  // namespace regatta::engine
