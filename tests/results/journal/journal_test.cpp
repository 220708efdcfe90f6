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
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

bool same(const Record& a, const Record& b) {
  return a.kind == b.kind && a.hash == b.hash && a.attempt == b.attempt && a.json == b.json;
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
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  EXPECT_FALSE(scan.torn_tail);
  EXPECT_EQ(scan.valid_bytes, std::filesystem::file_size(folder / "journal"));
  expect_prefix(scan, five_records());
}

TEST(Journal, IsLinesThatAPersonCanRead) {
  const TemporaryFolder folder;
  write_records(folder / "journal", {five_records()[0]});
  const std::string body = "0 header " + to_string(hash128("sweep")) + " 1 {\"name\":\"a\"}";
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", crc32c(body));
  EXPECT_EQ(slurp(folder / "journal"), std::string(crc) + " " + body + "\n");
}

TEST(Journal, IsPrivateToTheUser) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  struct stat info {};
  ASSERT_EQ(::stat((folder / "journal").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(Journal, MissingFileIsAnEmptyScan) {
  const TemporaryFolder folder;
  EXPECT_TRUE(scan_journal(folder / "journal").records.empty());
}

TEST(Journal, ContinuesTheSequenceOfAnEarlierSession) {
  const TemporaryFolder folder;
  const auto records = five_records();
  write_records(folder / "journal", {records[0], records[1]});
  write_records(folder / "journal", {records[2], records[3], records[4]});
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  expect_prefix(scan, records);
}

TEST(Journal, CutAtAnyByteKeepsTheWholeLinesAndCallsTheRestTorn) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    const std::string cut = whole.substr(0, bytes);
    spill(folder / "cut", cut);
    const Scan scan = scan_journal(folder / "cut");
    expect_prefix(scan, five_records());
    EXPECT_EQ(scan.records.size(), static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n')));
    EXPECT_EQ(scan.torn_tail, !cut.empty() && cut.back() != '\n');
  }
}

TEST(Journal, FlippedBitIsNeverReadAsARecord) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  int refused = 0;
  int torn = 0;
  std::fstream file(folder / "journal", std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&file](std::size_t at, int byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte)).flush();
  };
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    put(bit / 8, whole[bit / 8] ^ (1 << bit % 8));
    try {
      const Scan scan = scan_journal(folder / "journal");
      EXPECT_TRUE(scan.torn_tail && scan.records.size() == 4) << "bit " << bit;
      EXPECT_GE(bit / 8, last_line) << "only the end of the last line may look torn";
      expect_prefix(scan, five_records());
      ++torn;
    } catch (const InputError&) {
      ++refused;
    }
    put(bit / 8, whole[bit / 8]);
  }
  EXPECT_EQ(torn, 8) << "the eight bits of the last newline";
  EXPECT_EQ(static_cast<std::size_t>(refused + torn), 8 * whole.size());
}

TEST(Journal, DamageInTheMiddleNamesFileAndOffsetAndLeavesTheFileAlone) {
  const TemporaryFolder folder;
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

TEST(Journal, ZeroBytesAreDamageEvenAtTheEnd) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  spill(folder / "journal", whole + std::string(4096, '\0'));
  const std::string text = message_of<InputError>([&] { scan_journal(folder / "journal"); });
  EXPECT_THAT(text, HasSubstr("at byte " + std::to_string(whole.size())));
  EXPECT_THAT(text, HasSubstr("4096 zero byte"));
}

TEST(Journal, MissingLineIsAGapInTheSequence) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  std::string bytes = slurp(folder / "journal");
  const std::size_t first = bytes.find('\n') + 1;
  bytes.erase(first, bytes.find('\n', first) + 1 - first);
  spill(folder / "journal", bytes);
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }),
              HasSubstr("record 2 where record 1 should stand"));
}

TEST(Journal, NewerVersionIsRefused) {
  const TemporaryFolder folder;
  Record header = five_records()[0];
  header.attempt = journal_version + 1;
  write_records(folder / "journal", {header});
  EXPECT_THAT(message_of<InputError>([&] { scan_journal(folder / "journal"); }), HasSubstr("newer Regatta"));
}

TEST(Journal, WriterCutsATornTailWithAWarningAndGoesOn) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string whole = slurp(folder / "journal");
  spill(folder / "journal", whole.substr(0, whole.size() - 5));
  testing::internal::CaptureStderr();
  write_records(folder / "journal", {five_records()[4]});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("half-written record"));
  const Scan scan = scan_journal(folder / "journal");
  EXPECT_EQ(scan.records.size(), 5U);
  EXPECT_FALSE(scan.torn_tail);
}

TEST(Journal, ReaderLeavesATornTailAlone) {
  const TemporaryFolder folder;
  write_records(folder / "journal", five_records());
  const std::string torn = slurp(folder / "journal") + "12345";
  spill(folder / "journal", torn);
  EXPECT_TRUE(scan_journal(folder / "journal").torn_tail);
  EXPECT_EQ(slurp(folder / "journal"), torn);
}

TEST(Journal, SecondWriterIsRefusedAfterItsWait) {
  const TemporaryFolder folder;
  const JournalWriter first(folder / "journal", 1);
  EXPECT_THAT(message_of<InputError>([&] { JournalWriter(folder / "journal", 0.05); }), HasSubstr("another run"));
}

TEST(Journal, SecondWriterGetsTheLockWhenTheFirstEnds) {
  const TemporaryFolder folder;
  auto first = std::make_unique<JournalWriter>(folder / "journal", 1);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    first.reset();
  });
  EXPECT_NO_THROW(JournalWriter(folder / "journal", 30));
  end.join();
}

TEST(Journal, AppendAndSyncMayRunOnTwoThreads) {
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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

TEST(Journal, RefusesARecordThatIsNotOneLine) {
  const TemporaryFolder folder;
  JournalWriter writer(folder / "journal", 1);
  EXPECT_THROW(writer.append({RecordKind::result, hash128("x"), 1, "{\n}"}), InternalError);
}

}  // namespace
}  // namespace regatta::results
