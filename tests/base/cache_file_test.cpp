#include "regatta/base/cache_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "regatta/base/files.hpp"

namespace regatta {
namespace {

using Texts = std::vector<std::string>;

TEST(CacheFile, HoldsTheLinesThatWereWrittenLast) {
  const std::string path = testing::TempDir() + "regatta_cache_file_test.txt";
  write_cache(path, "a\n");
  write_cache(path, "b c\n\nd");
  EXPECT_EQ(cached_lines(path), (Texts{"b c", "", "d"}));
  std::filesystem::remove(path);
}

TEST(CacheFile, WhatCannotBeReadHoldsNothing) {
  EXPECT_EQ(cached_lines(""), Texts{});
  EXPECT_EQ(cached_lines(testing::TempDir()), Texts{});
  EXPECT_EQ(cached_lines(testing::TempDir() + "regatta_no_such_file"), Texts{});
  const std::string path = testing::TempDir() + "regatta_long_cache_file.txt";
  write_file_atomically(path, std::string((std::size_t{4} << 20) + 1, 'a'));
  EXPECT_EQ(cached_lines(path), Texts{});
  std::filesystem::remove(path);
}

TEST(CacheFile, WhatCannotBeWrittenIsDoneWithout) {
  EXPECT_NO_THROW(write_cache(testing::TempDir() + "regatta_no_such_folder/file", "a\n"));
}

}  // namespace
}  // namespace regatta
