#include "results/file/reading_child.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include "regatta/base/error.hpp"
#include "results/file/netcdf_test.hpp"
#include "results/file/varied_results.hpp"

namespace regatta::results::hdf5 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ReadingLimits generous{std::uint64_t{1} << 31, 20, 1000};

/// A file on disk with one column of numbers.
class NumbersFile {
 public:
  NumbersFile() {
    const File file = create_in_memory();
    {
      GroupWriter group(file, "group");
      group.rows("row", 3);
      group.variable("number", {"row"}, std::vector<double>{1, 2, 3});
    }
    spill(path(), file_image(file));
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "numbers.h5"; }

 private:
  TemporaryFolder folder_;
};

const Request numbers{Wanted::numbers, "group", "number", 3};

TEST(ReadingChild, GivesTheColumnsOfTheFile) {
  const NumbersFile file;
  ReadingChild child(file.path(), generous);
  EXPECT_THAT(std::get<std::vector<double>>(child.ask(numbers)), ElementsAre(1, 2, 3));
  EXPECT_EQ(std::get<std::int64_t>(child.ask({Wanted::length, "group", "row"})), 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(child.ask({Wanted::root_text, "", "none"})));
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
  ::kill(child.process(), SIGSEGV);
  EXPECT_THAT(message_of<InputError>([&] { child.ask(numbers); }), HasSubstr("ended by signal 11"));
}

TEST(ReadingChild, IsWaitedForWithADeadline) {
  const NumbersFile file;
  ReadingChild child(file.path(), {generous.memory_bytes, 0.2, generous.rows});
  ::kill(child.process(), SIGSTOP);
  EXPECT_THAT(message_of<InputError>([&] { child.ask(numbers); }), HasSubstr("reading it took more than"));
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
  EXPECT_THAT(limits, testing::ContainsRegex("Max open files +0 +0"));
  EXPECT_THAT(limits, testing::ContainsRegex("Max file size +0 +0"));
  EXPECT_THAT(limits, testing::ContainsRegex("Max core file size +0 +0"));
  EXPECT_THAT(limits, testing::ContainsRegex("Max cpu time +21 +21"));
#if !defined(__has_feature)  // sanitizers reserve terabytes of addresses: no limit to test against
  EXPECT_THAT(limits, testing::Not(testing::ContainsRegex("Max address space +unlimited")));
#endif
}

TEST(ReadingChild, IsGoneWithItsOwner) {
  const NumbersFile file;
  pid_t process = 0;
  {
    ReadingChild child(file.path(), generous);
    process = child.process();
  }
  EXPECT_EQ(::kill(process, 0), -1);
}

}  // namespace
}  // namespace regatta::results::hdf5
