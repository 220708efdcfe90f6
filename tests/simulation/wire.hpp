// Messages as they travel: each one is encoded to bytes and parsed again.
#pragma once

#include <string>

#include "regatta/protocol/codec.hpp"

namespace regatta::simulation {

template <class Message>
std::string packed(const Message& message) {
  return protocol::encode(protocol::to_frame(message));
}

inline protocol::Frame unpacked(const std::string& bytes) {
  protocol::FrameReader reader;
  reader.feed(bytes);
  return reader.next().value();
}

}  // namespace regatta::simulation
