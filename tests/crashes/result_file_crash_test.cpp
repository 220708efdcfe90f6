// NAME.h5 survives a loss of power behind every operation by which it is made: it is the old one, the new one or none.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "effort.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "scratch.hpp"
#include "states.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::crashes {
namespace {

const std::string file_path = "out/small.h5";

/// Results of the same sweep: with its first block alone, and whole.
std::vector<results::Results> two_results() {
  const results::SampleSweep sample = results::sample_sweep();
  const support::TemporaryFolder scratch(memory_folder());
  const std::filesystem::path folder = scratch.path() / "small.regatta";
  std::vector<results::Results> all;
  {
    results::StoreWriter writer(folder, sample.sweep, sample.plan, results::sample_provenance(sample.sweep.text));
    writer.result(results::finished_block(sample.plan, {0}), results::block_samples(sample.plan, {0}));
    writer.end_session();
  }
  all.push_back(results::collect(folder));
  results::write_whole_store(folder, sample);
  all.push_back(results::collect(folder));
  return all;
}

class ResultFileCrash : public testing::Test {
 protected:
  ResultFileCrash() {
    recorded_.before.entries["out"] = {true, 0};
    recorded_.operations = recorded(recorded_.before, [&](const std::filesystem::path& root, Recording& recording) {
      for (std::size_t at = 0; at < results_.size(); ++at) {
        results::write_results(root / file_path, results_[at]);
        recording.promise(at + 1);
      }
    });
    for (std::size_t done = 0; done <= recorded_.operations.size(); ++done) {
      const std::string image = all_done(recorded_.before, recorded_.operations, done).at(file_path);
      if (!image.empty() && (images_.empty() || images_.back() != image)) images_.push_back(image);
    }
  }

  /// The generation of the result file, 1 or 2; 0: it is not there.
  [[nodiscard]] std::size_t generation(const Disk& disk) const {
    if (!disk.has(file_path)) return 0;
    const auto image = std::ranges::find(images_, disk.at(file_path));
    if (image == images_.end()) throw Violation("the result file is neither the old nor the new one");
    return static_cast<std::size_t>(image - images_.begin()) + 1;
  }

  /// It is one of those that can be read, and is made again.
  [[nodiscard]] std::size_t resume(const Disk& disk) {
    const std::size_t found = generation(disk);
    std::string names = std::to_string(found);
    for (const auto& [path, bytes] : disk.seen()) names += path;
    if (!tried_.insert(names).second && !is_whole()) return found;  // making one takes 0.1 s
    const support::TemporaryFolder scratch(memory_folder());
    disk.put_into(scratch.path());
    const std::filesystem::path file = scratch.path() / file_path;
    results::write_results(file, results_[1]);
    if (results::slurp(file) != images_[1]) throw Violation("it cannot be made again");
    const std::filesystem::directory_iterator left(file.parent_path());
    if (std::distance(begin(left), end(left)) != 1) throw Violation("a temporary file is left");
    return found;
  }

  std::vector<results::Results> results_ = two_results();
  Recorded recorded_;
  std::vector<std::string> images_;
  std::set<std::string> tried_;  ///< the files on disk when it was made again
};

TEST_F(ResultFileCrash, IsTheOldOneOrTheNewOneWhereverThePowerFails) {
  ASSERT_EQ(images_.size(), 2U);
  for (std::size_t at = 0; at < images_.size(); ++at) {
    const support::TemporaryFolder scratch(memory_folder());
    results::spill(scratch.path() / "small.h5", images_[at]);
    EXPECT_EQ(results::read_results(scratch.path() / "small.h5").complete, at == 1);
  }
  const auto promised = [&](std::size_t done) {
    std::size_t least = 0;
    for (std::size_t at = 0; at < done; ++at) least = std::max(least, recorded_.operations[at].promise);
    return least;
  };
  const Effort effort = is_whole() ? Effort{10, 100, 8} : Effort{6, 20, 5};
  const Count count =
      survive(recorded_, effort, chosen_seed(), promised, [&](const Disk& disk) { return resume(disk); });
  print("result file, written twice", count);
}

}  // namespace
}  // namespace regatta::crashes
