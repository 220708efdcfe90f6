#include <gtest/gtest.h>

#include "host/host.hpp"
#include "launcher/host/machine_tree.hpp"

namespace regatta::launcher {
namespace {

TEST(MachineFiles, FirstLineEndsBeforeTheSecond) {
  const MachineTree tree;
  tree.write("proc/version", "Linux 6\nand more\n");
  EXPECT_EQ(first_line(tree.folders().proc / "version"), "Linux 6");
}

TEST(MachineFiles, WhatIsNotThereIsEmpty) {
  const MachineTree tree;
  EXPECT_EQ(first_line(tree.folders().proc / "nothing"), "");
  EXPECT_TRUE(entries(tree.folders().sys / "nothing").empty());
}

TEST(MachineFiles, EntriesAreSorted) {
  const MachineTree tree;
  tree.write("sys/devices/b", "");
  tree.write("sys/devices/a", "");
  const auto found = entries(tree.folders().sys / "devices");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].filename(), "a");
  EXPECT_EQ(found[1].filename(), "b");
}

}  // namespace
}  // namespace regatta::launcher
