// JSON of a header, read with bounded time and memory however hostile the peer is.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace regatta::protocol {

/// Keeps the order of keys: a layer of a model is named by its first key.
using Json = nlohmann::ordered_json;

/// Throws PeerLost for text that is not a JSON object, is nested more than 64 deep or has more than 16,384 keys.
Json parse_object(std::string_view text);

/// JSON on one line; bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& value);

/// At most 60 characters of a value, for messages.
std::string excerpt(std::string_view text);

}  // namespace regatta::protocol
