// One JSON object a line for programs that watch a run (docs/progress.md).
#pragma once

#include <string>
#include <string_view>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Where events go. A reader that has gone away disturbs nothing.
class EventStream {
 public:
  /// "-" is stderr, digits are an open descriptor of this process, anything else a file or FIFO that is appended to.
  /// Throws InputError.
  explicit EventStream(const std::string& where);

  /// Writes the line and its end with one call, so that others do not write in between.
  void write(std::string_view line);

 private:
  UniqueFd file_;
};

/// The same place as a process that is started by somebody else can open it: a descriptor becomes its path under /proc.
/// Throws InputError if that descriptor is not open.
std::string place_for_others(const std::string& where);

}  // namespace regatta::launcher
