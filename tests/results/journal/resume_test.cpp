// A run that goes on with a damaged journal: src/results/journal/resume.cpp
#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/frames.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

constexpr double lock_seconds = 0.05;

class Resume : public testing::Test {
 protected:
  Resume() {
    StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.agent(sample_agent());
    writer.granted(sample.plan.blocks[0].hash, {0}, {1});
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    writer.sync();  // and then it is killed
  }

  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  std::filesystem::path journal = journal_file(folder);
  std::filesystem::path kept = folder / "journal.damaged";
  SampleSweep sample = sample_sweep();
  GivenSweep given{sample.sweep, sample.plan};

  /// Flips a bit of the `nth` record of this kind: of its payload, or of its head.
  std::string damage(const std::string& kind, bool of_head, std::size_t nth = 0) const {
    std::string text = slurp(journal);
    std::size_t at = text.find(" " + kind + " ");
    for (; nth > 0; --nth) at = text.find(" " + kind + " ", at + 1);
    at += 3;
    for (int fields = 0; !of_head && fields < 5; ++fields) at = text.find(' ', at) + 1;  // then the payload begins
    text[at] = static_cast<char>(text[at] ^ 1);
    spill(journal, text);
    return text;
  }
  /// The scan that a run finds, and its warnings.
  std::pair<Scan, std::string> resumed() const {
    testing::internal::CaptureStderr();
    try {
      Scan scan = resume_store(folder, given, lock_seconds);
      return {std::move(scan), testing::internal::GetCapturedStderr()};
    } catch (...) {
      testing::internal::GetCapturedStderr();
      throw;
    }
  }
  void go_on() const {
    StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.result(finished_block(sample.plan, {1}), block_samples(sample.plan, {1}));
    writer.end_session();
  }
};

TEST_F(Resume, WhatWasReadBeforeIsTakenWhereNobodyHasWrittenSince) {
  Scan before = whole_records(journal);
  ASSERT_EQ(finished_blocks(before).size(), 1U);
  before.records.clear();  // to tell it from what a second reading gives
  EXPECT_TRUE(resume_store(folder, given, lock_seconds, before).records.empty());
  go_on();
  EXPECT_EQ(finished_blocks(resume_store(folder, given, lock_seconds, before)).size(), 2U);
}

TEST_F(Resume, WhatWasReadBeforeIsNotTakenOfAnotherFile) {
  Scan before = whole_records(journal);
  before.records.clear();
  spill(folder / "copy", slurp(journal));
  std::filesystem::last_write_time(folder / "copy", std::filesystem::last_write_time(journal));
  std::filesystem::rename(folder / "copy", journal);
  EXPECT_EQ(finished_blocks(resume_store(folder, given, lock_seconds, before)).size(), 1U);
}

TEST_F(Resume, WhatAWriterHasNotPromisedYetIsNoReadingToGoOnWith) {
  StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
  EXPECT_FALSE(read_store(folder).stamp.has_value());
}

/// Counts how often it is read.
class CountedFile : public PosixLogFile {
 public:
  CountedFile(const std::filesystem::path& file, int& readings) : PosixLogFile(file), readings_(readings) {}
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const override {
    ++readings_;
    return PosixLogFile::read(offset, count);
  }

 private:
  int& readings_;
};

TEST_F(Resume, WriterReadsAgainOnlyWhatChangedSinceItWasRead) {
  const Scan before = scan_journal(journal);
  const auto readings_with = [&](const Scan& scan) {
    int readings = 0;
    const JournalWriter writer(std::make_unique<CountedFile>(journal, readings), scan);
    EXPECT_EQ(writer.found().records.size(), before.records.size());
    return readings;
  };
  EXPECT_EQ(readings_with(before), 0);
  EXPECT_EQ(readings_with(before), 1) << "the writer before has left a mark";
  EXPECT_EQ(readings_with({}), 1);
}

TEST_F(Resume, WriterThatReadsNothingAgainCutsATornTail) {
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 3);
  const Scan before = scan_journal(journal);
  ASSERT_TRUE(before.torn_tail);
  { const JournalWriter writer(std::make_unique<PosixLogFile>(journal), before); }
  const Scan after = scan_journal(journal);
  EXPECT_FALSE(after.torn_tail);
  EXPECT_EQ(after.records.size(), before.records.size());
}

TEST_F(Resume, WholeJournalIsReadAndLeftAlone) {
  const std::string before = slurp(journal);
  const auto [scan, warning] = resumed();
  EXPECT_EQ(finished_blocks(scan).size(), 1U);
  EXPECT_EQ(warning, "");
  EXPECT_EQ(slurp(journal), before);
  EXPECT_TRUE(resume_store(base / "none.regatta", given, lock_seconds).records.empty());
}

TEST_F(Resume, GoesOnOverALostHeaderOrPlanWithEveryResult) {
  const std::string whole = slurp(journal);
  for (const char* kind : {"header", "plan", "durable", "granted"}) {
    for (const bool of_head : {false, true}) {
      if (of_head && (kind == std::string("durable") || kind == std::string("granted"))) continue;
      spill(journal, whole);
      std::filesystem::remove(kept);
      const std::string damaged = damage(kind, of_head);
      const auto [scan, warning] = resumed();
      EXPECT_EQ(finished_blocks(scan).size(), 1U) << kind;
      EXPECT_TRUE(is_current(scan, sample.sweep)) << kind;
      EXPECT_THAT(warning, testing::HasSubstr("no result was lost")) << kind;
      EXPECT_EQ(slurp(kept), damaged) << kind;
      go_on();
      EXPECT_TRUE(collect(folder).complete) << kind;
    }
  }
}

TEST_F(Resume, GoesOnOverTheLossOfAllThatStandsFirst) {
  std::string text = slurp(journal);
  const std::size_t agent = text.find(" agent ");
  text.replace(0, text.rfind('\n', agent), text.rfind('\n', agent), 'x');
  spill(journal, text);
  const auto [scan, warning] = resumed();
  EXPECT_EQ(finished_blocks(scan).size(), 1U);
  go_on();
  EXPECT_TRUE(collect(folder).complete);
}

TEST_F(Resume, RefusesWhereMoreIsLostThanAlwaysStandsFirstOrBehindAHeader) {
  const std::string whole = slurp(journal);
  const auto line_of = [&](const char* kind) { return whole.rfind('\n', whole.find(kind)) + 1; };
  const std::size_t plan = line_of(" plan ");
  const std::size_t behind_agent = line_of(" granted ");
  const std::size_t end = whole.size();
  for (const auto& [first, last] : {std::pair{std::size_t{0}, behind_agent}, {plan, behind_agent}, {plan, end}}) {
    std::string damaged = whole;
    damaged.replace(first, last - 1 - first, last - 1 - first, 'x');
    spill(journal, damaged);
    EXPECT_THROW(resumed(), DamagedJournal) << first << " " << last;
    EXPECT_EQ(slurp(journal), damaged);
  }
}

TEST_F(Resume, RefusesWhereAResultMayBeLostAndTouchesNothing) {
  for (const char* kind : {"result", "agent"}) {
    for (const bool of_head : {false, true}) {
      const std::string whole = slurp(journal);
      const std::string damaged = damage(kind, of_head);
      EXPECT_THROW(resumed(), DamagedJournal) << kind;
      EXPECT_EQ(slurp(journal), damaged);
      EXPECT_FALSE(std::filesystem::exists(kept));
      spill(journal, whole);
    }
  }
}

/// Where each record of a journal stands, and whether nobody misses it.
struct Stands {
  std::size_t byte;
  bool can_be_spared;
};

std::vector<Stands> records_in(const std::string& journal) {
  std::vector<Stands> all = {{0, true}};  // the line that opens it
  for (std::size_t at = journal.find('\n') + 1; at < journal.size();) {
    const Frame frame = read_frame(std::string_view(journal).substr(at));
    const RecordKind kind = frame.record.kind;
    all.push_back({at, kind == RecordKind::header || kind == RecordKind::plan || kind == RecordKind::durable});
    at += frame.bytes;
  }
  return all;
}

TEST_F(Resume, NeverGoesOnWhereAResultIsLostWhicheverTwoHeadsAreDamaged) {
  const std::string whole = slurp(journal);
  const std::vector<Stands> records = records_in(whole);
  ASSERT_EQ(records.size(), 9U);
  int went_on = 0;
  for (std::size_t one = 0; one < records.size(); ++one) {
    for (std::size_t two = one; two < records.size(); ++two) {
      std::string text = whole;
      for (const std::size_t each : {one, two}) text[records[each].byte] = 'x';
      spill(journal, text);
      testing::internal::CaptureStderr();
      try {
        EXPECT_EQ(finished_blocks(resume_store(folder, given, lock_seconds)).size(), 1U);
        EXPECT_TRUE(records[one].can_be_spared && records[two].can_be_spared) << one << " " << two;
        ++went_on;
      } catch (const DamagedJournal&) {
      }
      testing::internal::GetCapturedStderr();
    }
  }
  EXPECT_GE(went_on, 10) << "any of the first four, or two of them";
}

TEST_F(Resume, FileThatHoldsNothingWholeIsNotCalledEmpty) {
  std::string text(5000, 'x');
  for (const std::size_t at : {100U, 1000U, 4999U}) text[at] = '\n';
  spill(journal, text);
  EXPECT_THROW(resume_store(folder, given, lock_seconds), DamagedJournal);
}

TEST_F(Resume, SaysWhetherTheSweepHasToBeGivenToSaveTheRest) {
  const auto has_plan = [&] {
    try {
      resume_store(folder, given, lock_seconds);
    } catch (const DamagedJournal& error) {
      return error.has_plan;
    }
    throw std::logic_error("it was not damaged");
  };
  damage("agent", false);
  EXPECT_TRUE(has_plan());
  damage("plan", false);
  EXPECT_FALSE(has_plan());
}

TEST_F(Resume, EachDamagedJournalIsKept) {
  damage("plan", false);
  resumed();
  const std::string second = damage("plan", false);
  resumed();
  EXPECT_EQ(slurp(folder / "journal.damaged-2"), second);
}

TEST_F(Resume, WaitsForWhoWritesTheJournal) {
  damage("plan", false);
  PosixLogFile other(journal);
  other.lock(lock_seconds);
  EXPECT_THAT(message_of<InputError>([&] { resume_store(folder, given, lock_seconds); }),
              testing::HasSubstr("is being written by another run"));
  EXPECT_FALSE(std::filesystem::exists(kept));
}

TEST_F(Resume, SweepThatWasChangedSinceGoesOnWithTheResultsThatItHas) {
  damage("plan", true);
  sample.sweep.text += "\n";
  const auto [scan, warning] = resumed();
  EXPECT_EQ(finished_blocks(scan).size(), 1U);
  EXPECT_FALSE(is_current(scan, sample.sweep));
  go_on();
  EXPECT_TRUE(collect(folder).complete);
}

}  // namespace
}  // namespace regatta::results
