#include <gtest/gtest.h>
#include <stdlib.h>

#include "measuring/measuring.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

protocol::Exited exit_of(const std::string& printed, const std::string& complaints) {
  protocol::Exited exit;
  exit.output = printed + complaints;
  exit.error_bytes = exit.complained_bytes = complaints.size();
  exit.printed_bytes = printed.size();
  return exit;
}

class ProgramOutput : public testing::Test {
 protected:
  ProgramOutput() {
    char name[] = "/tmp/regatta-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    files_ = output_files(folder_.string(), hash128("a trial"));
  }
  ~ProgramOutput() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  OutputFiles files_;
};

TEST_F(ProgramOutput, StandsInTwoFilesThatTheTrialNames) {
  write_output(files_, exit_of("solution\n", "warning\n"));
  const std::string stem = (folder_ / to_string(hash128("a trial"))).string();
  EXPECT_EQ(read_file(stem + ".out"), "solution\n");
  EXPECT_EQ(read_file(stem + ".err"), "warning\n");
  EXPECT_EQ(std::filesystem::status(stem + ".out").permissions(), std::filesystem::perms(0600));
}

TEST_F(ProgramOutput, IsThatOfTheLastRun) {
  write_output(files_, exit_of("a long solution\n", "warning\n"));
  write_output(files_, exit_of("short\n", ""));
  EXPECT_EQ(read_file(files_.printed), "short\n");
  EXPECT_FALSE(std::filesystem::exists(files_.complaints)) << "nothing leaves no file";
  remove_output(files_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ProgramOutput, SaysThatItIsCut) {
  protocol::Exited exit = exit_of("the end\n", "");
  exit.printed_bytes = std::uint64_t{24} << 20;
  write_output(files_, exit);
  const std::string text = read_file(files_.printed);
  EXPECT_TRUE(text.starts_with("[of 24.0 MiB the end and lines with JSON are here; ")) << text;
  EXPECT_TRUE(text.ends_with("]\nthe end\n"));
}

TEST_F(ProgramOutput, FailsNoTrialWhereItCannotBeWritten) {
  write_output(output_files("/nowhere", hash128("a trial")), exit_of("solution\n", "warning\n"));
  std::filesystem::create_symlink(folder_ / "precious", files_.printed);
  write_output(files_, exit_of("solution\n", ""));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "precious"));
}

}  // namespace
}  // namespace regatta::launcher
