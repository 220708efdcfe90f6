// Messages as they travel: each one is encoded to bytes and parsed again.
#pragma once

#include <string>

#include "regatta/protocol/codec.hpp"

namespace regatta::simulation {

template <class Message>
std::string packed(const Message& message) {
  return protocol::encode(protocol::to_packed(message));
}

inline protocol::Frame unpacked(const std::string& bytes) { return protocol::decode(bytes); }

}  // namespace regatta::simulation
