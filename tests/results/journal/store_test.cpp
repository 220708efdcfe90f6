#include "regatta/results/store.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/memory_log_file.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

class Store : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();

  StoreWriter open() { return {folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text), 0.05}; }
};

TEST_F(Store, FolderAndFilesArePrivateToTheUser) {
  write_whole_store(folder, sample);
  for (const auto& [path, mode] : std::map<std::filesystem::path, unsigned>{
           {folder, 0700}, {journal_file(folder), 0600}, {samples_file(folder), 0600}}) {
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_mode & 0777U, mode) << path;
  }
}

TEST_F(Store, FinishedBlocksAreThoseRecorded) {
  EXPECT_TRUE(finished_blocks(read_store(folder)).empty());
  {
    StoreWriter writer = open();
    EXPECT_TRUE(finished_blocks(read_store(folder)).empty());
    writer.result(finished_block(sample.plan, {1}), block_samples(sample.plan, {1}));
    writer.sync();
  }
  EXPECT_EQ(finished_blocks(read_store(folder)), HashSet{sample.plan.blocks[1].hash});
}

TEST_F(Store, OneReadingAnswersWhateverIsRecordedMeanwhile) {
  StoreWriter writer = open();
  const Scan journal = read_store(folder);
  writer.result(finished_block(sample.plan, {1}), block_samples(sample.plan, {1}));
  writer.sync();
  EXPECT_TRUE(finished_blocks(journal).empty());
  EXPECT_TRUE(collect(folder, journal).samples.empty());
  EXPECT_FALSE(collect(folder).samples.empty());
}

TEST_F(Store, NothingOfAResultIsInTheJournalBeforeItsSamplesAreSynced) {
  StoreWriter writer = open();
  writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
  EXPECT_TRUE(finished_blocks(read_store(folder)).empty());
  writer.sync();
  EXPECT_EQ(finished_blocks(read_store(folder)).size(), 1U);
}

TEST_F(Store, BlockWithAFailedArmIsLeftOutWhenOnlyFinishedOnesCount) {
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    record.arms[1].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
    writer.result(record, {});
    writer.end_session();
  }
  EXPECT_EQ(finished_blocks(read_store(folder)).size(), 1U);
  EXPECT_TRUE(finished_blocks(read_store(folder), true).empty());
  {
    StoreWriter writer = open();
    writer.result(finished_block(sample.plan, {0}), {});
    writer.end_session();
  }
  EXPECT_EQ(finished_blocks(read_store(folder), true).size(), 1U) << "a later session replaces it";
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    record.arms[2].outcome = sweep::Failed{sweep::FailureKind::timed_out, "300 s"};
    writer.result(record, {});
    writer.end_session();
  }
  EXPECT_TRUE(finished_blocks(read_store(folder), true).empty()) << "also by a worse one";
}

TEST_F(Store, BlockWithAnArmThatWasNotAnswerableIsLeftOutWhenOnlyFinishedOnesCount) {
  for (const auto& [kind, left] :
       {std::pair{sweep::SkipKind::not_answerable, 0U}, {sweep::SkipKind::unsupported, 1U}}) {
    {
      StoreWriter writer = open();
      BlockRecord record = finished_block(sample.plan, {0});
      record.arms[1].outcome = sweep::Skipped{"why", kind};
      writer.result(record, {});
      writer.end_session();
    }
    EXPECT_EQ(finished_blocks(read_store(folder), true).size(), left) << sweep::to_string(kind);
  }
}

TEST_F(Store, ASessionThatFollowsInTheSameWriterReplacesResultsAsAnyOther) {
  StoreWriter writer = open();
  BlockRecord record = finished_block(sample.plan, {0});
  writer.result(record, block_samples(sample.plan, {0}));
  writer.end_session({.passes_due = true});
  writer.next_session(sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
  record.measured_again = true;
  writer.result(record, block_samples(sample.plan, {0}));
  writer.end_session();
  EXPECT_TRUE(collect(folder).blocks.at(0).measured_again);
}

// In a child: a file size limit makes write() fail as a full disk does.
TEST_F(Store, AfterAFullDiskEveryCallFailsAndWhatWasSyncedStands) {
  const pid_t child = ::fork();
  if (child == 0) {
    StoreWriter writer = open();
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    writer.sync();
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64, 64};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int failures = 0;
    const auto count = [&](auto&& call) {
      try {
        call();
      } catch (const StorageError&) {
        ++failures;
      }
    };
    count([&] { writer.result(finished_block(sample.plan, {1}), block_samples(sample.plan, {1})); });
    count([&] { writer.agent(sample_agent()); });
    count([&] { writer.sync(); });
    count([&] { writer.end_session(); });
    ::_exit(failures);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(collect(folder).blocks[0].attempt, 1);
  EXPECT_EQ(finished_blocks(read_store(folder)).size(), 1U);
}

TEST_F(Store, SecondSessionWaitsAndIsRefused) {
  const StoreWriter first = open();
  EXPECT_THROW(open(), InputError);
}

TEST_F(Store, FolderOfAnotherSweepIsRefused) {
  write_whole_store(folder, sample);
  sample.sweep.name = "other";
  EXPECT_THAT(message_of<InputError>([&] { open(); }), HasSubstr("holds the sweep 'small', not 'other'"));
}

TEST_F(Store, IsCurrentForTheSweepRecordedLast) {
  EXPECT_FALSE(is_current(read_store(folder), sample.sweep));
  write_whole_store(folder, sample);
  EXPECT_TRUE(is_current(read_store(folder), sample.sweep));
  SampleSweep wider = sample;
  sweep::set_axis(wider.sweep, "batch=8,32,64");
  EXPECT_FALSE(is_current(read_store(folder), wider.sweep));
  wider.plan = sweep::make_plan(wider.sweep);
  write_whole_store(folder, wider);
  EXPECT_TRUE(is_current(read_store(folder), wider.sweep));
  EXPECT_FALSE(is_current(read_store(folder), sample.sweep));
}

TEST_F(Store, SyncRunsBesideTheRest) {
  {
    StoreWriter writer = open();
    std::thread syncing([&] {
      for (int i = 0; i < 30; ++i) writer.sync();
    });
    for (int i = 0; i < 200; ++i) {
      writer.failed_attempt(sample.plan.blocks[0].hash, sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed,
                            "x");
    }
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    syncing.join();
    writer.end_session();
  }
  EXPECT_EQ(scan_journal(journal_file(folder)).records.size(), 2 + 200 + 1 + 2U);
}

TEST_F(Store, MessageOfAnyBytesIsRecorded) {
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    record.arms[0].outcome = sweep::Failed{sweep::FailureKind::reported, std::string("a\nb\0c\xff\"", 7)};
    writer.result(record, {});
    writer.end_session();
  }
  const Results results = collect(folder);
  EXPECT_THAT(sweep::reason_of(results.trials[sample.plan.blocks[0].arms[0].value].outcome), HasSubstr("a\nb"));
}

TEST_F(Store, PlanStandsOnceHoweverManySessions) {
  for (int session = 0; session < 3; ++session) {
    StoreWriter writer = open();
    writer.result(finished_block(sample.plan, {0}), {});
    writer.end_session();
  }
  const Scan scan = scan_journal(journal_file(folder));
  EXPECT_EQ(std::ranges::count(scan.records, RecordKind::plan, &Record::kind), 1);
  EXPECT_EQ(std::ranges::count(scan.records, RecordKind::plan_again, &Record::kind), 2);
  EXPECT_TRUE(is_current(read_store(folder), sample.sweep));
  EXPECT_EQ(collect(folder).trials.size(), sample.plan.trials.size());
}

TEST_F(Store, GrantIsRecordedWithTheNextSyncAndCountsAsNoResult) {
  StoreWriter writer = open();
  writer.granted(sample.plan.blocks[1].hash, {3}, {2});
  const auto grants = [&] {
    return std::ranges::count(scan_journal(journal_file(folder)).records, RecordKind::granted, &Record::kind);
  };
  EXPECT_EQ(grants(), 0);
  writer.sync();
  EXPECT_EQ(grants(), 1);
  EXPECT_TRUE(finished_blocks(read_store(folder)).empty());
  EXPECT_EQ(collect(folder).blocks[1].attempt, 0);
}

TEST_F(Store, BlockThatWasInterruptedIsNotFinished) {
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    record.interrupted = true;
    writer.result(record, {});
    writer.end_session();
  }
  EXPECT_TRUE(finished_blocks(read_store(folder)).empty());
}

TEST_F(Store, BlockThatWasInterruptedIsContinuedUntilItIsFinished) {
  const HashSet block = {sample.plan.blocks[0].hash};
  StoreWriter writer = open();
  BlockRecord record = finished_block(sample.plan, {0});
  record.interrupted = true;
  writer.result(record, {});
  writer.sync();
  EXPECT_EQ(interrupted_blocks(read_store(folder)), block);
  EXPECT_EQ(interrupted_blocks(read_store(folder), true), block);
  record.arms[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "died"};
  writer.result(record, {});
  writer.sync();
  EXPECT_EQ(interrupted_blocks(read_store(folder)), block);
  EXPECT_TRUE(interrupted_blocks(read_store(folder), true).empty()) << "its failed arm is measured anew";
  record.interrupted = false;
  writer.result(record, {});
  writer.sync();
  EXPECT_TRUE(interrupted_blocks(read_store(folder)).empty());
}

/// Runs a session on two disks: one result that is synced, one that is not.
void run_session(const SampleSweep& sample, MemoryDisk& journal, MemoryDisk& samples) {
  StoreWriter writer({std::make_unique<MemoryLogFile>(journal), std::make_unique<MemoryLogFile>(samples)}, sample.sweep,
                     sample.plan, sample_provenance(sample.sweep.text));
  writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
  writer.sync();
  journal.fails = true;  // before the next records are written
  writer.result(finished_block(sample.plan, {1}), block_samples(sample.plan, {1}));
  EXPECT_THROW(writer.sync(), StorageError);
  journal.fails = false;
}

TEST_F(Store, CrashAtAnyByteKeepsWhatWasSynced) {
  MemoryDisk journal;
  MemoryDisk samples;
  run_session(sample, journal, samples);
  const std::size_t unsynced = journal.bytes.size() - journal.synced_bytes;
  for (std::size_t kept = 0; kept <= unsynced; ++kept) {
    MemoryDisk after = journal;
    after.crash(kept);
    const auto finished = finished_blocks(scan_journal(MemoryLogFile(after)));
    EXPECT_EQ(finished, HashSet{sample.plan.blocks[0].hash}) << kept;
    testing::internal::CaptureStderr();
    const JournalWriter again(std::make_unique<MemoryLogFile>(after));
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(scan_journal(MemoryLogFile(after)).torn_tail) << kept;
  }
}

}  // namespace
}  // namespace regatta::results
