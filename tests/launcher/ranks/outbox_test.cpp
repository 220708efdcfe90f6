#include "ranks/outbox.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

/// A request that counts how often it is asked.
struct Request {
  bool sent = false;
  int* asked = nullptr;
};

bool is_sent(Request& request) {
  ++*request.asked;
  return request.sent;
}

TEST(Outbox, AsksFewMessagesATurnHoweverManyWait) {
  int asked = 0;
  Outbox<Request> outbox;
  for (int i = 0; i < 10'000; ++i) outbox.add("bytes", {false, &asked});
  for (int turn = 0; turn < 1000; ++turn) outbox.release(is_sent, 2);
  EXPECT_EQ(asked, 2000);
  EXPECT_EQ(outbox.size(), 10'000U);
}

TEST(Outbox, FreesWhatIsSentThoughAnEarlierMessageIsNot) {
  int asked = 0;
  Outbox<Request> outbox;
  outbox.add("to a slow receiver", {false, &asked});
  for (int i = 0; i < 100; ++i) outbox.add("to another", {true, &asked});
  for (int turn = 0; turn < 51; ++turn) outbox.release(is_sent, 2);
  EXPECT_EQ(outbox.size(), 1U);
}

TEST(Outbox, KeepsUpWithOneNewMessageATurn) {
  int asked = 0;
  Outbox<Request> outbox;
  for (int turn = 0; turn < 1000; ++turn) {
    outbox.add("bytes", {true, &asked});
    outbox.release(is_sent, 2);
    ASSERT_LE(outbox.size(), 1U);
  }
}

TEST(Outbox, LeavesBytesWhereTheyAre) {
  int asked = 0;
  Outbox<Request> outbox;
  const auto& first = outbox.add("first", {false, &asked});
  const char* bytes = first.bytes.data();
  for (int i = 0; i < 100; ++i) outbox.add("more", {true, &asked});
  outbox.release(is_sent, outbox.size());
  EXPECT_EQ(first.bytes.data(), bytes);
  EXPECT_EQ(outbox.size(), 1U);
}

}  // namespace
}  // namespace regatta::launcher
