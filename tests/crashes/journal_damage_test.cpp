// A damaged journal is refused where it is damaged, or read as it was: never shorter or different without a word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>

#include "damage.hpp"
#include "effort.hpp"
#include "regatta/results/store.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/memory_log_file.hpp"
#include "results/journal/record_codec.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "scans.hpp"
#include "system_calls.hpp"

namespace regatta::crashes {
namespace {

using results::Record;
using results::RecordKind;

/// Sessions that are written to a disk in memory, one after the other.
class Sessions {
 public:
  /// A session of each outcome that a block may have.
  void add(std::uint32_t blocks) {
    results::StoreWriter writer(
        {std::make_unique<results::MemoryLogFile>(journal_), std::make_unique<results::MemoryLogFile>(samples_)},
        sample_.sweep, sample_.plan, results::sample_provenance(sample_.sweep.text));
    writer.agent(results::calibrated_agent());
    for (std::uint32_t block = 0; block < blocks; ++block) add_block(writer, block);
    results::Orchestration self;
    self.elapsed_seconds = 2.5;
    writer.orchestration(self);
    writer.stop_asked();
    writer.end_session({.passes_due = true, .taken = {2, 1, true}});
  }
  /// A record of a kind that a later version may write, and the leg of a training.
  void add_others() {
    results::JournalWriter writer(std::make_unique<results::MemoryLogFile>(journal_));
    writer.append({RecordKind::other, hash128("block"), 1, std::string("\0\n1", 3), "curve?"});
    results::BlockRecord leg = results::finished_block(sample_.plan, {0});
    leg.arms[0].learned = results::learned(0.75);
    writer.append(results::to_record(results::ResultRecord{leg, {}}));
    writer.sync();
  }
  [[nodiscard]] const std::string& journal() const { return journal_.bytes; }

 private:
  void add_block(results::StoreWriter& writer, std::uint32_t number) const {
    const BlockIndex block{number % static_cast<std::uint32_t>(sample_.plan.blocks.size())};
    results::BlockRecord record = results::finished_block(sample_.plan, block, number);
    record.continues = number % 7 == 2;
    record.measured_again = number % 7 == 3;
    record.interrupted = number % 7 == 4;
    if (number % 7 == 5) record.arms[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "a\n\0b"};
    if (number % 7 == 6) record.arms[0].outcome = sweep::Skipped{"it lacks it"};
    writer.granted(record.block, {number}, {number});
    writer.result(record, results::block_samples(sample_.plan, block));
    if (number % 5 == 1)
      writer.failed_attempt(record.block, record.arms[0].trial, number, sweep::FailureKind::timed_out, "300 s\n");
    if (number % 3 == 0) writer.sync();
  }

  results::SampleSweep sample_ = results::sample_sweep();
  results::MemoryDisk journal_;
  results::MemoryDisk samples_;
};

/// Some 60 records, of each kind.
std::string journal_of_each_kind() {
  Sessions sessions;
  sessions.add(12);
  sessions.add_others();
  sessions.add(8);
  return sessions.journal();
}

/// A journal as it was written, and what may be said of it once it is damaged.
class Judge {
 public:
  explicit Judge(std::string journal) : whole_(std::move(journal)), scan_(scan_of(whole_)) {
    for (std::size_t at = 0; at < whole_.size();) {
      const std::string_view rest = std::string_view(whole_).substr(at);
      const results::Frame frame = results::read_frame(rest);
      starts_.push_back(at);
      ends_.push_back(at + frame.text_bytes);
      if (frame.record.kind == RecordKind::durable) marks_.push_back(starts_.size() - 1);
      at += frame.bytes;
    }
  }

  [[nodiscard]] const std::string& whole() const { return whole_; }
  [[nodiscard]] const results::Scan& scan() const { return scan_; }
  [[nodiscard]] const std::vector<std::size_t>& starts() const { return starts_; }

  /// How it was taken: "refused", "cut", "as it was". Throws Violation.
  std::string judge(const std::string& bytes) const {
    const std::size_t at = first_damaged(whole_, bytes);
    try {
      return judge_read(scan_of(bytes), bytes, at);
    } catch (const results::DamagedJournal& error) {
      expect_place(error.what(), at);
      return "refused";
    }
  }

 private:
  void expect_place(const std::string& message, std::size_t at) const {
    static const std::regex place("is damaged at byte ([0-9]+):");
    std::smatch found;
    if (!std::regex_search(message, found, place)) throw Violation("no place is named: " + message);
    const std::size_t named = std::stoul(found[1]);
    const auto behind = std::ranges::upper_bound(starts_, at);
    const std::size_t begin = at == whole_.size() ? at : *std::prev(behind);
    if (named < begin || named > at + 1) throw Violation(fmt::format("byte {} is named, {} is damaged", named, at));
  }

  std::string judge_read(const results::Scan& read, const std::string& bytes, std::size_t at) const {
    const std::size_t count = read.records.size();
    if (count > scan_.records.size()) throw Violation("there are more records than were written");
    for (std::size_t i = 0; i < count; ++i) {
      if (!same(read.records[i], scan_.records[i])) throw Violation(fmt::format("record {} is another one", i));
    }
    const auto before = std::ranges::count_if(scan_.records, [&](const Record& record) {
      const auto start = std::ranges::find(starts_, record.place.byte) - starts_.begin();
      return ends_[static_cast<std::size_t>(start)] <= at;
    });
    if (count < static_cast<std::size_t>(before)) throw Violation("a record before the damage is lost");
    if (count == scan_.records.size()) return "as it was";
    const bool ends_at_record = std::ranges::count(ends_, bytes.size()) + std::ranges::count(starts_, bytes.size()) > 0;
    const bool is_told = read.torn_tail || bytes.empty() || (at == bytes.size() && ends_at_record);
    if (!is_told) throw Violation("records are lost without a word");
    expect_no_mark_behind(bytes, at);
    return "cut";
  }

  /// A mark that is whole says that everything before it was synced.
  void expect_no_mark_behind(const std::string& bytes, std::size_t at) const {
    for (const std::size_t mark : marks_) {
      const std::size_t begin = starts_[mark];
      const std::string_view text = std::string_view(whole_).substr(begin, ends_[mark] - begin);
      if (begin > at && begin < bytes.size() && std::string_view(bytes).substr(begin).starts_with(text))
        throw Violation("what a mark says was synced is cut off");
    }
  }

  std::string whole_;
  results::Scan scan_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> ends_;   ///< without newlines
  std::vector<std::size_t> marks_;  ///< positions of durable marks among them
};

using Verdicts = std::map<std::string, std::uint64_t>;

void print(const std::string& what, const Verdicts& verdicts) {
  std::uint64_t all = 0;
  for (const auto& [verdict, count] : verdicts) all += count;
  std::cout << what << ": " << all << " journals";
  for (const auto& [verdict, count] : verdicts) std::cout << ", " << count << " " << verdict;
  std::cout << ", 0 wrong\n";
}

/// A run that goes on with it finds the same, says so if it cuts something, and leaves a journal that can be read.
void expect_to_go_on(const std::string& bytes) {
  const results::Scan before = scan_of(bytes);
  results::MemoryDisk disk{bytes};
  const CaughtErrors warnings;
  {
    results::JournalWriter writer(std::make_unique<results::MemoryLogFile>(disk));
    writer.append({RecordKind::session_end, {}, 0, "{}"});
    writer.sync();
  }
  const results::Scan after = scan_of(disk.bytes);
  if (after.records.size() != before.records.size() + 1) throw Violation("the next session is not whole");
  if (warnings.text().empty() == before.torn_tail) throw Violation("what was cut was not told");
}

void try_cuts_and_flips(const std::string& name, const std::string& journal) {
  const Judge judge(journal);
  Verdicts cuts;
  Verdicts flips;
  for (std::size_t bytes = 0; bytes <= journal.size(); ++bytes) {
    SCOPED_TRACE(fmt::format("{} bytes", bytes));
    const std::string cut = journal.substr(0, bytes);
    ASSERT_NO_THROW(++cuts[judge.judge(cut)]);
    if (is_whole() || bytes % 16 == 0) {
      ASSERT_NO_THROW(expect_to_go_on(cut));
    }
  }
  const std::size_t step = is_whole() ? 1 : 23;  // no multiple of 2: every bit of a byte has its turn
  for (std::size_t bit = 0; bit < 8 * journal.size(); bit += step) {
    SCOPED_TRACE(fmt::format("bit {}", bit));
    ASSERT_NO_THROW(++flips[judge.judge(flipped(journal, bit))]);
  }
  print(name + ", cut at every byte", cuts);
  print(name + ", flipped bits", flips);
  EXPECT_EQ(cuts["refused"], 0U);
  EXPECT_EQ(flips["cut"], 0U);
}

TEST(JournalDamage, EachKindOfRecordIsAmongThoseThatAreDamaged) {
  const std::string journal = journal_of_each_kind();
  const Judge judge(journal);
  EXPECT_GE(judge.starts().size(), 60U);
  std::set<RecordKind> kinds;
  for (const Record& record : judge.scan().records) kinds.insert(record.kind);
  for (int kind = 0; kind <= static_cast<int>(RecordKind::other); ++kind) {
    const auto asked = static_cast<RecordKind>(kind);
    const bool is_consumed = asked == RecordKind::durable || asked == RecordKind::opening;
    EXPECT_EQ(kinds.contains(asked), !is_consumed) << kind;
  }
}

TEST(JournalDamage, CutOrFlippedBitAnywhereIsToldOrChangesNothing) {
  try_cuts_and_flips("journal", journal_of_each_kind());
}

TEST(JournalDamage, FlippedBitBehindTheLastMarkIsRefusedAsAnyOther) {
  const Judge marked(journal_of_each_kind());
  const Judge judge(marked.whole().substr(0, marked.starts().back()));
  const std::size_t begin = marked.starts()[marked.starts().size() - 6];
  Verdicts flips;
  for (std::size_t bit = 8 * begin; bit < 8 * judge.whole().size(); ++bit) {
    SCOPED_TRACE(fmt::format("bit {}", bit));
    ASSERT_NO_THROW(++flips[judge.judge(flipped(judge.whole(), bit))]);
  }
  print("journal without its last mark, flipped bits", flips);
  EXPECT_EQ(flips["cut"], 0U);
}

TEST(JournalDamage, WhateverIsDamagedInALongOneIsToldOrChangesNothing) {
  Sessions sessions;
  for (int session = 0; session < 4; ++session) sessions.add(97);
  const Judge judge(sessions.journal());
  EXPECT_GE(judge.starts().size(), 1000U);
  simulation::Random random(chosen_seed());
  std::map<std::string, Verdicts> verdicts;
  for (int number = 0; number < (is_whole() ? 100'000 : 1'000); ++number) {
    const Damaged damage = damaged(judge.whole(), judge.starts(), random);
    SCOPED_TRACE(fmt::format("{} of seed {}: {}", number, chosen_seed(), damage.how));
    std::string verdict;
    ASSERT_NO_THROW(verdict = judge.judge(damage.bytes));
    ++verdicts[damage.how][verdict];
    if (verdict != "refused" && number % 16 == 0) {
      ASSERT_NO_THROW(expect_to_go_on(damage.bytes));
    }
  }
  for (const auto& [how, counts] : verdicts) print("journal of 1,000 lines, " + how, counts);
}

}  // namespace
}  // namespace regatta::crashes
