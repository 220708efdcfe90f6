#include "regatta/base/shared_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regatta/base/error.hpp"

namespace regatta {
namespace {

constexpr std::uint64_t bytes = 8192;

TEST(SharedMemory, IsZerosAndShowsWhatAnotherMappingWrote) {
  const UniqueFd fd = make_shared_memory("regatta-test", bytes);
  const auto one = map_shared(fd.get(), bytes, PROT_READ | PROT_WRITE);
  const auto other = map_shared(fd.get(), bytes, PROT_READ);
  EXPECT_EQ(other.get()[bytes - 1], std::byte{0});
  one.get()[bytes - 1] = std::byte{7};
  EXPECT_EQ(other.get()[bytes - 1], std::byte{7});
}

TEST(SharedMemory, KeepsTheWritersThatItHas) {
  const UniqueFd fd = make_shared_memory("regatta-test", bytes);
  const auto writer = map_shared(fd.get(), bytes, PROT_READ | PROT_WRITE);
  keep_size_and_writer(fd);
  EXPECT_THROW(map_shared(fd.get(), bytes, PROT_READ | PROT_WRITE), InternalError);
  const auto reader = map_shared(fd.get(), bytes, PROT_READ);
  writer.get()[0] = std::byte{7};
  EXPECT_EQ(reader.get()[0], std::byte{7});
}

TEST(SharedMemory, HasAllOfItOnceItIsAskedTo) {
  const UniqueFd fd = make_shared_memory("regatta-test", bytes);
  allocate(fd, bytes);
  struct stat info {};
  ASSERT_EQ(::fstat(fd.get(), &info), 0);
  EXPECT_EQ(info.st_blocks * 512, static_cast<std::int64_t>(bytes));
}

TEST(SharedMemory, KeepsItsSizeOnceItIsAskedTo) {
  const UniqueFd fd = make_shared_memory("regatta-test", bytes);
  EXPECT_EQ(::ftruncate(fd.get(), bytes / 2), 0);
  keep_size(fd);
  EXPECT_NE(::ftruncate(fd.get(), bytes / 4), 0);
  EXPECT_NE(::ftruncate(fd.get(), bytes), 0);
}

TEST(SharedMemory, ThatIsNotThereIsAnError) {
  EXPECT_THROW(map_shared(-1, bytes, PROT_READ), InternalError);
  EXPECT_THROW(keep_size(UniqueFd()), InternalError);
}

TEST(SharedMemory, IsOpenedByThePathOfItsDescriptor) {
  const UniqueFd fd = make_shared_memory("regatta-test", bytes);
  keep_size(fd);
  const UniqueFd again = open_shared_memory(path_of_descriptor(fd.get()), O_RDONLY);
  EXPECT_EQ(shared_memory_bytes(again.get()), bytes);
  map_shared(fd.get(), bytes, PROT_READ | PROT_WRITE).get()[3] = std::byte{9};
  EXPECT_EQ(map_shared(again.get(), bytes, PROT_READ).get()[3], std::byte{9});
}

TEST(SharedMemory, IsNotOpenedWhereThePathNamesSomethingElse) {
  const UniqueFd null(::open("/dev/null", O_RDONLY));
  EXPECT_THROW(open_shared_memory(path_of_descriptor(null.get()), O_RDONLY), InternalError);
  const UniqueFd unsealed = make_shared_memory("regatta-test", bytes);
  EXPECT_THROW(open_shared_memory(path_of_descriptor(unsealed.get()), O_RDONLY), InternalError);
  EXPECT_THROW(open_shared_memory("/proc/1/fd/99999", O_RDONLY), InternalError);
}

}  // namespace
}  // namespace regatta
