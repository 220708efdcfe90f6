#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks/ranks.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

class Events : public ::testing::Test {
 protected:
  static std::string problem(const std::string& where) {
    try {
      EventStream stream(where);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  support::TemporaryFolder folder_;
};

TEST_F(Events, AreAppendedToAFileLineByLine) {
  const auto file = folder_ / "events.jsonl";
  EventStream(file.string()).write("{\"a\":1}");
  EventStream(file.string()).write("{\"b\":2}");
  EXPECT_EQ(read_file(file), "{\"a\":1}\n{\"b\":2}\n");
}

TEST_F(Events, GoToAnOpenDescriptorThatOthersCanOpenToo) {
  const auto file = folder_ / "events.jsonl";
  const UniqueFd descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
  const std::string place = place_for_others(std::to_string(descriptor.get()));
  EXPECT_EQ(place, "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor.get()));
  EventStream(place).write("{}");
  EXPECT_EQ(read_file(file), "{}\n");
}

TEST_F(Events, RefuseWhatCannotBeOpened) {
  EXPECT_EQ(problem("987654"),
            "--json-events-to: descriptor 987654 is not open (progress goes there); open it in the shell, such as "
            "987654>events.jsonl");
  EXPECT_THAT(problem((folder_ / "no" / "x").string()), testing::HasSubstr("No such file or directory"));
  const auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(problem(fifo.string()), testing::HasSubstr("a FIFO that is read"));  // nobody does
}

TEST_F(Events, SurviveAReaderThatGoesAway) {
  const auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  EventStream stream(fifo.string());
  stream.write("{}");
  reader.reset();
  stream.write("{}");  // would end this process by SIGPIPE
  SUCCEED();
}

}  // namespace
}  // namespace regatta::launcher
