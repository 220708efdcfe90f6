// What a person is told of attempts that fail while a run goes on: each error once, and at the end how often it came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class FailuresTold {
 public:
  /// The line for this failure, with the number of the attempt at its arm; nothing if the error was told before.
  std::optional<std::string> line_for(const protocol::AttemptFailed& failed);

  /// A line for each error that came more than once since the last call.
  std::vector<std::string> repeats();

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> attempts_;  ///< by block and arm
  std::map<std::string, std::size_t> again_;                                 ///< after it was told
};

}  // namespace regatta::launcher
