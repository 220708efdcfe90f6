// The output of a child: copied into its log up to a limit, or kept in memory up to a limit.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

inline constexpr std::uint64_t max_log_bytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t max_output_bytes = std::uint64_t{64} << 10;

/// The reading end of a child's pipe.
struct ChildOutput {
  UniqueFd pipe;
  std::string log_path;  ///< empty: keep the text in memory
  UniqueFd log;          ///< made when the first text comes: most workers print none, and a run starts thousands
  std::string text;      ///< text in memory; kept_text() takes a part of it
  std::uint64_t bytes = 0;
  bool flooded = false;  ///< more than max_log_bytes came; the rest is not read
};

/// A pipe whose reading end does not block; the writing end goes to the child.
ChildOutput make_output(UniqueFd& writing_end, std::string log_path);

/// Copies what has arrived. False once the pipe is closed or the limit is reached.
bool drain(ChildOutput& output);

/// Its last max_output_bytes, all of it where it is shorter.
std::string kept_text(const ChildOutput& output);

/// Opens a log for appending, 0600. Throws InternalError.
UniqueFd open_log(const std::string& path);

}  // namespace regatta::launcher
