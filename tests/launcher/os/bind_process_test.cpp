#include "os/bind_process.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace regatta::launcher {
namespace {

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

TEST(BindProcess, MovesThreadsThatRunAlready) {
  const cpu_set_t before = cores_of(0);
  const int core = ::sched_getcpu();
  std::promise<pid_t> id;
  std::promise<void> end;
  std::thread other([&] {
    id.set_value(::gettid());
    end.get_future().wait();
  });
  const pid_t thread = id.get_future().get();
  EXPECT_TRUE(bind_process(::getpid(), {core}));
  for (const pid_t each : {::getpid(), thread}) {
    const cpu_set_t now = cores_of(each);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(core, &now));
  }
  end.set_value();
  other.join();
  EXPECT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(BindProcess, SaysWhereItCannot) {
  const cpu_set_t before = cores_of(0);
  EXPECT_FALSE(bind_process(::getpid(), {CPU_SETSIZE - 1})) << "no machine has so many cores";
  const cpu_set_t after = cores_of(0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace regatta::launcher
