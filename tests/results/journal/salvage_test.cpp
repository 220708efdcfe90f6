#include "regatta/results/salvage.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class Salvage : public testing::Test {
 protected:
  Salvage() { write_whole_store(damaged, sample); }

  support::TemporaryFolder base;
  std::filesystem::path damaged = base / "small.regatta";
  std::filesystem::path target = base / "saved.regatta";
  SampleSweep sample = sample_sweep("8, 32, 64");
  GivenSweep given{sample.sweep, sample.plan};

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
  EXPECT_THAT(message_of<InputError>([&] { collect(damaged); }),
              testing::HasSubstr("`regatta collect " + damaged.string() + " --salvage -o salvaged`"));
  const std::string before = slurp(journal_file(damaged));
  const Salvaged saved = salvage(damaged, target, nullptr);
  EXPECT_EQ(saved.name, "small");
  EXPECT_EQ(saved.blocks, 2U);
  EXPECT_EQ(saved.records, 7U) << "header, plan, agent, two results, copy of the plan, end";
  ASSERT_EQ(saved.lost.size(), 1U);
  EXPECT_EQ(saved.lost[0].records, 1U);
  EXPECT_EQ(saved.lost[0].place.byte, before.rfind('\n', before.find(" result ", before.find(" result ") + 1)) + 1);
  EXPECT_EQ(saved.lost[0].kind, "") << "its head is damaged";
  EXPECT_EQ(finished(target), 6);
  EXPECT_EQ(finished_blocks(read_store(target)).size(), 2U) << "a run into it measures the third";
  EXPECT_EQ(slurp(journal_file(damaged)), before) << "the damaged folder is only read";
}

TEST_F(Salvage, LeavesOutAResultWhoseSamplesAreDamaged) {
  std::string samples = slurp(samples_file(damaged));
  samples[10] ^= 1;  // a byte of the first block
  spill(samples_file(damaged), samples);
  const Salvaged saved = salvage(damaged, target, nullptr);
  ASSERT_EQ(saved.lost.size(), 1U);
  EXPECT_EQ(saved.lost[0].kind, "result");
  EXPECT_EQ(saved.lost[0].why, "its samples are damaged");
  ASSERT_EQ(saved.lost[0].blocks.size(), 1U);
  EXPECT_EQ(saved.lost[0].blocks[0].block, sample.plan.blocks[0].hash);
  EXPECT_EQ(finished(target), 6);
}

TEST_F(Salvage, SurvivesALostFileOfSamplesAndLinesThatWereCutOut) {
  std::string text = slurp(journal_file(damaged));
  const std::size_t result = text.rfind('\n', text.find(" result ")) + 1;
  text.erase(result, text.find('\n', result) + 1 - result);
  spill(journal_file(damaged), text);
  std::filesystem::remove(samples_file(damaged));
  const Salvaged saved = salvage(damaged, target, nullptr);
  EXPECT_EQ(saved.lost.size(), 3U) << "one that was cut out, two without samples";
  EXPECT_EQ(saved.blocks, 0U);
  EXPECT_EQ(finished(target), 0);
}

TEST_F(Salvage, LostHeaderIsMadeAnewFromThePlanOfItsSession) {
  write_whole_store(damaged, sample);  // a second session, whose plan is the first one's
  for (const int nth : {0, 1}) {
    const std::string whole = slurp(journal_file(damaged));
    damage_line("header", nth);
    const std::filesystem::path saved_folder = base / ("saved" + std::to_string(nth) + ".regatta");
    const Salvaged saved = salvage(damaged, saved_folder, nullptr);
    EXPECT_EQ(saved.name, "small");
    EXPECT_EQ(saved.blocks, 6U);
    EXPECT_EQ(finished(saved_folder), 9);
    const Scan scan = scan_journal(journal_file(saved_folder));
    EXPECT_EQ(std::ranges::count(scan.records, RecordKind::header, &Record::kind), 2);
    spill(journal_file(damaged), whole);
  }
}

TEST_F(Salvage, LostPlanComesFromTheCopyAtTheEndOfItsSession) {
  const std::string header = scan_journal(journal_file(damaged)).records[0].payload;
  damage_line("header");
  damage_line("plan");
  const Salvaged saved = salvage(damaged, target, nullptr);
  EXPECT_THAT(saved.made_anew, testing::ElementsAre("the plan of session 1, from its copy in record 9",
                                                    "the header of session 1, from its copy in record 9"));
  EXPECT_EQ(scan_journal(journal_file(target)).records[0].payload, header);
  EXPECT_EQ(finished(target), 9);
}

TEST_F(Salvage, PlanOfLaterSessionsIsMadeAnewOnce) {
  write_whole_store(damaged, sample);
  damage_line("plan");
  const Salvaged saved = salvage(damaged, target, nullptr);
  EXPECT_EQ(saved.blocks, 6U);
  const Scan scan = scan_journal(journal_file(target));
  EXPECT_EQ(std::ranges::count(scan.records, RecordKind::plan, &Record::kind), 1);
  EXPECT_EQ(std::ranges::count(scan.records, RecordKind::plan_again, &Record::kind), 1);
  EXPECT_EQ(finished(target), 9);
}

/// A session that was killed: no copy of its plan is there.
class SalvageOfKilled : public Salvage {
 protected:
  SalvageOfKilled() {
    std::string text = slurp(journal_file(damaged));
    const std::size_t copy = text.find(" plan_copy? ");
    spill(journal_file(damaged), text.substr(0, text.rfind('\n', copy) + 1));
  }
};

TEST_F(SalvageOfKilled, SaysThatTheSweepHasToBeGiven) {
  damage_line("plan");
  EXPECT_EQ(message_of<InputError>([&] { salvage(damaged, target, nullptr); }),
            "nothing of '" + damaged.string() +
                "' can be saved: no record of its plan is whole. Name the "
                "sweep that was run: `regatta collect " +
                damaged.string() + " --salvage -o salvaged --sweep SWEEP.json`");
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(SalvageOfKilled, LostPlanComesFromTheSweepThatIsGiven) {
  damage_line("plan");
  const Salvaged saved = salvage(damaged, target, &given);
  EXPECT_THAT(saved.made_anew, testing::ElementsAre("the plan of session 1, from the sweep file"));
  EXPECT_EQ(finished(target), 9);
}

TEST_F(SalvageOfKilled, SweepIsKnownByItsBlocksWhereNoRecordNamesIt) {
  damage_line("header");
  damage_line("plan");
  damage_line("agent");
  EXPECT_EQ(salvage(damaged, target, &given).blocks, 3U);
  EXPECT_EQ(finished(target), 9);
  const SampleSweep fewer = sample_sweep("8, 32");
  const GivenSweep other{fewer.sweep, fewer.plan};
  EXPECT_THAT(message_of<InputError>([&] { salvage(damaged, base / "again.regatta", &other); }),
              testing::HasSubstr("is not the sweep that the results"));
}

TEST_F(Salvage, SweepThatTheResultsAreNotOfIsRefusedByName) {
  for (const std::string line : {"plan", "header"}) {
    const SampleSweep fewer = sample_sweep("8, 32");
    const GivenSweep other{fewer.sweep, fewer.plan};
    EXPECT_EQ(message_of<InputError>([&] { salvage(damaged, target, &other); }),
              "'/somewhere/small.json' (the sweep 'small') is not the sweep that the results in '" + damaged.string() +
                  "' are of, which is 'small'. Results would be shown as those of other trials. Give the sweep "
                  "with the text, the --set and the --only of that run");
    EXPECT_FALSE(std::filesystem::exists(target));
    damage_line(line);
  }
}

TEST_F(Salvage, WhatIsLostIsNamedWithItsTrials) {
  std::string text = slurp(journal_file(damaged));
  const std::size_t result = text.find(to_string(sample.plan.blocks[2].hash));
  text[text.find('\n', result) - 1] ^= 1;  // in its payload
  spill(journal_file(damaged), text);
  const Salvaged saved = salvage(damaged, target, nullptr);
  ASSERT_EQ(saved.lost.size(), 1U);
  EXPECT_EQ(saved.lost[0].kind, "result");
  ASSERT_EQ(saved.lost[0].blocks.size(), 1U);
  EXPECT_EQ(saved.lost[0].blocks[0].block, sample.plan.blocks[2].hash);
  EXPECT_EQ(saved.lost[0].blocks[0].trials.size(), 3U);
  EXPECT_EQ(saved.axes.size(), 4U);
}

TEST_F(Salvage, WritesIntoNoFolderThatIsThere) {
  std::filesystem::create_directory(target);
  EXPECT_EQ(message_of<InputError>([&] { salvage(damaged, target, nullptr); }),
            "'" + target.string() + "' is there already (its results would mix with these); choose another folder");
}

}  // namespace
}  // namespace regatta::results
