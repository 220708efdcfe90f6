// Requests and answers as bytes, between the process that reads a file and the one that asks. Columns go from the
// memory of the one straight into that of the other: they are most of a file, and each copy of them costs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "results/file/column_requests.hpp"

namespace regatta::results::hdf5 {

/// The failure in place of an answer. Failures of the library are reported in other words than the rest.
struct Refusal {
  bool is_of_library = false;
  std::string what;
};

using Reply = std::variant<Refusal, Answer>;

using Send = std::function<void(std::string_view bytes)>;

/// Fills `to` with the next `count` bytes of the other end, or throws.
using Receive = std::function<void(void* to, std::uint64_t count)>;

/// The most that one answer may take of the asking process. More is a lie, and is refused before it is allocated.
struct AnswerBounds {
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;  ///< rows in a column whose length is asked for
};

std::string encode(const Request& request);
Request decode_request(std::string_view bytes);

void send_reply(const Reply& reply, const Send& send);

/// Nothing is believed: throws InputError unless what comes is a reply to the request, with as many rows as were asked
/// for.
Reply receive_reply(const Receive& receive, const Request& request, const AnswerBounds& bounds);

}  // namespace regatta::results::hdf5
