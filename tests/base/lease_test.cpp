#include "regatta/base/lease.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "support/temporary_folder.hpp"

namespace regatta {
namespace {

void write_owner(const std::filesystem::path& folder, std::uint64_t epoch, const LeaseOwner& owner,
                 bool released = false) {
  const std::filesystem::path file = lease_file(folder, epoch);
  std::ofstream(file).flush();
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  std::ofstream(file) << lease_text(owner, info.st_ino, released);
}

void touch(const std::filesystem::path& file, double seconds_ago) {
  const timespec then{std::time(nullptr) - static_cast<time_t>(seconds_ago), 0};
  const timespec times[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

LeaseOwner of_another_host() { return {"n7", "other-boot/pid", 12, 99, "4711", "1"}; }

/// A process id that nobody has any more.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Lease, TellsTheOwnerOfTheHighestEpoch) {
  const support::TemporaryFolder folder;
  EXPECT_FALSE(read_lease(folder.path()));
  write_owner(folder.path(), 9, this_owner());
  write_owner(folder.path(), 10, of_another_host());
  std::ofstream(folder / "owner.x1") << "not ours";
  const auto record = read_lease(folder.path());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->epoch, 10U);
  EXPECT_FALSE(record->released);
  EXPECT_EQ(to_string(record->owner), "job 4711 (process 12 on n7)");
  EXPECT_EQ(record->owner.life, "1");
  EXPECT_EQ(record->owner.started, 99U);
}

TEST(Lease, OfAFileThatIsNotWrittenYetNamesNobody) {
  const support::TemporaryFolder folder;
  std::ofstream(lease_file(folder.path(), 1)).flush();
  const auto record = read_lease(folder.path());
  ASSERT_TRUE(record);
  EXPECT_EQ(to_string(record->owner), "another process");
  EXPECT_EQ(state_of(*record, this_owner()), OwnerState::unknown);
}

TEST(Lease, KnowsItsOwnHostsProcessesAndEarlierLivesOfItsJob) {
  const LeaseOwner own = this_owner();
  EXPECT_EQ(state_of({1, own, false, 0}, own), OwnerState::living);
  EXPECT_EQ(state_of({1, own, true, 0}, own), OwnerState::ended);
  LeaseOwner gone = own;
  gone.pid = ended_process();
  EXPECT_EQ(state_of({1, gone, false, 0}, own), OwnerState::ended);
  LeaseOwner reused = own;
  ++reused.started;
  EXPECT_EQ(state_of({1, reused, false, 0}, own), OwnerState::ended);
  LeaseOwner elsewhere = gone;
  elsewhere.system += "2";
  EXPECT_EQ(state_of({1, elsewhere, false, 0}, own), OwnerState::unknown) << "another container of this host";
  LeaseOwner asker = own;
  EXPECT_EQ(state_of({1, of_another_host(), false, 0}, asker), OwnerState::unknown);
  asker.job = "4711";
  asker.life = "2";
  EXPECT_EQ(state_of({1, of_another_host(), false, 0}, asker), OwnerState::ended);
  asker.life = "1";
  EXPECT_EQ(state_of({1, of_another_host(), false, 0}, asker), OwnerState::unknown) << "a step beside it";
}

TEST(Lease, OfACopiedFolderIsNobodys) {
  const support::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "own");
  write_owner(folder / "own", 1, this_owner());
  std::filesystem::copy(folder / "own", folder / "copy");
  EXPECT_TRUE(lease_owner(folder / "own"));
  EXPECT_FALSE(lease_owner(folder / "copy"));
}

TEST(Lease, OfAnotherHostHoldsWhileItsFileIsTouched) {
  const support::TemporaryFolder folder;
  write_owner(folder.path(), 1, of_another_host());
  ASSERT_TRUE(lease_owner(folder.path()));
  EXPECT_EQ(lease_owner(folder.path())->host, "n7");
  touch(lease_file(folder.path(), 1), 2 * lease_stale_seconds);
  EXPECT_FALSE(lease_owner(folder.path()));
}

TEST(Lease, FencesWhoseFileIsGoneOrAnothers) {
  const support::TemporaryFolder folder;
  write_owner(folder.path(), 3, this_owner());
  LeaseFence fence(folder.path(), 3);
  EXPECT_NO_THROW(fence.expect_own());
  write_owner(folder.path(), 4, of_another_host());
  std::filesystem::remove(lease_file(folder.path(), 3));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // longer than a look counts
  try {
    fence.expect_own();
    FAIL() << "not fenced";
  } catch (const FencedOff& error) {
    EXPECT_NE(std::string(error.what()).find("taken over by job 4711 (process 12 on n7)"), std::string::npos)
        << error.what();
  }
  LeaseFence never(folder.path(), 3);
  EXPECT_THROW(never.expect_own(), FencedOff);
}

}  // namespace
}  // namespace regatta
