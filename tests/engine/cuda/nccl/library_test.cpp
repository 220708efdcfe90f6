// Opening NCCL where it is missing, where something else has its name, and where it is.
// src/engine/cuda/nccl/installed_library.cpp opens the installed one, under the name libnccl.so.2.
#include "engine/cuda/nccl/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(NcclLibraryTest, AMissingLibraryIsNamedWithWhatToDo) {
  const OpenedNccl opened = open_nccl_at("libnccl_of_nobody.so.2");
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, AllOf(HasSubstr("NCCL is missing: libnccl_of_nobody.so.2"), HasSubstr("ranks above 1"),
                                    HasSubstr("LD_LIBRARY_PATH")));
}

TEST(NcclLibraryTest, ALibraryWithoutItsFunctionsIsNotTaken) {
  const OpenedNccl opened = open_nccl_at("libm.so.6");
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, HasSubstr("libm.so.6 has no ncclGetVersion"));
}

TEST(NcclLibraryTest, AnOldLibraryIsNotTaken) {
  const OpenedNccl opened = open_nccl_at(REGATTA_NCCL_21805);
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, HasSubstr("is version 2.18.5 of NCCL"));
  EXPECT_TRUE(open_nccl_at(REGATTA_NCCL_21900).library);
}

TEST(NcclLibraryTest, ALibraryOfTheSameInterfaceIsTakenWithAllItsFunctions) {
  const OpenedNccl opened = open_nccl_at(REGATTA_NCCL_22809);
  ASSERT_TRUE(opened.library) << opened.missing;
  const NcclLibrary& table = *opened.library;
  const std::set<const void*> apart{
      reinterpret_cast<const void*>(table.get_version), reinterpret_cast<const void*>(table.error_string),
      reinterpret_cast<const void*>(table.last_error),  reinterpret_cast<const void*>(table.get_unique_id),
      reinterpret_cast<const void*>(table.init_rank),   reinterpret_cast<const void*>(table.async_error),
      reinterpret_cast<const void*>(table.all_reduce),  reinterpret_cast<const void*>(table.finalize),
      reinterpret_cast<const void*>(table.destroy)};
  EXPECT_EQ(apart.size(), 9U);
  EXPECT_FALSE(apart.contains(nullptr));
}

TEST(NcclLibraryTest, InItsPlaceTestsHaveTheFake) {
  const OpenedNccl opened = open_nccl();
  ASSERT_TRUE(opened.library) << opened.missing;
  int version = 0;
  EXPECT_EQ(opened.library->get_version(&version), NcclResult::success);
  EXPECT_EQ(nccl_version_text(version), "2.28.9");
}

TEST(NcclLibraryTest, AnIdIsTextAndBack) {
  NcclUniqueId id{};
  for (std::size_t i = 0; i < sizeof id.bytes; ++i) id.bytes[i] = static_cast<char>(7 * i + 200);
  const std::string text = text_of(id);
  EXPECT_EQ(text.size(), 256U);
  EXPECT_EQ(text.substr(0, 4), "c8cf");
  const NcclUniqueId back = unique_id_of(text);
  EXPECT_EQ(std::memcmp(back.bytes, id.bytes, sizeof id.bytes), 0);
}

TEST(NcclLibraryTest, WhatIsNoIdIsRefused) {
  for (const std::string& text : {std::string(), std::string(255, 'a'), std::string(256, 'g')})
    EXPECT_THROW(unique_id_of(text), DeviceError) << text;
  try {
    unique_id_of(std::string(40, 'a'));
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith('\'' + std::string(32, 'a') + "' is no id"));
  }
}

// The part of NCCL's configuration that the engine knows has the places of NCCL's header.
TEST(NcclLibraryTest, TheConfigurationLiesAsInTheHeader) {
  EXPECT_EQ(sizeof(NcclConfig), 40U);
  EXPECT_EQ(offsetof(NcclConfig, blocking), 16U);
  EXPECT_EQ(offsetof(NcclConfig, network), 32U);
}

}  // namespace
}  // namespace regatta::engine::cuda
