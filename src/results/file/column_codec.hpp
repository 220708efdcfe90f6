// Requests and answers as bytes, between the process that reads a file and the one that asks.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "results/file/column_requests.hpp"

namespace regatta::results::hdf5 {

/// What went wrong instead of an answer. The one from the library is told in other words than the rest.
struct Refusal {
  bool is_of_library = false;
  std::string what;
};

using Reply = std::variant<Refusal, Answer>;

std::string encode(const Request& request);
Request decode_request(std::string_view bytes);

std::string encode(const Reply& reply);

/// Nothing is believed: throws InputError unless the bytes are a whole reply, with as many rows as were asked for.
Reply decode_reply(std::string_view bytes, const Request& request);

}  // namespace regatta::results::hdf5
