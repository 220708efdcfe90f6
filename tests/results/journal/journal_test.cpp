#include "regatta/results/journal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <thread>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/frames.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

TEST(Fingerprint, IsThatOfTheRecordsWhereverTheyStand) {
  Scan scan;
  scan.records = {{RecordKind::granted, hash128("a"), 1, "0123"}, {RecordKind::result, hash128("a"), 1, "payload"}};
  const Hash128 first = fingerprint(scan);
  scan.records[1].place = {7, 100};
  scan.valid_bytes = 200;
  EXPECT_EQ(fingerprint(scan), first);
  const std::vector<Record> records = scan.records;
  const auto differs = [&](auto change) {
    scan.records = records;
    change(scan.records);
    return fingerprint(scan) != first;
  };
  EXPECT_TRUE(differs([](auto& all) { all[1].payload = "Payload"; }));
  EXPECT_TRUE(differs([](auto& all) { all[1].attempt = 2; }));
  EXPECT_TRUE(differs([](auto& all) { all[1].kind = RecordKind::failed_attempt; }));
  EXPECT_TRUE(differs([](auto& all) { all[0].hash = hash128("b"); }));
  EXPECT_TRUE(differs([](auto& all) { std::swap(all[0], all[1]); }));
  EXPECT_TRUE(differs([](auto& all) { all.pop_back(); }));
}

using testing::HasSubstr;

bool same(const Record& a, const Record& b) {
  return a.kind == b.kind && a.hash == b.hash && a.attempt == b.attempt && a.payload == b.payload;
}

std::vector<Record> five_records() {
  return {{RecordKind::header, hash128("sweep"), journal_version, R"({"name":"a"})"},
          {RecordKind::plan, hash128("sweep"), 0, R"({"sweep":"{\"regatta\": 1}"})"},
          {RecordKind::agent, hash128("sweep"), 0, R"({"agent":0})"},
          {RecordKind::result, hash128("block"), 1, R"({"arms":[]})"},
          {RecordKind::session_end, hash128("sweep"), 0, "{}"}};
}

void write_records(const std::filesystem::path& file, const std::vector<Record>& records) {
  JournalWriter writer(file, 1);
  for (const Record& record : records) writer.append(record);
  writer.sync();
}

/// Every record that was read is the one written in its place.
void expect_prefix(const Scan& scan, const std::vector<Record>& written) {
  ASSERT_LE(scan.records.size(), written.size());
  for (std::size_t i = 0; i < scan.records.size(); ++i) EXPECT_TRUE(same(scan.records[i], written[i])) << i;
}

TEST(Journal, GivesBackWhatWasWritten) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  EXPECT_FALSE(scan.torn_tail);
  EXPECT_EQ(scan.valid_bytes, std::filesystem::file_size(folder / "journal"));
  expect_prefix(scan, five_records());
}

std::string checked(const std::string& body) {
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", crc32c(body));
  return std::string(crc) + " " + body;
}

TEST(Journal, IsLinesThatAPersonCanReadWhereItsPayloadsAre) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", {five_records()[0]});
  const std::string nobody = to_string(Hash128{});
  const auto frame = [](const std::string& head, const std::string& payload) {
    return checked(head + " " + std::to_string(payload.size()) + " " + checked(payload).substr(0, 8)) + " " + payload +
           "\n";
  };
  EXPECT_EQ(slurp(folder / "journal"), frame("0 journal " + nobody + " 3", "") +
                                           frame("1 durable " + nobody + " 0", "1") +
                                           frame("2 header " + to_string(hash128("sweep")) + " 3", R"({"name":"a"})") +
                                           frame("3 durable " + nobody + " 0", "3"));
}

TEST(Journal, IsPrivateToTheUser) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  struct stat info {};
  ASSERT_EQ(::stat((folder / "journal").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(Journal, MissingFileIsAnEmptyScan) {
  const support::TemporaryFolder folder;
  EXPECT_TRUE(scan_journal(folder / "journal").records.empty());
}

TEST(Journal, ContinuesTheSequenceOfAnEarlierSession) {
  const support::TemporaryFolder folder;
  const auto records = five_records();
  write_records(folder / "journal", {records[0], records[1]});
  write_records(folder / "journal", {records[2], records[3], records[4]});
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  expect_prefix(scan, records);
}

/// Payloads with every byte, newlines among them, and one that looks like records itself.
std::vector<Record> binary_records() {
  std::vector<Record> records = five_records();
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  records[1].payload = all;
  records[3].payload = "\n" + frame_of(records[0], 1) + std::string(64, ' ') + "\n";
  return records;
}

/// Where each record ends in a journal that was written at once, the first one and the marks included.
std::vector<std::size_t> ends_of(const std::vector<Record>& records) {
  std::vector<std::size_t> ends = {opening_frame().size()};
  const auto add = [&](const Record& record) { ends.push_back(ends.back() + frame_of(record, ends.size()).size()); };
  const auto mark = [&] { add({RecordKind::durable, {}, 0, std::to_string(ends.size())}); };
  mark();
  for (const Record& record : records) add(record);
  mark();
  return ends;
}

void expect_every_cut_to_be_torn(const std::vector<Record>& records) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", records);
  const std::string whole = slurp(folder / "journal");
  const std::vector<std::size_t> ends = ends_of(records);
  ASSERT_EQ(ends.back(), whole.size());
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    spill(folder / "cut", whole.substr(0, bytes));
    const Scan scan = scan_journal(folder / "cut");
    expect_prefix(scan, records);
    const auto whole_ones = std::ranges::upper_bound(ends, bytes + 1) - ends.begin();  // with or without a newline
    EXPECT_EQ(scan.records.size(), static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(whole_ones - 2, 0, 5))) << bytes;
    const bool is_whole = std::ranges::count(ends, bytes) + std::ranges::count(ends, bytes + 1) > 0;
    EXPECT_EQ(scan.torn_tail, bytes > 0 && !is_whole) << bytes;
  }
}

TEST(Journal, CutAtAnyByteKeepsTheWholeRecordsAndCallsTheRestTorn) {
  expect_every_cut_to_be_torn(five_records());
  expect_every_cut_to_be_torn(binary_records());
}

/// A journal without the mark that stands last, in which the newline of each record in turn is lost or another byte.
std::vector<std::string> without_a_newline(const std::vector<std::size_t>& ends, const std::string& whole) {
  std::vector<std::string> damaged;
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    const std::string text = whole.substr(0, ends[ends.size() - 2]);
    for (const char* instead : {"", "\v"}) damaged.push_back(std::string(text).replace(ends[i] - 1, 1, instead));
  }
  return damaged;
}

TEST(Journal, RecordCountsWithOrWithoutItsNewline) {
  const support::TemporaryFolder folder;
  for (const auto& records : {five_records(), binary_records()}) {
    std::filesystem::remove(folder / "journal");
    write_records(folder / "journal", records);
    const std::string whole = slurp(folder / "journal");
    for (const std::string& text : without_a_newline(ends_of(records), whole)) {
      spill(folder / "cut", text);
      const Scan scan = scan_journal(folder / "cut");
      EXPECT_EQ(scan.records.size(), 5U);
      EXPECT_FALSE(scan.torn_tail);
      expect_prefix(scan, records);
    }
  }
}

TEST(Journal, WhatFollowsALostNewlineBeginsALineOfItsOwn) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::size_t end = ends_of(five_records())[6];
  const std::string text = slurp(folder / "journal").substr(0, end);
  for (const std::string& instead : {std::string(), std::string("\v"), std::string("\v012")}) {
    spill(folder / "journal", text.substr(0, end - 1) + instead);
    testing::internal::CaptureStderr();
    write_records(folder / "journal", {five_records()[3]});
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("half-written") != std::string::npos, instead.size() > 1);
    EXPECT_EQ(slurp(folder / "journal").substr(0, end), text);
    const Scan scan = scan_journal(folder / "journal");
    ASSERT_EQ(scan.records.size(), 6U);
    EXPECT_TRUE(same(scan.records[5], five_records()[3]));
  }
}

/// How many flips of one bit are of no account: those of a newline. All others have to be refused.
std::ptrdiff_t harmless_flips(const std::filesystem::path& journal, const std::vector<Record>& records) {
  const std::string whole = slurp(journal);
  std::ptrdiff_t harmless = 0;
  std::fstream file(journal, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&file](std::size_t at, int byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte)).flush();
  };
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    put(bit / 8, whole[bit / 8] ^ (1 << bit % 8));
    try {
      const Scan scan = scan_journal(journal);
      EXPECT_EQ(whole[bit / 8], '\n') << "bit " << bit;
      EXPECT_EQ(scan.records.size(), records.size()) << "bit " << bit;
      expect_prefix(scan, records);
      ++harmless;
    } catch (const InputError&) {
    }
    put(bit / 8, whole[bit / 8]);
  }
  return harmless;
}

TEST(Journal, FlippedBitIsNeverReadAsARecordNorAsATornOne) {
  const support::TemporaryFolder folder;
  for (const auto& records : {five_records(), binary_records()}) {
    std::filesystem::remove(folder / "journal");
    write_records(folder / "journal", records);
    const auto frames = static_cast<std::ptrdiff_t>(ends_of(records).size());
    EXPECT_EQ(harmless_flips(folder / "journal", records), 8 * frames) << "the bits of each newline";
  }
}

TEST(Journal, WhatIsNotSyncedIsNotShownWhileAWriterLives) {
  const support::TemporaryFolder folder;
  const auto shown = [&] { return read_journal(folder / "journal").records.size(); };
  {
    JournalWriter writer(folder / "journal", 1);
    writer.append(five_records());
    EXPECT_EQ(shown(), 0U);
    EXPECT_EQ(scan_journal(folder / "journal").records.size(), 5U);
    writer.sync();
    EXPECT_EQ(shown(), 5U);
    writer.append(five_records()[3]);
    EXPECT_EQ(shown(), 5U);
  }
  EXPECT_EQ(shown(), 6U) << "no writer is left that could lose it";
}

TEST(Journal, KindOfALaterVersionIsSkippedIfItMayBe) {
  const support::TemporaryFolder folder;
  const Record curve{RecordKind::other, hash128("block"), 1, std::string("\0\n", 2), "curve?"};
  write_records(folder / "journal", {five_records()[0], curve, five_records()[3]});
  const Scan scan = scan_journal(folder / "journal");
  ASSERT_EQ(scan.records.size(), 3U);
  EXPECT_EQ(scan.records[1].other_kind, "curve?");
  const Scan remains = whole_records(folder / "journal");
  ASSERT_EQ(remains.records.size(), 3U) << "and salvaged";
  EXPECT_EQ(remains.records[1].payload, curve.payload);
  Record needed = curve;
  needed.other_kind = "curve";
  write_records(folder / "journal", {needed});
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }),
              testing::AllOf(HasSubstr("newer Regatta"), HasSubstr("'curve'")));
}

TEST(Journal, DamageInTheMiddleNamesFileAndOffsetAndLeavesTheFileAlone) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  std::string bytes = slurp(folder / "journal");
  const std::size_t second = bytes.find('\n') + 1;
  bytes[second + 60] ^= 1;
  spill(folder / "journal", bytes);
  const std::string text = message_of<InputError>([&] { JournalWriter(folder / "journal", 1); });
  EXPECT_THAT(text, HasSubstr("at byte " + std::to_string(second)));
  EXPECT_THAT(text, HasSubstr((folder / "journal").string()));
  EXPECT_THAT(text, HasSubstr("left untouched"));
  EXPECT_EQ(slurp(folder / "journal"), bytes);
}

TEST(Journal, ZeroBytesBehindWhatWasSyncedAreATornTail) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  spill(folder / "journal", whole + std::string(4096, '\0'));
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_TRUE(scan.torn_tail);
  EXPECT_EQ(scan.valid_bytes, whole.size());
  expect_prefix(scan, five_records());
  testing::internal::CaptureStderr();
  write_records(folder / "journal", {five_records()[3]});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("half-written record"));
  EXPECT_EQ(scan_journal(folder / "journal").records.size(), 6U);
}

TEST(Journal, ZeroBytesOverWhatWasSyncedAreDamage) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  std::string bytes = slurp(folder / "journal");
  const std::size_t third = ends_of(five_records())[3];
  const std::size_t length = ends_of(five_records())[4] - third;
  spill(folder / "journal", bytes.replace(third, length, length, '\0'));
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }),
              HasSubstr("at byte " + std::to_string(third)));
}

TEST(Journal, MissingLineIsAGapInTheSequence) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  std::string bytes = slurp(folder / "journal");
  const std::size_t first = bytes.find('\n') + 1;
  bytes.erase(first, bytes.find('\n', first) + 1 - first);
  spill(folder / "journal", bytes);
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }),
              HasSubstr("record 2 where record 1 should stand"));
}

TEST(Journal, NewerVersionIsRefused) {
  const support::TemporaryFolder folder;
  Record header = five_records()[0];
  header.attempt = journal_version + 1;
  write_records(folder / "journal", {header});
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }), HasSubstr("newer Regatta"));
}

TEST(Journal, WriterCutsATornTailWithAWarningAndGoesOn) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  const std::size_t mark = whole.rfind('\n', whole.size() - 2) + 1;
  spill(folder / "journal", whole.substr(0, mark - 5));
  testing::internal::CaptureStderr();
  write_records(folder / "journal", {five_records()[4]});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("half-written record"));
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  EXPECT_FALSE(scan.torn_tail);
}

TEST(Journal, ReaderLeavesATornTailAlone) {
  const support::TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string torn = slurp(folder / "journal") + "12345";
  spill(folder / "journal", torn);
  EXPECT_TRUE(scan_journal(folder / "journal").torn_tail);
  EXPECT_EQ(slurp(folder / "journal"), torn);
}

TEST(Journal, SecondWriterIsRefusedAfterItsWait) {
  const support::TemporaryFolder folder;
  const JournalWriter first(folder / "journal", 1);
  EXPECT_THAT(message_of<InputError>([&] { JournalWriter(folder / "journal", 0.05); }), HasSubstr("another run"));
}

TEST(Journal, SecondWriterGetsTheLockWhenTheFirstEnds) {
  const support::TemporaryFolder folder;
  auto first = std::make_unique<JournalWriter>(folder / "journal", 1);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    first.reset();
  });
  EXPECT_NO_THROW(JournalWriter(folder / "journal", 30));
  end.join();
}

TEST(Journal, AppendAndSyncMayRunOnTwoThreads) {
  const support::TemporaryFolder folder;
  {
    JournalWriter writer(folder / "journal", 1);
    std::thread syncing([&] {
      for (int i = 0; i < 50; ++i) writer.sync();
    });
    for (int i = 0; i < 500; ++i) writer.append({RecordKind::result, hash128(std::to_string(i)), 1, "{}"});
    syncing.join();
  }
  EXPECT_EQ(scan_journal(folder / "journal").records.size(), 500U);
}

// In a child: a file size limit makes write() fail as a full disk does.
TEST(Journal, AfterAFailedWriteEveryCallFailsAndTheTailIsTorn) {
  const support::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    JournalWriter writer(folder / "journal", 1);
    for (const Record& record : five_records()) writer.append(record);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlim_t room = static_cast<rlim_t>(std::filesystem::file_size(folder / "journal")) + 20;
    const rlimit limit{room, room};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int failures = 0;
    const auto count = [&](auto&& call) {
      try {
        call();
      } catch (const StorageError&) {
        ++failures;
      }
    };
    count([&] { writer.append(five_records()[3]); });
    count([&] { writer.append(five_records()[3]); });
    count([&] { writer.sync(); });
    ::_exit(failures);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  EXPECT_TRUE(scan.torn_tail);
}

}  // namespace
}  // namespace regatta::results
