// Damaged streams of real messages: either a message or PeerLost comes out, never anything else.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

struct Tally {
  int read = 0;
  int refused = 0;
};

void parse_as_every_link(const Frame& frame, Tally& tally) {
  const auto attempt = [&](auto parse) {
    try {
      to_packed(parse(frame));
      ++tally.read;
    } catch (const PeerLost&) {
      ++tally.refused;
    }
  };
  attempt(parse_worker_request);
  attempt(parse_worker_reply);
  attempt(parse_spawner_request);
  attempt(parse_spawner_reply);
  attempt(parse_agent_request);
  attempt(parse_agent_reply);
}

std::string mutate(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  static constexpr std::string_view tokens[] = {"-1",    "null", "[", "{}",      "\"",
                                                "1e999", ":",    ",", "\\u0000", "9999999999999999999999"};
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes.erase(at, 1 + below(8));
        break;
      case 2:
        bytes.insert(at, tokens[below(std::size(tokens))]);
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(20)));
    }
    if (bytes.empty()) bytes = "{";
  }
  return bytes;
}

TEST(Mutation, DamagedStreamsGiveAMessageOrPeerLost) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::vector<Frame> frames = testing::all_frames(testing::Form::json);
  const std::vector<Frame> packed = testing::all_frames(testing::Form::packed);
  frames.insert(frames.end(), packed.begin(), packed.end());
  Tally tally;
  for (int round = 0; round < 300; ++round) {
    for (const Frame& frame : frames) {
      FrameReader reader;
      try {
        reader.feed(mutate(encode(frame), random));
        while (const auto damaged = reader.next()) parse_as_every_link(*damaged, tally);
      } catch (const PeerLost&) {
        ++tally.refused;
      }
    }
  }
  EXPECT_GT(tally.read, 0);
  EXPECT_GT(tally.refused, 0);
}

}  // namespace
}  // namespace regatta::protocol
