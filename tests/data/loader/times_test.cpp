// src/data/loader/times.cpp
#include <gtest/gtest.h>

#include "regatta/data/loader.hpp"

namespace regatta::data {
namespace {

TEST(BoundBy, IsTheConsumerWhoHardlyWaits) {
  EXPECT_EQ(bound_by({.wait_seconds = 0.5, .consume_seconds = 99.5, .collate_seconds = 50}), BoundBy::consumer);
  EXPECT_EQ(bound_by({.wait_seconds = 2, .consume_seconds = 98, .collate_seconds = 50}), BoundBy::collate);
}

TEST(BoundBy, NamesWhatTheThreadsSpentMostOn) {
  const auto bound = [](double read, double decode, double collate) {
    return bound_by({.wait_seconds = 2,
                     .consume_seconds = 98,
                     .read_seconds = read,
                     .decode_seconds = decode,
                     .collate_seconds = collate,
                     .slot_wait_seconds = 1000});
  };
  EXPECT_EQ(bound(1, 2, 50), BoundBy::collate);
  EXPECT_EQ(bound(1, 50, 2), BoundBy::decode);
  EXPECT_EQ(bound(60, 50, 2), BoundBy::storage);
  EXPECT_EQ(bound(60, 2, 70), BoundBy::collate);
  EXPECT_EQ(bound(0.2, 0.3, 0.4), BoundBy::handover) << "the batches took a second, and were waited for for two";
  EXPECT_EQ(bound(0.2, 0.3, 0.6), BoundBy::collate);
}

TEST(BoundBy, HasTheNamesOfTheLevels) {
  EXPECT_EQ(name_of(BoundBy::consumer), "consumer");
  EXPECT_EQ(name_of(BoundBy::storage), "storage");
  EXPECT_EQ(name_of(BoundBy::decode), "decode");
  EXPECT_EQ(name_of(BoundBy::collate), "collate");
  EXPECT_EQ(name_of(BoundBy::handover), "handover");
}

TEST(LoaderTimes, AreTakenApartAndPutTogether) {
  const LoaderTimes before{1, 2, 3, 4, 5, 6, 7};
  const LoaderTimes now{11, 22, 33, 44, 55, 66, 77};
  const auto expect = [](const LoaderTimes& times, const LoaderTimes& expected) {
    EXPECT_EQ(times.wait_seconds, expected.wait_seconds);
    EXPECT_EQ(times.consume_seconds, expected.consume_seconds);
    EXPECT_EQ(times.read_seconds, expected.read_seconds);
    EXPECT_EQ(times.decode_seconds, expected.decode_seconds);
    EXPECT_EQ(times.collate_seconds, expected.collate_seconds);
    EXPECT_EQ(times.slot_wait_seconds, expected.slot_wait_seconds);
    EXPECT_EQ(times.batches, expected.batches);
  };
  expect(now - before, {10, 20, 30, 40, 50, 60, 70});
  expect(now - before + before, now);
}

}  // namespace
}  // namespace regatta::data
