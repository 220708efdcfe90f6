#include "os/child_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(ChildOutput, LogIsTheUsersOwnWhateverTheUmask) {
  const support::TemporaryFolder folder;
  const std::filesystem::path log = folder / "log";
  const mode_t umask_before = ::umask(0);
  open_log(log.string());
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(log).permissions(), std::filesystem::perms(0600));
}

TEST(ChildOutput, MakesALogWithTheFirstWords) {
  const support::TemporaryFolder folder;
  const std::filesystem::path log = folder / "log";
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, log.string());
  EXPECT_TRUE(drain(output));
  EXPECT_FALSE(std::filesystem::exists(log));
  for (const char* words : {"first ", "second"}) {
    ASSERT_GT(::write(writing_end.get(), words, std::strlen(words)), 0);
    EXPECT_TRUE(drain(output));
  }
  EXPECT_EQ(read_file(log), "first second");
}

TEST(ChildOutput, IsReadOnWhereItsLogCannotBeMade) {
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, "/nowhere/log");
  ASSERT_GT(::write(writing_end.get(), "words", 5), 0);
  writing_end.reset();
  EXPECT_FALSE(drain(output));
  EXPECT_EQ(output.bytes, 5U);
}

/// Writes it while it is read: a pipe holds less.
void fill(ChildOutput& output, UniqueFd& writing_end, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += 4096) {
    const std::string piece = text.substr(at, 4096);
    ASSERT_EQ(::write(writing_end.get(), piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    ASSERT_TRUE(drain(output));
  }
}

TEST(ChildOutput, OfAProgramKeepsItsEndAndAllLinesWithJson) {
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, "", Beyond::dropped);
  fill(output, writing_end, "{\"v\": 20.5}\nlog {\"w\": 1}\n");
  std::string line = "a line of the log\n", log;
  while (log.size() < 40 * max_output_bytes) log += line;
  fill(output, writing_end, log + "the end\n");
  const std::string text = telling_text(output);
  EXPECT_TRUE(text.starts_with("{\"v\": 20.5}\nlog {\"w\": 1}\na line of the log\n")) << text.substr(0, 100);
  EXPECT_TRUE(text.ends_with("the end\n"));
  EXPECT_LE(text.size(), 3 * max_output_bytes);
  EXPECT_FALSE(output.lost_told);
  EXPECT_FALSE(output.flooded);
}

TEST(ChildOutput, OfAProgramSaysThatLinesWithJsonWereTooMany) {
  for (const char* line : {"{\"v\": 1}\n", "{\n\"v\": 1\n}\n"}) {
    UniqueFd writing_end;
    ChildOutput output = make_output(writing_end, "", Beyond::dropped);
    std::string all;
    while (all.size() < 8 * max_output_bytes) all += line;
    fill(output, writing_end, all);
    EXPECT_TRUE(output.lost_told) << line;
    EXPECT_LE(telling_text(output).size(), 4 * max_output_bytes);
  }
}

TEST(ChildOutput, OfAProgramIsCutInItsLogWhichSaysSo) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const std::filesystem::path log = std::filesystem::path(::mkdtemp(name)) / "log";
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, log.string(), Beyond::dropped);
  fill(output, writing_end,
       std::string(max_log_bytes, 'a') + std::string(max_output_bytes, 'b') + std::string(2048, 'c') +
           std::string(max_output_bytes, 'd'));
  close_log(output);
  const std::string text = read_file(log);
  EXPECT_EQ(text.find('b'), std::string::npos);
  EXPECT_NE(text.find("a\n[66.0 KiB left out]\nd"), std::string::npos) << text.substr(max_log_bytes, 60);
  EXPECT_EQ(text.size(), max_log_bytes + std::strlen("\n[66.0 KiB left out]\n") + max_output_bytes);
  std::filesystem::remove_all(name);
}

TEST(ChildOutput, ThatNeverEndsLetsOthersHaveTheirTurn) {
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, "", Beyond::dropped);
  const pid_t writer = ::fork();
  if (writer == 0) {
    const std::string text(4096, 'x');
    while (::write(writing_end.get(), text.data(), text.size()) > 0) {
    }
    ::_exit(0);
  }
  while (output.bytes < 4 * max_log_bytes) ASSERT_TRUE(drain(output));
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
}

}  // namespace
}  // namespace regatta::launcher
