#include "results/file/reading_child.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>

#include <set>

#include "regatta/base/error.hpp"
#include "results/file/netcdf_test.hpp"
#include "results/file/varied_results.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results::hdf5 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ReadingLimits generous{std::uint64_t{1} << 31, 20, 1000};

/// A file on disk with two columns of numbers.
class NumbersFile {
 public:
  NumbersFile() {
    const File file = create_in_memory();
    {
      GroupWriter group(file, "group");
      group.rows("row", 3);
      group.variable("number", {"row"}, std::vector<double>{1, 2, 3});
      group.variable("more", {"row"}, std::vector<double>{4, 5, 6});
    }
    spill(path(), file_image(file));
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "numbers.h5"; }

 private:
  support::TemporaryFolder folder_;
};

std::set<int> open_sockets() {
  std::set<int> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    if (std::filesystem::is_socket(entry)) sockets.insert(std::stoi(entry.path().filename()));
  }
  return sockets;
}

const Request numbers{Wanted::numbers, "group", "number", 3};

TEST(ReadingChild, GivesTheColumnsOfTheFile) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  EXPECT_THAT(std::get<std::vector<double>>(child.ask(numbers)), ElementsAre(1, 2, 3));
  EXPECT_EQ(std::get<std::int64_t>(child.ask({Wanted::length, "group", "row"})), 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(child.ask({Wanted::root_text, "", "none"})));
}

// It reads on in the order of the file; who asks in another order gets what he asked for.
TEST(ReadingChild, GivesTheColumnsInWhateverOrder) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  const auto ask = [&](const Request& request) { return std::get<std::vector<double>>(child.ask(request)); };
  const Request more{Wanted::numbers, "group", "more", 3};
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_THAT(ask(numbers), ElementsAre(1, 2, 3));
    EXPECT_EQ(std::get<std::int64_t>(child.ask({Wanted::variable, "group", "more"})), 1);
    EXPECT_THAT(ask(more), ElementsAre(4, 5, 6));
    EXPECT_THAT(ask(more), ElementsAre(4, 5, 6));
    EXPECT_THAT(ask(numbers), ElementsAre(1, 2, 3));
    EXPECT_THAT(ask(numbers), ElementsAre(1, 2, 3));
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(child.ask({Wanted::integers, "group", "row", 3})).size(), 3U);
  }
}

TEST(ReadingChild, ErrorsAreTheSameAsWithoutIt) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  EXPECT_THAT(message_of<InputError>([&] {
                child.ask({Wanted::numbers, "group", "none", 3});
              }),
              HasSubstr("/group lacks the variable 'none'"));
  EXPECT_THAT(std::get<std::vector<double>>(child.ask(numbers)), ElementsAre(1, 2, 3)) << "it serves on";
  ReadingChild nothing("/nowhere.h5", generous);
  EXPECT_THAT(message_of<Hdf5Error>([&] { nothing.ask(numbers); }), HasSubstr("cannot open it"));
}

TEST(ReadingChild, ItsDeathIsAnError) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  child.ask(numbers);
  ::kill(child.process(), SIGABRT);  // none that a sanitizer takes
  EXPECT_THAT(message_of<InputError>([&] { child.ask(numbers); }), HasSubstr("ended by signal 6"));
}

TEST(ReadingChild, IsWaitedForWithADeadline) {
  const NumbersFile file;
  ReadingChild child(file.path(), {generous.memory_bytes, 0.2, generous.rows});
  ::kill(child.process(), SIGSTOP);
  EXPECT_THAT(message_of<InputError>([&] { child.ask(numbers); }), HasSubstr("reading it took more than"));
}

// The file may decide the requested name, and a name may be longer than the link holds.
TEST(ReadingChild, ThatTakesNoRequestIsWaitedForWithADeadline) {
  const NumbersFile file;
  ReadingChild child(file.path(), {generous.memory_bytes, 0.5, generous.rows});
  child.ask(numbers);
  ::kill(child.process(), SIGSTOP);
  const Request long_name{Wanted::numbers, "group", std::string(std::size_t{1} << 24, 'x'), 3};
  EXPECT_THAT(message_of<InputError>([&] { child.ask(long_name); }), HasSubstr("reading it took more than"));
}

// A child that a file took over may close the link and stay.
TEST(ReadingChild, ThatLeavesItsLinkAndLivesOnIsEnded) {
  const auto before = open_sockets();
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  child.ask(numbers);
  ::kill(child.process(), SIGSTOP);
  for (const int socket : open_sockets()) {
    if (!before.contains(socket)) ::shutdown(socket, SHUT_RDWR);
  }
  EXPECT_THAT(message_of<InputError>([&] { child.ask(numbers); }), HasSubstr("ended by itself"));
}

TEST(ReadingChild, HasNoFileOpenButItsOwn) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  child.ask(numbers);
  std::vector<std::string> open;
  const auto folder = std::filesystem::path("/proc") / std::to_string(child.process()) / "fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    open.push_back(std::filesystem::read_symlink(entry).string());
  EXPECT_THAT(open, testing::UnorderedElementsAre(testing::StartsWith("socket:"), "/dev/null", "/dev/null",
                                                  std::filesystem::canonical(file.path()).string()));
}

TEST(ReadingChild, IsLimitedInFilesMemoryAndTime) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  child.ask(numbers);
  const std::string limits = slurp(std::filesystem::path("/proc") / std::to_string(child.process()) / "limits");
  EXPECT_THAT(limits, testing::ContainsRegex("Max file size +0 +0"));
  EXPECT_THAT(limits, testing::ContainsRegex("Max core file size +0 +0"));
  EXPECT_THAT(limits, testing::ContainsRegex("Max cpu time +21 +21"));
#if !defined(__has_feature)  // sanitizers reserve terabytes of addresses and open pipes: these limits are lifted
  EXPECT_THAT(limits, testing::ContainsRegex("Max open files +0 +0"));
  EXPECT_THAT(limits, testing::Not(testing::ContainsRegex("Max address space +unlimited")));
#endif
}

TEST(ReadingChild, IsGoneWithItsOwner) {
  const NumbersFile file;
  pid_t process = 0;
  {
    ReadingChild child(file.path(), generous);
    child.ask(numbers);
    process = child.process();
    ::kill(process, SIGSTOP);  // so that it cannot end by itself
  }
  EXPECT_EQ(::kill(process, 0), -1);
}

}  // namespace
}  // namespace regatta::results::hdf5
