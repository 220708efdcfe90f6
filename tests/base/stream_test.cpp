#include "regatta/base/stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "regatta/base/error.hpp"

namespace regatta {
namespace {

class Streams : public ::testing::Test {
 protected:
  Streams() {
    std::string pattern = (std::filesystem::temp_directory_path() / "regatta-stream-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Streams() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string refusal(const std::filesystem::path& path) const {
    try {
      open_stream(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  }

  std::filesystem::path folder_;
};

TEST_F(Streams, AreNotFilesNorNamesThatAreFree) {
  std::ofstream(folder_ / "file") << "x";
  std::filesystem::create_symlink("file", folder_ / "link");
  std::filesystem::create_symlink("nothing", folder_ / "dangling");
  for (const char* name : {"file", "link", "dangling", "free", "no folder/free", "."}) {
    EXPECT_FALSE(open_stream(folder_ / name)) << name;
    EXPECT_NO_THROW(expect_replaceable(folder_ / name)) << name;
  }
  EXPECT_FALSE(open_stream("a name in the current folder"));
}

TEST_F(Streams, AreTheDescriptorsOfThisProcess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  for (const char* folder : {"/dev/fd", "/proc/self/fd"}) {
    const UniqueFd stream = open_stream(fmt::format("{}/{}", folder, writer.get()));
    ASSERT_TRUE(stream) << folder;
    ASSERT_EQ(::write(stream.get(), "x", 1), 1);
    char got = ' ';
    EXPECT_EQ(::read(reader.get(), &got, 1), 1);
    EXPECT_EQ(got, 'x');
  }
  EXPECT_NE(refusal("/dev/fd/987").find("cannot write to '/dev/fd/987'"), std::string::npos);
  EXPECT_TRUE(open_stream("/dev/stderr"));
  EXPECT_THROW(expect_replaceable("/dev/stderr"), InputError);
}

TEST_F(Streams, OfADescriptorGoOnWhereItsFileStands) {
  const UniqueFd file(::open((folder_ / "file").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before ", 7), 7);
  const UniqueFd stream = open_stream(fmt::format("/proc/self/fd/{}", file.get()));
  ASSERT_EQ(::write(stream.get(), "after", 5), 5);
  std::ifstream reader(folder_ / "file");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "before after");
}

TEST_F(Streams, AreNoLinksThatSomebodyMade) {
  std::filesystem::create_symlink("/proc/self/fd/2", folder_ / "descriptor");
  std::filesystem::create_symlink("/dev/null", folder_ / "device");
  for (const char* name : {"descriptor", "device"}) {
    if (std::string(name) == "descriptor" && std::filesystem::is_regular_file("/proc/self/fd/2")) continue;
    EXPECT_NE(refusal(folder_ / name).find("is no file"), std::string::npos) << name;
    EXPECT_THROW(expect_replaceable(folder_ / name), InputError) << name;
  }
}

TEST_F(Streams, AreDevicesThatStayWhatTheyAre) {
  const UniqueFd null = open_stream("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_EQ(::write(null.get(), "x", 1), 1);
  EXPECT_THROW(expect_replaceable("/dev/null"), InputError);
}

TEST_F(Streams, ArePipesThatSomebodyReads) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder_ / "pipe"),
            "nobody reads the pipe '" + (folder_ / "pipe").string() + "'; start its reader first");
  const UniqueFd reader(::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  const UniqueFd stream = open_stream(folder_ / "pipe");
  ASSERT_TRUE(stream);
  EXPECT_EQ(::fcntl(stream.get(), F_GETFL) & O_NONBLOCK, 0) << "a full pipe is waited for";
}

TEST_F(Streams, AreNoSockets) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder_ / "socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(refusal(folder_ / "socket").find("is no file"), std::string::npos);
}

/// The exit status of a child whose standard output is `place`, and in which `run` decides.
template <class Run>
int status_of(const char* place, const Run& run) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(place, O_WRONLY);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::_exit(run());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 100: StorageError.
int code_of(const char* place, const std::string& text, int code) {
  return status_of(place, [&] {
    try {
      return with_output([&] {
        fmt::print("{}", text);
        return code;
      });
    } catch (const StorageError& error) {
      return std::string(error.what()) ==
                     "cannot write to standard output (what is there is cut short): No space left on device"
                 ? 100
                 : 101;
    }
  });
}

TEST(StandardOutput, ThatTakesEverythingChangesNoExitCode) {
  EXPECT_EQ(code_of("/dev/null", "text\n", 0), 0);
  EXPECT_EQ(code_of("/dev/null", "text\n", 3), 3);
}

TEST(StandardOutput, ThatIsFullIsAnErrorHoweverMuchIsPrinted) {
  EXPECT_EQ(code_of("/dev/full", "text\n", 0), 100);
  EXPECT_EQ(code_of("/dev/full", std::string(1 << 20, 'x'), 0), 100);
  EXPECT_EQ(code_of("/dev/full", "", 0), 0) << "nothing was lost";
}

TEST(StandardOutput, ThatIsFullKeepsAnExitCodeThatSaysMore) { EXPECT_EQ(code_of("/dev/full", "text\n", 3), 3); }

TEST(StandardOutput, IsToldOfOnce) {
  EXPECT_EQ(status_of("/dev/full",
                      [] {
                        const auto failing = [] {
                          fmt::print("text\n");
                          return 3;
                        };
                        return with_output([&] { return with_output(failing) == 3 ? 0 : 1; });
                      }),
            0);
}

TEST(StandardOutput, LeavesOtherErrorsOfTheSystemAsTheyAre) {
  EXPECT_THROW(with_output([]() -> int { throw std::system_error(ENOENT, std::generic_category()); }),
               std::system_error);
}

TEST(StandardStreams, ThatAreClosedGiveNoFileTheirNumber) {
  EXPECT_EQ(status_of("/dev/null",
                      [] {
                        ::close(STDIN_FILENO);
                        ::close(STDOUT_FILENO);
                        open_closed_streams();
                        const int next = ::open("/dev/zero", O_RDONLY);
                        return next > STDERR_FILENO && ::write(STDOUT_FILENO, "x", 1) == 1 ? 0 : 1;
                      }),
            0);
}

}  // namespace
}  // namespace regatta
