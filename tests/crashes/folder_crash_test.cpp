// Folders stay where they were made, and what is salvaged into one stays with it.
#include <gtest/gtest.h>

#include "effort.hpp"
#include "recorded_run.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "scratch.hpp"
#include "states.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::crashes {
namespace {

/// Everything is promised once all was done, and nothing before.
Count survive_once_done(const Disk& before, const std::vector<Operation>& operations,
                        const std::function<std::size_t(const Disk&)>& resume) {
  const auto promised = [&](std::size_t done) { return done == operations.size() ? std::size_t{1} : std::size_t{0}; };
  return survive({before, operations, 0}, chosen_effort(), chosen_seed(), promised, resume);
}

TEST(FolderCrash, PrivateFolderStaysWhereItWasMade) {
  const auto operations = recorded({}, [](const std::filesystem::path& root, Recording&) {
    create_private_folder(root / "out" / "deep" / "private");
  });
  EXPECT_GE(operations.size(), 3U);
  const Count count = survive_once_done(
      {}, operations, [](const Disk& disk) -> std::size_t { return disk.has("out/deep/private") ? 1 : 0; });
  print("folder, made with those above it", count);
}

TEST(FolderCrash, SalvagedFolderIsWholeOnceItIsDone) {
  const RecordedRun run;
  const Recorded sessions = run.sessions();
  const Disk damaged = all_done(sessions.before, sessions.operations, sessions.operations.size());
  const auto operations = recorded(damaged, [](const std::filesystem::path& root, Recording&) {
    results::salvage(root / run_path, root / "saved" / "small.regatta", nullptr);
  });
  const Count count = survive_once_done(damaged, operations, [](const Disk& disk) -> std::size_t {
    const support::TemporaryFolder scratch(memory_folder());
    disk.put_into(scratch.path());
    try {
      const results::Results results = results::collect(scratch.path() / "saved" / "small.regatta");
      return results.complete ? 1 : 0;
    } catch (const InputError&) {
      return 0;  // there is no plan yet
    }
  });
  print("folder, salvaged into", count);
}

}  // namespace
}  // namespace regatta::crashes
