#include "regatta/results/salvage.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

class Salvage : public testing::Test {
 protected:
  Salvage() { write_whole_store(damaged, sample); }

  TemporaryFolder base;
  std::filesystem::path damaged = base / "small.regatta";
  std::filesystem::path target = base / "saved.regatta";
  SampleSweep sample = sample_sweep("8, 32, 64");

  /// Flips a byte of the line that has this word, the `nth` of them.
  void damage_line(const std::string& word, int nth = 0) const {
    std::string text = slurp(journal_file(damaged));
    std::size_t at = text.find(" " + word + " ");
    for (; nth > 0; --nth) at = text.find(" " + word + " ", at + 1);
    ASSERT_NE(at, std::string::npos);
    text[at + word.size() + 5] ^= 1;
    spill(journal_file(damaged), text);
  }
  [[nodiscard]] std::ptrdiff_t finished(const std::filesystem::path& folder) const {
    const Results results = collect(folder);
    return std::ranges::count_if(
        results.trials, [](const TrialRow& row) { return std::holds_alternative<sweep::Finished>(row.outcome); });
  }
};

TEST_F(Salvage, KeepsAllButTheDamagedRecord) {
  damage_line("result", 1);
  EXPECT_THAT(message_of<InputError>([&] { collect(damaged); }), testing::HasSubstr("`regatta salvage`"));
  const std::string before = slurp(journal_file(damaged));
  const Salvaged saved = salvage(damaged, target);
  EXPECT_EQ(saved.name, "small");
  EXPECT_EQ(saved.blocks, 2U);
  EXPECT_EQ(saved.records, 6U) << "header, plan, agent, two results, end";
  EXPECT_EQ(saved.damaged_lines, 1U);
  EXPECT_EQ(saved.missing_records, 1U);
  EXPECT_EQ(saved.lost_samples, 0U);
  EXPECT_EQ(finished(target), 6);
  EXPECT_EQ(finished_blocks(read_store(target)).size(), 2U) << "a run into it measures the third";
  EXPECT_EQ(slurp(journal_file(damaged)), before) << "the damaged folder is only read";
}

TEST_F(Salvage, LeavesOutAResultWhoseSamplesAreDamaged) {
  std::string samples = slurp(samples_file(damaged));
  samples[10] ^= 1;  // of the first block
  spill(samples_file(damaged), samples);
  const Salvaged saved = salvage(damaged, target);
  EXPECT_EQ(saved.lost_samples, 1U);
  EXPECT_EQ(saved.damaged_lines, 0U);
  EXPECT_EQ(finished(target), 6);
}

TEST_F(Salvage, SurvivesALostFileOfSamplesAndLinesThatWereCutOut) {
  std::string text = slurp(journal_file(damaged));
  const std::size_t result = text.rfind('\n', text.find(" result ")) + 1;
  text.erase(result, text.find('\n', result) + 1 - result);
  spill(journal_file(damaged), text);
  std::filesystem::remove(samples_file(damaged));
  const Salvaged saved = salvage(damaged, target);
  EXPECT_EQ(saved.missing_records, 1U);
  EXPECT_EQ(saved.lost_samples, 2U);
  EXPECT_EQ(saved.blocks, 0U);
  EXPECT_EQ(finished(target), 0);
}

TEST_F(Salvage, LostHeaderIsMadeAnewFromThePlanOfItsSession) {
  write_whole_store(damaged, sample);  // a second session, whose plan is the first one's
  for (const int nth : {1, 2}) {       // the first stands in the line that opens the journal
    const std::string whole = slurp(journal_file(damaged));
    damage_line("header", nth);
    const std::filesystem::path saved_folder = base / ("saved" + std::to_string(nth) + ".regatta");
    const Salvaged saved = salvage(damaged, saved_folder);
    EXPECT_EQ(saved.name, "small");
    EXPECT_EQ(saved.blocks, 6U);
    EXPECT_EQ(finished(saved_folder), 9);
    const Scan scan = scan_journal(journal_file(saved_folder));
    EXPECT_EQ(std::ranges::count(scan.records, RecordKind::header, &Record::kind), 2);
    spill(journal_file(damaged), whole);
  }
}

TEST_F(Salvage, SaysWhenNothingCanBeSaved) {
  damage_line("plan");
  EXPECT_EQ(message_of<InputError>([&] { salvage(damaged, target); }),
            "nothing of '" + damaged.string() +
                "' can be saved: no record of its plan is whole (what its results belong to is not known); run the "
                "sweep again");
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(Salvage, WritesIntoNoFolderThatIsThere) {
  std::filesystem::create_directory(target);
  EXPECT_EQ(message_of<InputError>([&] { salvage(damaged, target); }),
            "'" + target.string() + "' is there already (its results would mix with these); choose another folder");
}

}  // namespace
}  // namespace regatta::results
