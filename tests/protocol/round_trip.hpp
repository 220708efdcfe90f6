// Messages to frames and back.
#pragma once

#include <gmock/gmock.h>

#include <variant>
#include <vector>

#include "protocol/messages.hpp"

namespace regatta::protocol::testing {

/// Each example has the header that it should, and reading that gives it again; so does its packed form.
template <class Link, class Parse>
void expect_round_trips(const std::vector<Example<Link>>& examples, Parse parse) {
  EXPECT_GE(examples.size(), std::variant_size_v<Link>);
  std::vector<bool> seen(std::variant_size_v<Link>);
  for (const auto& [message, header] : examples) {
    seen[message.index()] = true;
    const Frame frame = to_frame(message);
    EXPECT_EQ(frame.header, header);
    const Link read = parse(frame);
    EXPECT_EQ(read.index(), message.index());
    EXPECT_EQ(to_frame(read).header, header);
    EXPECT_EQ(to_frame(read).payload, frame.payload);
    const Frame packed = to_packed(message);
    EXPECT_TRUE(is_packed(packed));
    const Frame unpacked = to_frame(parse(decode(encode(packed))));
    EXPECT_EQ(unpacked.header, header) << "packed";
    EXPECT_EQ(unpacked.payload, frame.payload) << "packed";
  }
  EXPECT_THAT(seen, ::testing::Each(true)) << "every message of the link has an example";
}

}  // namespace regatta::protocol::testing
