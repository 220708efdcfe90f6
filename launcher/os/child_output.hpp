// The output of a child: copied into its log up to a limit, or kept in memory up to a limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

inline constexpr std::uint64_t max_log_bytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t max_output_bytes = std::uint64_t{64} << 10;

/// The treatment of a child that prints more than max_log_bytes.
enum class Beyond : std::uint8_t {
  stopped,  ///< it is flooded: nothing more is read
  dropped,  ///< its output is read on, and its end alone is kept
};

/// The reading end of a child's pipe.
struct ChildOutput {
  UniqueFd pipe;
  std::string log_path;  ///< empty: there is no log
  UniqueFd log;          ///< made when the first text comes: most workers print none, and a run starts thousands
  std::string text;      ///< its end, in memory; of a child that may flood only where there is no log
  std::string told;      ///< lines before `text` that hold a JSON object, the last max_output_bytes of them
  std::uint64_t bytes = 0;
  Beyond beyond = Beyond::stopped;
  bool flooded = false;    ///< more than max_log_bytes came; the rest is not read
  bool lost_told = false;  ///< there were more such lines, or one of an object over several lines
};

/// A pipe whose reading end does not block; the writing end goes to the child.
ChildOutput make_output(UniqueFd& writing_end, std::string log_path, Beyond beyond = Beyond::stopped);

/// Copies what has arrived. False once the pipe is closed or the limit is reached. It returns to its caller after a
/// while, even if more arrives all the time.
bool drain(ChildOutput& output);

/// The text in memory: its last max_output_bytes, all of it where it is shorter.
std::string kept_text(const ChildOutput& output);

/// The lines that hold a JSON object, wherever they stood, and the whole end of the output: of a child whose output is
/// dropped beyond its limit.
std::string telling_text(const ChildOutput& output);

/// Ends the log of such a child: says how much is left out, and adds the end of the output.
void close_log(ChildOutput& output);

/// Opens a log for appending, 0600. Throws InternalError.
UniqueFd open_log(const std::string& path);

}  // namespace regatta::launcher
